import { randomUUID } from 'node:crypto';
import { hasChanged, rowsOf, hasCome, type Database, type Written, type Sql } from '../database/database.ts';
import {
  ChannelNameRow,
  LEASE_MS,
  claimChannelOf,
  claimChannels,
  claimDeliveries,
  claimNext,
  releaseChannel,
  renewClaim,
  type ChannelName,
  type Claim,
  type IsKnown,
  type Places,
} from './channels.ts';
import { DeliveryRow, type Delivery } from './delivery.ts';

/** A channel whose turn is claimed, with its next delivery. */
export interface Turn {
  /** Marks the channel and the delivery as claimed by this turn. */
  readonly token: string;
  readonly channel: ChannelName;
  readonly delivery: Delivery;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  /** When Slack accepts a post there, milliseconds since 1970; left out if it does already. */
  readonly opensAt?: number;
}

/** How long before Slack accepts the next post a turn goes on: until that is claimed and made. */
export const EARLIER_MS = 100;

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

/** Another process has the turn, so this one posts and records nothing more. */
export class LostTurnError extends Error {
  override readonly name = 'LostTurnError';
}

/**
 * Called before each post: waits until Slack accepts it, and renews the claim if part of it has passed, since the steps before
 * a post can take longer than it lasts. The result rejects with a {@link LostTurnError}.
 */
export const createKeepTurn =
  (database: Pick<Database, 'write' | 'steadyTime'>, now: () => number) =>
  async ({ channel, token, claimedAt, opensAt = 0 }: Turn): Promise<void> => {
    // No longer, if the clock was put back.
    const earlierMs = Math.min(opensAt - now(), EARLIER_MS);
    if (earlierMs > 0) await new Promise((resolve) => setTimeout(resolve, earlierMs));
    if (!hasCome(claimedAt + LEASE_MS / 3, now(), LEASE_MS / 3)) return;
    const [renewed] = await database.write(renewClaim(database, channel, token));
    if (!hasChanged(renewed)) throw new LostTurnError();
  };

/** Claims the turns of channels. */
export function createTurns({
  database,
  isKnown,
  places,
  now,
}: {
  readonly database: Database;
  readonly isKnown: IsKnown;
  readonly places: Places;
  readonly now: () => number;
}) {
  const newClaim = (full: readonly string[]): Claim => ({ token: newToken(), time: now(), isKnown, full });

  return {
    /** `isMore`: there may be more that are due. @param full the workspaces that may have no more turns */
    async take(
      limit: number,
      full: readonly string[],
    ): Promise<{ readonly turns: readonly Turn[]; readonly isMore: boolean }> {
      const claim = newClaim(full);
      const written = await database.write(
        ...places.before(claim, limit),
        claimChannels(database, places, claim, limit),
        claimDeliveries(claim),
      );
      const [channels, claimed] = written.slice(-2);
      const turns = turnsIn(claimed, claim);
      const busy = new Set(turns.map(({ channel }) => named(channel)));
      const all = rowsOf(channels, ChannelNameRow);
      // Nothing is due there after all.
      const empty = all.filter((channel) => !busy.has(named(channel)));
      if (empty.length > 0)
        await database.write(...empty.flatMap((channel) => releaseChannel(channel, claim.token, 0)));
      return { turns, isMore: all.length === limit };
    },

    /** What is next in a channel whose turn was kept. Undefined, and the turn is given back, if there's nothing. */
    async next({ channel, token }: Turn, opensAt: number): Promise<Turn | undefined> {
      const claim = { token, time: now(), isKnown };
      const written = await database.write(renewClaim(database, channel, token), claimNext(channel, claim));
      const [turn] = turnsIn(written.at(-1), claim);
      if (turn !== undefined) return { ...turn, opensAt };
      await database.write(...releaseChannel(channel, token, opensAt));
      return undefined;
    },

    giveBack: ({ channel, token }: Turn, opensAt: number) =>
      database.write(...releaseChannel(channel, token, opensAt)),

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
