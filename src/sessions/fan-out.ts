import { sql } from '../database/database.ts';
import { channelNow, inOrderOfChannels, wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, type NewDelivery } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import {
  endedSessionOf,
  firstToFanOut,
  messageIdOf,
  postableSince,
  takeOverFanOut,
  type SessionEnd,
  type SessionEnds,
} from './session-ends.ts';
import type { Candidate, SessionEvents, Subscribers } from './subscribers.ts';
import { cardIdOf } from './watch-links.ts';

const AT_ONCE = 50;

export interface FanOutReports {
  /** Called with what a session end led to, by the service's id of the session. */
  readonly onFanOut: (
    sessionId: string,
    deliveries: readonly Pick<NewDelivery, 'id' | 'channelId' | 'subscriptions'>[],
  ) => void;
  /** Called for one that failed: it's claimed again when its claim expires. */
  readonly fanOutFailed: (end: SessionEnd, error: unknown) => void;
}

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

interface FanOutParts {
  readonly sessionEnds: Pick<SessionEnds, 'claim'>;
  readonly subscribers: Pick<Subscribers, 'candidates'>;
  readonly events: Pick<SessionEvents, 'ended'>;
  readonly reports: FanOutReports;
}

/**
 * Turns session ends into deliveries, once each: one for the session's place, and one for each channel with a subscription
 * that may want it. What was recorded waits in the table until a process claims it.
 */
export function addFanOut(
  { database, summaryChannelOf, outbox, now }: Pick<App, 'database' | 'summaryChannelOf' | 'outbox' | 'now'>,
  { sessionEnds, subscribers, events, reports }: FanOutParts,
): void {
  async function fanOut(end: SessionEnd): Promise<void> {
    const { workspaceId, channelId: sessionChannel, userId } = end.link;
    const channelId = sessionChannel ?? (await summaryChannelOf(workspaceId)) ?? userId;
    const place = await channelNow(database, { workspaceId, channelId });
    const all = [
      summary(end, place),
      ...copies(end, await subscribers.candidates(endedSessionOf(end), place)),
    ];
    const told = await events.ended(end);
    const written = await database.writeIf(
      sql`UPDATE session_ends SET fanned_out_at = ${now()} WHERE id = ${end.id} AND fanned_out_at IS NULL`,
      ...all.map((one) => insertDelivery(one)),
      ...inOrderOfChannels(all.map((one) => ({ in: one.channelId, statements: [wakeChannelOf(one.id)] }))),
      ...told.statements,
    );
    if (written === undefined) return;
    outbox.wake();
    told.accepted();
    reports.onFanOut(
      end.sessionId,
      all.map(({ id, channelId: to, subscriptions = [] }) => ({ id, channelId: to, subscriptions })),
    );
  }

  outbox.addJob({
    name: 'session ends',
    nextRun: () => firstToFanOut,
    recoverStale: () => takeOverFanOut,
    async run(isStopped) {
      let claimed: readonly SessionEnd[];
      do {
        claimed = await sessionEnds.claim(AT_ONCE);
        // Those of a channel one after the other: what ended first is posted first.
        const byChannel = Map.groupBy(claimed, ({ link }) => link.channelId);
        await Promise.all(
          Array.from(byChannel.values(), async (ends) => {
            for (const end of ends)
              await fanOut(end).catch((error: unknown) => reports.fanOutFailed(end, error));
          }),
        );
      } while (claimed.length === AT_ONCE && !isStopped());
    },
  });
}
