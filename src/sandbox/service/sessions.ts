import type { SessionAgent } from './agents.ts';
import type { Metadata, SessionRecord } from './session.ts';

/** What a session begins with. */
interface SessionStart {
  readonly visitorId: string;
  readonly agent: SessionAgent;
  readonly wentLive: boolean;
  readonly onPremise: boolean;
  readonly metadata: Metadata;
  readonly webhookUrl: string | null;
}

/** All sessions, running and ended, kept in memory. */
export interface Sessions {
  readonly add: (record: SessionRecord) => void;
  readonly start: (start: SessionStart) => SessionRecord;
  /** The ended session, or undefined when there is none running with this id. */
  readonly end: (sessionId: string) => SessionRecord | undefined;
  readonly useFeature: (sessionId: string, feature: string) => void;
  readonly find: (sessionId: string) => SessionRecord | undefined;
  /** Newest first. */
  readonly all: () => readonly SessionRecord[];
  readonly ongoing: () => readonly SessionRecord[];
}

export function createSessions(now: () => Date, randomId: () => string): Sessions {
  const byId = new Map<string, SessionRecord>();
  const running = (sessionId: string) => {
    const session = byId.get(sessionId);
    return session?.endedAt === null ? session : undefined;
  };
  const all = () =>
    [...byId.values()].toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime());

  return {
    add: (record) => byId.set(record.id, record),
    start(start) {
      const session = newSession(start, { id: randomId(), startedAt: now() });
      byId.set(session.id, session);
      return session;
    },
    end(sessionId) {
      const session = running(sessionId);
      if (!session) return undefined;
      const ended = { ...session, endedAt: now() };
      byId.set(sessionId, ended);
      return ended;
    },
    useFeature(sessionId, feature) {
      const session = running(sessionId);
      if (!session || session.featuresUsed.includes(feature)) return;
      byId.set(sessionId, { ...session, featuresUsed: [...session.featuresUsed, feature] });
    },
    find: (sessionId) => byId.get(sessionId),
    all,
    ongoing: () => all().filter((session) => session.endedAt === null),
  };
}

function newSession(start: SessionStart, identity: { id: string; startedAt: Date }): SessionRecord {
  const { agent, ...known } = start;
  return {
    ...identity,
    ...known,
    agents: [agent],
    endedAt: null,
    featuresUsed: [],
    source: 'api',
    videoUrl: null,
    qualityFeedback: [],
  };
}
