import { setTimeout as pause } from 'node:timers/promises';
import { WatchGrant } from '../../src/grants/grant.ts';
import type { Session } from '../../src/sandbox/service/session.ts';
import { createTickets } from '../../src/tickets/tickets.ts';
import type { Fate } from './fate.ts';
import { SECRET_KEY, WORKSPACE } from './stage.ts';
import type { Stage } from './stage.ts';
import { tell } from './told.ts';
import type { Told } from './told.ts';

const TICKET_MS = 30 * 60 * 1_000;
const AGAIN_AFTER_MS = 150;
const ANSWER_WITHIN_MS = 5_000;

/** The sessions of a run, from the press to the last webhook. */
export interface Sessions {
  /** Handed to the stage, which is opened with them. */
  readonly onLink: (visitorId: string, link: string) => Promise<void>;
  readonly onEnd: (webhookUrl: string, session: Session) => void;
  /** Presses Watch until a session runs, ends it, and lets the service tell of it. */
  run(fate: Fate): Promise<void>;
  /** Resolves when all webhooks are through. */
  allTold(): Promise<void>;
  readonly ended: () => readonly Told[];
}

/**
 * @param stage known once it is open
 * @param threads the `ts` of a message in each channel, to answer under
 */
export function createSessions(
  fates: readonly Fate[],
  stage: () => Stage,
  threads: ReadonlyMap<string, string>,
): Sessions {
  const byVisitor = new Map(fates.map((fate) => [fate.visitorId, fate]));
  const ended = new Map<string, Told>();
  /** The first webhook of each session on its way, by visitor. */
  const telling = new Map<string, Promise<void>>();

  async function end({ id, visitor_id }: Pick<Session, 'id' | 'visitor_id'>): Promise<void> {
    const fate = byVisitor.get(visitor_id);
    if (fate === undefined) throw new Error(`Nobody knows ${visitor_id}.`);
    ended.set(visitor_id, { fate, sessionId: id, acknowledged: false });
    await stage().service.endSession(id);
  }

  async function press({
    workspaceId,
    ...fate
  }: Fate & { readonly workspaceId: string }): Promise<string | undefined> {
    const { now } = stage().time;
    const { userId, channelId, visitorId, inThread } = fate;
    const threadTs = inThread && channelId !== undefined ? threads.get(channelId) : undefined;
    const ticket = createTickets([SECRET_KEY], now)('watch', WatchGrant).issue(
      {
        workspaceId,
        userId,
        visitorId,
        power: 'full',
        ...(channelId === undefined ? {} : { channelId }),
        ...(threadTs === undefined ? {} : { threadTs }),
      },
      TICKET_MS,
    );
    try {
      const response = await fetch(`${stage().appUrl}/watch/${ticket}`, {
        redirect: 'manual',
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await response.body?.cancel();
      return response.headers.get('location') ?? undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async onLink(visitorId, link) {
      const fate = byVisitor.get(visitorId);
      if (fate?.endsBeforeRedirect !== true || ended.has(visitorId)) return;
      await end(await stage().service.openWatchLink(link));
      // The app waits for the answer to its request meanwhile: one webhook, at least, is there before.
      await Promise.race([telling.get(visitorId), pause(AGAIN_AFTER_MS)]);
    },

    onEnd(url, session) {
      const told = ended.get(session.visitor_id);
      if (told !== undefined) telling.set(session.visitor_id, tell(stage(), told, { url, session }));
    },

    async run(fate) {
      while (!ended.has(fate.visitorId)) {
        const link = await press({ ...fate, workspaceId: WORKSPACE });
        if (ended.has(fate.visitorId)) return;
        // A link may have run out on its way, where an hour passed: then Watch is pressed again.
        const session =
          link === undefined
            ? undefined
            : await stage()
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
  };
}
