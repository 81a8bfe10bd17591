import { wasAccepted } from '../cobrowse/schemas.ts';
import { rowsOf, sql } from '../database/database.ts';
import type { Database, Written } from '../database/database.ts';
import {
  WokenChannel,
  channelNow,
  releaseChannel,
  wakeAndClaimChannelOf,
  wakeChannelOf,
} from '../outbox/channels.ts';
import { claimDeliveries, deliveriesIn, earliest, newToken } from '../outbox/claims.ts';
import type { Turn } from '../outbox/claims.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { NewDelivery } from '../outbox/delivery.ts';
import { cardIdOf } from './cards.ts';
import { endedAt, messageIdOf, postableSince } from './session-ends.ts';
import type { SessionEnd, SessionEnds } from './session-ends.ts';
import type { Candidate, EndedSession, Subscribers } from './subscribers.ts';

export interface FanOutParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  readonly subscribers: Pick<Subscribers, 'candidates'>;
  /** The channel for a workspace's summaries that have no channel themselves. */
  readonly summaryChannelOf: (workspaceId: string) => Promise<string | undefined>;
  readonly now: () => number;
  /** Called with what a session end led to, by the service's id of the session. */
  readonly onFanOut: (
    sessionId: string,
    deliveries: readonly Pick<NewDelivery, 'id' | 'channelId' | 'subscriptions'>[],
  ) => void;
}

export const endedSessionOf = (end: SessionEnd): EndedSession => {
  const { workspaceId, visitorId, userId } = end.link;
  // What nobody accepted took no time, however long the customer was asked.
  const seconds = end.session && wasAccepted(end.session) === false ? 0 : end.seconds;
  return { workspaceId, visitorId, userId, seconds, endedAt: endedAt(end) };
};

/** What a session end led to. */
export interface FannedOut {
  /** The turn of the session's channel, if nothing was waiting there. */
  readonly turn: Turn | undefined;
  /** When the rest is due, milliseconds since 1970. */
  readonly nextAt: number | undefined;
}

/**
 * Turns a session end into deliveries, once: one for the session's place, and one for each channel with a subscription
 * that may want it. If the session's channel is free, its turn is taken in the same commit.
 *
 * @param mayClaim whether there's room for a turn now
 * @returns undefined if another process did it
 */
export type FanOut = (end: SessionEnd, mayClaim: boolean) => Promise<FannedOut | undefined>;

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

export function createFanOut(parts: FanOutParts): FanOut {
  const { database, sessionEnds, subscribers, summaryChannelOf, now, onFanOut } = parts;

  /** The turn for the session's summary, if it was taken. */
  async function turnOf(
    end: SessionEnd,
    taken: Pick<Turn, 'token' | 'channel' | 'claimedAt'>,
    written: Written | undefined,
  ): Promise<Turn | undefined> {
    const [first] = deliveriesIn(written);
    if (first === undefined) {
      // The clock of another process is ahead: nothing is due there yet.
      await database.write(...releaseChannel(taken.channel, taken.token, 0));
      return undefined;
    }
    const { sessionEndId } = first;
    if (sessionEndId === end.id) return { ...taken, delivery: { ...first, end } };
    // Something waited there from before, and goes first.
    const [itsEnd] = sessionEndId === undefined ? [] : await sessionEnds.byIds([sessionEndId]);
    return { ...taken, delivery: { ...first, end: itsEnd } };
  }

  return async function fanOut(end, mayClaim) {
    const { workspaceId, channelId: sessionChannel, userId } = end.link;
    const channelId = sessionChannel ?? (await summaryChannelOf(workspaceId)) ?? userId;
    const place = await channelNow(database, { workspaceId, channelId });
    const first = summary(end, place);
    const others = copies(end, await subscribers.candidates(endedSessionOf(end), place));
    const [token, time] = [newToken(), now()];
    const all = [first, ...others];
    // Always in the same order, so that no two wait for each other's channels.
    const waking = all.toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1));
    const written = await database.writeIf(
      sql`UPDATE session_ends SET fanned_out_at = ${time} WHERE id = ${end.id} AND fanned_out_at IS NULL`,
      ...all.map((one) => insertDelivery(one)),
      ...waking.map((one) =>
        one === first && mayClaim
          ? wakeAndClaimChannelOf(database, one.id, { token, time })
          : wakeChannelOf(one.id),
      ),
      ...(mayClaim ? [claimDeliveries(token, time)] : []),
    );
    if (written === undefined) return undefined;
    onFanOut(
      end.sessionId,
      all.map(({ id, channelId: to, subscriptions = [] }) => ({ id, channelId: to, subscriptions })),
    );
    const isAsking = others.some(({ state }) => state === 'asking');
    const woken = waking.flatMap((_, index) => rowsOf(written[1 + all.length + index], WokenChannel));
    const claimed = woken.find(({ claim }) => claim === token);
    const nextAt = earliest([
      ...(isAsking ? [time] : []),
      ...woken.flatMap((one) => (one === claimed || one.next_at === null ? [] : [one.next_at])),
    ]);
    if (claimed === undefined) return { turn: undefined, nextAt };
    const channel = { workspaceId, channelId: claimed.channel_id };
    return { turn: await turnOf(end, { token, channel, claimedAt: time }, written.at(-1)), nextAt };
  };
}
