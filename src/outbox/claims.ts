import { randomUUID } from 'node:crypto';
import { rowsOf, sql } from '../database/database.ts';
import type { Database, Sql, Written } from '../database/database.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import { ChannelNameRow, claimChannels, isDue, releaseChannel } from './channels.ts';
import type { ChannelName } from './channels.ts';
import { DeliveryRow, deliveryColumns } from './delivery.ts';
import type { Content, Delivery } from './delivery.ts';

/** A channel whose turn is claimed, with its next delivery. */
export interface Turn {
  /** Marks the channel and the delivery as claimed by this turn. */
  readonly token: string;
  readonly channel: ChannelName;
  readonly delivery: Content;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  /** Whether it tests if Slack accepts the workspace's token again. */
  readonly isProbe?: true;
}

export const newToken = (): string => randomUUID();

export const earliest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times);

/**
 * In each channel that a token holds, takes the delivery that's due first. A delivery in state `sending` there belongs
 * to an attempt that ended with its process, since a channel has one turn at a time.
 */
export const claimDeliveries = (token: string, time: number): Sql =>
  sql`UPDATE deliveries SET state = 'sending', claim = ${token}, attempts = attempts + 1,
      deaths = CASE WHEN state = 'sending' THEN deaths + 1 ELSE deaths END,
      attempted_at = COALESCE(attempted_at, ${time})
    WHERE id IN (SELECT (SELECT first.id FROM deliveries AS first
        WHERE first.workspace_id = channels.workspace_id AND first.channel_id = channels.channel_id
          AND first.state IN ('waiting', 'sending') AND ${isDue(sql`first.due_at`, time)}
        ORDER BY first.due_at, first.id LIMIT 1)
      FROM channels WHERE channels.claim = ${token})
    RETURNING ${deliveryColumns}`;

export const deliveriesIn = (written: Written | undefined): readonly Delivery[] =>
  rowsOf(written, DeliveryRow);

const named = ({ workspaceId, channelId }: ChannelName) => JSON.stringify([workspaceId, channelId]);

interface ClaimsParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  readonly now: () => number;
}

interface Claimed {
  readonly turns: readonly Turn[];
  /** Whether there may be more. The next due time is known only once nothing is due now. */
  readonly isMore: boolean;
}

/** Claims the turns of channels. */
export interface Claims {
  /** @param of this workspace only, even if it's on hold */
  take(limit: number, of?: string): Promise<Claimed>;
}

export function createClaims({ database, sessionEnds, now }: ClaimsParts): Claims {
  async function endsOf(deliveries: readonly Delivery[]): Promise<ReadonlyMap<string, SessionEnd>> {
    const ids = new Set(deliveries.flatMap(({ sessionEndId: id }) => (id === undefined ? [] : [id])));
    return new Map((await sessionEnds.byIds([...ids])).map((end) => [end.id, end]));
  }

  /** Gives back the channels in which nothing is due. */
  async function giveBack(empty: readonly ChannelName[], token: string): Promise<void> {
    if (empty.length === 0) return;
    await database.write(...empty.flatMap((channel) => releaseChannel(channel, token, 0)));
  }

  return {
    async take(limit, of) {
      const token = newToken();
      const time = now();
      const claim = claimChannels(database, { token, time, limit, ...(of === undefined ? {} : { of }) });
      const [channels, claimed] = await database.write(claim, claimDeliveries(token, time));
      const deliveries = deliveriesIn(claimed);
      const busy = new Set(deliveries.map(named));
      const all = rowsOf(channels, ChannelNameRow);
      const empty = all.filter((channel) => !busy.has(named(channel)));
      const [ends] = await Promise.all([endsOf(deliveries), giveBack(empty, token)]);
      const turns = deliveries.map((delivery): Turn => {
        const { workspaceId, channelId, sessionEndId = '' } = delivery;
        return {
          token,
          channel: { workspaceId, channelId },
          delivery: { ...delivery, end: ends.get(sessionEndId) },
          claimedAt: time,
          ...(of === undefined ? {} : { isProbe: true as const }),
        };
      });
      return { turns, isMore: all.length > 0 };
    },
  };
}
