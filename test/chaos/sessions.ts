import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from '../../sandbox/service/session.ts';
import type { createClicks } from './clicks.ts';
import type { Fate } from './fate.ts';
import type { Stage } from './stage.ts';
import { tell, type Told } from './told.ts';

const AGAIN_AFTER_MS = 150;

/** The sessions of a run, from the press to the last webhook. */
export interface Sessions {
  /** Handed to the stage, which is opened with them. */
  readonly onLink: (visitorId: string, link: string) => Promise<void>;
  readonly onEnd: (webhookUrl: string, session: Session) => void;
  /** Whether the service lists a session no more. */
  readonly isHidden: (sessionId: string) => boolean;
  /** Presses Watch until a session runs, ends it, and lets the service tell of it. */
  run(fate: Fate): Promise<void>;
  /** Resolves when all webhooks are through. */
  allTold(): Promise<void>;
  readonly ended: () => readonly Told[];
  /** The numbers of the fates whose agent was given a link. */
  readonly linked: ReadonlySet<number>;
}

/**
 * @param stageOf the workspace of a session, known once it is open
 * @param clicksOf of the people in it, likewise
 */
export function createSessions(
  fates: readonly Fate[],
  stageOf: (fate: Fate) => Stage,
  clicksOf: (fate: Fate) => ReturnType<typeof createClicks>,
): Sessions {
  const byVisitor = new Map(fates.map((fate) => [fate.visitorId, fate]));
  const ended = new Map<string, Told>();
  const hidden = new Map<string, Told>();
  const linked = new Set<number>();
  /** The first webhook of each session on its way, by visitor. */
  const telling = new Map<string, Promise<void>>();

  async function end({ id, visitor_id }: Pick<Session, 'id' | 'visitor_id'>): Promise<void> {
    const fate = byVisitor.get(visitor_id);
    if (fate === undefined) throw new Error(`Nobody knows ${visitor_id}.`);
    const { slack, service } = stageOf(fate);
    const endedAt = slack.calls.length;
    const told: Told = { fate, sessionId: id, endedAt, acknowledgedAt: undefined };
    ended.set(visitor_id, told);
    if (fate.isHidden) hidden.set(id, told);
    await service.endSession(id);
  }

  return {
    async onLink(visitorId, link) {
      const fate = byVisitor.get(visitorId);
      if (fate?.endsBeforeRedirect !== true || ended.has(visitorId)) return;
      await end(await stageOf(fate).service.openWatchLink(link));
      // The app waits for the answer to its request meanwhile: one webhook, at least, is there before.
      await Promise.race([telling.get(visitorId), pause(AGAIN_AFTER_MS)]);
    },

    onEnd(url, session) {
      const told = ended.get(session.visitor_id);
      if (told !== undefined)
        telling.set(session.visitor_id, tell(stageOf(told.fate), told, { url, session }));
    },

    isHidden(sessionId) {
      const told = hidden.get(sessionId);
      return told?.fate.isUnlisted === true || told?.acknowledgedAt !== undefined;
    },

    async run(fate) {
      while (!ended.has(fate.visitorId)) {
        const link = await clicksOf(fate).watch(fate);
        if (link !== undefined) linked.add(fate.number);
        if (ended.has(fate.visitorId)) return;
        // A link may have run out on its way, where an hour passed: then Watch is pressed again.
        const session =
          link === undefined
            ? undefined
            : await stageOf(fate)
                .service.openWatchLink(link)
                .catch(() => undefined);
        await pause(session === undefined ? AGAIN_AFTER_MS : fate.lastsMs);
        if (session !== undefined) await end(session);
      }
    },

    async allTold() {
      await Promise.all(telling.values());
    },
    ended: () => [...ended.values()],
    linked,
  };
}
