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

/** Ids start with the session end's, so that deliveries made at the same time go out in the order their sessions ended. */
function deliveriesOf(
  end: SessionEnd,
  place: string,
  candidates: readonly Candidate[],
): readonly NewDelivery[] {
  const { id: sessionEndId, link, receivedAt: acceptedAt } = end;
  const { workspaceId, threadTs } = link;
  const common = { workspaceId, kind: 'summary', since: postableSince(end), sessionEndId, acceptedAt };
  const own = {
    ...common,
    id: `${end.id}0`,
    key: `summary:${end.id}:`,
    messageId: messageIdOf(end, ''),
    channelId: place,
    threadTs: link.channelId === undefined ? undefined : threadTs,
    replaces: sql`(${cardIdOf(link)})`,
  };
  const byChannel = Map.groupBy(candidates, ({ channelId }) => channelId);
  const copies = Array.from(byChannel, ([channelId, there], index): NewDelivery => ({
    ...common,
    id: `${end.id}${index + 1}`,
    key: `summary:${end.id}:${channelId}`,
    messageId: messageIdOf(end, channelId),
    channelId,
    subscriptions: there.map(({ id }) => id),
    state: there[0]?.isCertain === true ? 'waiting' : 'asking',
  }));
  return [own, ...copies];
}

export interface FanOutParts {
  readonly sessionEnds: Pick<SessionEnds, 'claim'>;
  readonly subscribers: Pick<Subscribers, 'candidates'>;
  readonly events: Pick<SessionEvents, 'ended'>;
  /** Called with what a session end led to, by the service's id of the session. */
  readonly onFanOut: (
    sessionId: string,
    deliveries: readonly Pick<NewDelivery, 'id' | 'channelId' | 'subscriptions'>[],
  ) => void;
  /** It's claimed again when its claim expires. */
  readonly fanOutFailed: (end: Partial<SessionEnd>, error: unknown) => void;
}

/** Turns session ends into deliveries: for the session's place, and for each channel with a subscription that may want it. */
export function addFanOut(
  { database, summaryChannelOf, outbox, now }: Pick<App, 'database' | 'summaryChannelOf' | 'outbox' | 'now'>,
  { sessionEnds, subscribers, events, onFanOut, fanOutFailed }: FanOutParts,
): void {
  async function fanOut(end: SessionEnd): Promise<void> {
    const { workspaceId, channelId: sessionChannel, userId } = end.link;
    const channelId = sessionChannel ?? (await summaryChannelOf(workspaceId)) ?? userId;
    const place = await channelNow(database, { workspaceId, channelId });
    const candidates = await subscribers.candidates(endedSessionOf(end), place);
    const all = deliveriesOf(end, place, candidates);
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
    onFanOut(
      end.sessionId,
      all.map(({ id, channelId: to, subscriptions = [] }) => ({ id, channelId: to, subscriptions })),
    );
  }

  outbox.addJob({
    name: 'session ends',
    nextRun: firstToFanOut,
    recoverStale: takeOverFanOut,
    async run(isStopped) {
      let claimed: readonly SessionEnd[];
      do {
        claimed = await sessionEnds.claim(AT_ONCE, (error) => fanOutFailed({}, error));
        // Those of a channel one after the other: what ended first is posted first.
        const byChannel = Map.groupBy(claimed, ({ link }) => link.channelId);
        await Promise.all(
          Array.from(byChannel.values(), async (ends) => {
            for (const end of ends) await fanOut(end).catch((error: unknown) => fanOutFailed(end, error));
          }),
        );
      } while (claimed.length === AT_ONCE && !isStopped());
    },
  });
}
