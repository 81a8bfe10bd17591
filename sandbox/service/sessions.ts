import type { SessionAgent } from './agents.ts';
import type { Ending, Feedback, Metadata, SessionRecord } from './session.ts';

/** What a session starts with. */
interface SessionStart {
  readonly visitorId: string;
  readonly agent: SessionAgent;
  readonly onPremise: boolean;
  readonly metadata: Metadata;
  readonly webhookUrl: string | null;
}

/** All sessions, running and ended, kept in memory. */
export interface Sessions {
  readonly add: (record: SessionRecord) => void;
  readonly start: (start: SessionStart) => SessionRecord;
  /** The ended session, or undefined if none with this id is running. */
  readonly end: (sessionId: string, by: Ending) => SessionRecord | undefined;
  /** The visitor agreed to be seen. */
  readonly authorize: (sessionId: string) => void;
  /** The agent sees the visitor's page. */
  readonly goLive: (sessionId: string) => void;
  /** Stores what a side says, once; even after the end. */
  readonly addFeedback: (sessionId: string, feedback: Feedback) => void;
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
  const change = (session: SessionRecord | undefined, changes: Partial<SessionRecord>) => {
    if (session) byId.set(session.id, { ...session, ...changes });
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
    end(sessionId, by) {
      const session = running(sessionId);
      if (!session) return undefined;
      const ended = { ...session, endedAt: now(), endedBy: by };
      byId.set(sessionId, ended);
      return ended;
    },
    authorize: (sessionId) => change(running(sessionId), { authorized: true }),
    goLive: (sessionId) => change(running(sessionId), { authorized: true, wentLive: true }),
    addFeedback(sessionId, feedback) {
      const session = byId.get(sessionId);
      const isKnown = session?.qualityFeedback.some(({ from }) => from === feedback.from);
      if (session && !isKnown) change(session, { qualityFeedback: [...session.qualityFeedback, feedback] });
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
    endedBy: null,
    featuresUsed: [],
    authorized: false,
    wentLive: false,
    source: 'api',
    videoUrl: null,
    qualityFeedback: [],
  };
}
