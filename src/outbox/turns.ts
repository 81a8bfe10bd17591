import { randomUUID } from 'node:crypto';
import { rowsOf } from '../database/database.ts';
import type { Database, Written, Sql } from '../database/database.ts';
import {
  ChannelNameRow,
  claimChannelOf,
  claimChannels,
  claimDeliveries,
  releaseChannel,
} from './channels.ts';
import type { ChannelName, IsKnown } from './channels.ts';
import { DeliveryRow } from './delivery.ts';
import type { Delivery } from './delivery.ts';

/** A channel whose turn is claimed, with its next delivery. */
export interface Turn {
  /** Marks the channel and the delivery as claimed by this turn. */
  readonly token: string;
  readonly channel: ChannelName;
  readonly delivery: Delivery;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
}

export const newToken = (): string => randomUUID();

const named = ({ workspaceId, channelId }: ChannelName) => JSON.stringify([workspaceId, channelId]);

const turnsIn = (
  written: Written | undefined,
  { token, time }: { readonly token: string; readonly time: number },
): readonly Turn[] =>
  rowsOf(written, DeliveryRow).map((delivery) => ({
    token,
    channel: { workspaceId: delivery.workspaceId, channelId: delivery.channelId },
    delivery,
    claimedAt: time,
  }));

/** Claims the turns of channels. */
export function createTurns({
  database,
  isKnown,
  now,
}: {
  readonly database: Database;
  readonly isKnown: IsKnown;
  readonly now: () => number;
}) {
  const newClaim = (full: readonly string[]) => ({ token: newToken(), time: now(), isKnown, full });

  return {
    /** `isMore`: there may be more that are due. @param full the workspaces that may have no more turns */
    async take(
      limit: number,
      full: readonly string[],
    ): Promise<{ readonly turns: readonly Turn[]; readonly isMore: boolean }> {
      const claim = newClaim(full);
      const [channels, claimed] = await database.write(
        claimChannels(database, claim, limit),
        claimDeliveries(claim),
      );
      const turns = turnsIn(claimed, claim);
      const busy = new Set(turns.map(({ channel }) => named(channel)));
      const all = rowsOf(channels, ChannelNameRow);
      // Nothing is due there after all.
      const empty = all.filter((channel) => !busy.has(named(channel)));
      if (empty.length > 0)
        await database.write(...empty.flatMap((channel) => releaseChannel(channel, claim.token, 0)));
      return { turns, isMore: all.length === limit };
    },

    /** The turn of one channel, for the write that makes it due: its last statements, and the turn that they took. */
    begin(deliveryId: string, full: readonly string[]) {
      const claim = newClaim(full);
      const statements: readonly Sql[] = [
        claimChannelOf(database, deliveryId, claim),
        claimDeliveries(claim),
      ];
      return {
        statements,
        turnIn: (written: readonly Written[] | undefined): Turn | undefined =>
          turnsIn(written?.at(-1), claim)[0],
      };
    },
  };
}
