import { sql, type Database } from '../database/database.ts';
import { channelNow, wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, type NewDelivery } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import {
  endedSessionOf,
  firstToFanOut,
  messageIdOf,
  postableSince,
  takeOverFanOut,
  type SessionEnd,
  type SessionEnds,
} from './session-ends.ts';
import type { SessionEvents } from './session-events.ts';
import type { Candidate, Subscribers } from './subscribers.ts';
import { cardIdOf } from './watch-links.ts';

const AT_ONCE = 50;

/** Called with what a session end led to, by the service's id of the session. */
export type OnFanOut = (
  sessionId: string,
  deliveries: readonly Pick<NewDelivery, 'id' | 'channelId' | 'subscriptions'>[],
) => void;

// Ids start with the id of the session end, so that deliveries made at the same time go out in the order their sessions
// ended.
function summary(end: SessionEnd, channelId: string): NewDelivery {
  const { workspaceId, threadTs, channelId: sessionChannel } = end.link;
  return {
    id: `${end.id}0`,
    workspaceId,
    key: `summary:${end.id}:`,
    kind: 'summary',
    messageId: messageIdOf(end, ''),
    since: postableSince(end),
    channelId,
    threadTs: sessionChannel === undefined ? undefined : threadTs,
    sessionEndId: end.id,
    acceptedAt: end.receivedAt,
    replaces: sql`(${cardIdOf(end.link)})`,
  };
}

function copies(end: SessionEnd, candidates: readonly Candidate[]): readonly NewDelivery[] {
  const byChannel = Map.groupBy(candidates, ({ channelId }) => channelId);
  return Array.from(byChannel, ([channelId, there], index): NewDelivery => ({
    id: `${end.id}${index + 1}`,
    workspaceId: end.link.workspaceId,
    key: `summary:${end.id}:${channelId}`,
    kind: 'summary',
    messageId: messageIdOf(end, channelId),
    since: postableSince(end),
    channelId,
    sessionEndId: end.id,
    subscriptions: there.map(({ id }) => id),
    state: there[0]?.isCertain === true ? 'waiting' : 'asking',
    acceptedAt: end.receivedAt,
  }));
}

/**
 * Turns session ends into deliveries, once each: one for the session's place, and one for each channel with a subscription
 * that may want it. The process that a webhook reached does it at once. What was left behind, by a process that ended or a
 * failure, or arrives faster than that, is in the table, and goes first.
 */
export function createFanOut({
  database,
  sessionEnds,
  subscribers,
  events,
  summaryChannelOf,
  outbox,
  now,
  onFanOut,
  report,
}: {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'claim'>;
  readonly subscribers: Pick<Subscribers, 'candidates'>;
  readonly events: Pick<SessionEvents, 'ended'>;
  /** The channel for a workspace's summaries that have no channel themselves. */
  readonly summaryChannelOf: (workspaceId: string) => Promise<string | undefined>;
  readonly outbox: Pick<Outbox, 'addJob' | 'inBackground' | 'wake'>;
  readonly now: () => number;
  readonly onFanOut: OnFanOut;
  /** Called for one that failed: it's claimed again when its claim expires. */
  readonly report: (end: SessionEnd, error: unknown) => void;
}) {
  let underWay = 0;
  /** Whether any may be left in the table: what arrives then waits behind them. At the start nobody knows. */
  let isBehind = true;
  /** How many have gone to the table. */
  let left = 0;

  async function fanOut(end: SessionEnd): Promise<void> {
    const { workspaceId, channelId: sessionChannel, userId } = end.link;
    const channelId = sessionChannel ?? (await summaryChannelOf(workspaceId)) ?? userId;
    const place = await channelNow(database, { workspaceId, channelId });
    const first = summary(end, place);
    const others = copies(end, await subscribers.candidates(endedSessionOf(end), place));
    const all = [first, ...others];
    const told = await events.ended(end);
    // Always in the same order, so that no two wait for each other's channels.
    const inOrder = all.toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1));
    const written = await database.writeIf(
      sql`UPDATE session_ends SET fanned_out_at = ${now()} WHERE id = ${end.id} AND fanned_out_at IS NULL`,
      ...all.map((one) => insertDelivery(one)),
      ...inOrder.map(({ id }) => wakeChannelOf(id)),
      ...told.statements,
    );
    if (written === undefined) return;
    outbox.wake();
    told.accepted();
    onFanOut(
      end.sessionId,
      all.map(({ id, channelId: to, subscriptions = [] }) => ({ id, channelId: to, subscriptions })),
    );
  }

  async function fanOutOne(end: SessionEnd): Promise<void> {
    try {
      await fanOut(end);
    } catch (error) {
      report(end, error);
      // Its claim expires: the loop must know when.
      outbox.wake();
    }
  }

  outbox.addJob({
    name: 'session ends',
    nextRun: () => firstToFanOut,
    recoverStale: () => takeOverFanOut,
    async run(isStopped) {
      let claimed: readonly SessionEnd[];
      let before: number;
      do {
        before = left;
        claimed = await sessionEnds.claim(AT_ONCE);
        // Those of a channel one after the other: what ended first is posted first.
        const byChannel = Map.groupBy(claimed, ({ link }) => link.channelId);
        await Promise.all(
          Array.from(byChannel.values(), async (ends) => {
            for (const end of ends) await fanOutOne(end);
          }),
        );
      } while ((claimed.length === AT_ONCE || left !== before) && !isStopped());
      isBehind = false;
    },
  });

  /** @param record stores it, as this process's own or for whoever has the time */
  return async function arrive<Recorded extends string>(
    end: SessionEnd,
    record: (isOurs: boolean) => Promise<Recorded>,
  ): Promise<Recorded> {
    const isOurs = !isBehind && underWay < AT_ONCE;
    if (!isOurs) {
      isBehind = true;
      return record(false).finally(() => {
        left += 1;
        outbox.wake();
      });
    }
    underWay += 1;
    let isTaken = false;
    try {
      const recorded = await record(true);
      isTaken = recorded === 'accepted';
      if (isTaken) outbox.inBackground(end.id, () => fanOutOne(end).finally(() => (underWay -= 1)));
      return recorded;
    } finally {
      if (!isTaken) underWay -= 1;
    }
  };
}
