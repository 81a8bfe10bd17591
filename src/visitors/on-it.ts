import { z } from 'zod';
import { definePress } from '../commands/command.ts';
import { join, rowOf, rowsOf, sql, type Database, type Sql } from '../database/database.ts';
import { buttons, message, notice, status } from '../messages/message.ts';
import { bold, time, user } from '../messages/text.ts';
import { isWaiting, onItButton, visitorName, watchElements, watchOffer } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import type { Showing } from './visitor.ts';

/** As long as somebody may take to open the customer's screen. */
const HELD_MS = 10 * 60 * 1_000;
/** The second press of a double click changes nothing. */
const SAME_CLICK_MS = 3_000;

const Claim = rowOf({ visitorId: z.string(), userId: z.string(), claimedUntil: z.number() });

export const removeOldVisitorClaims = (until: number, limit: number): Sql =>
  sql`DELETE FROM visitor_claims WHERE (workspace_id, visitor_id) IN (
    SELECT workspace_id, visitor_id FROM visitor_claims WHERE claimed_until <= ${until} LIMIT ${limit})`;

export type OnIt = ReturnType<typeof createOnIt>;

/** One person for each visitor who waits for help. Times: milliseconds since 1970. All reject with a DatabaseError. */
export const createOnIt = (database: Pick<Database, 'read' | 'write'>, now: () => number) => ({
  /** Takes a visitor, or releases one that the same user took. `held`: somebody else was first. */
  async toggle(workspaceId: string, visitorId: string, userId: string) {
    const at = Math.round(now());
    const isOver = sql`visitor_claims.claimed_until <= ${at}`;
    const stays = sql`CASE WHEN visitor_claims.user_id = excluded.user_id
      THEN visitor_claims.claimed_at > excluded.claimed_at - ${SAME_CLICK_MS} ELSE NOT ${isOver} END`;
    // Somebody else's row is written as it was, so that it comes back.
    const [written] = await database.write(
      sql`INSERT INTO visitor_claims (workspace_id, visitor_id, user_id, claimed_at, claimed_until)
        VALUES (${workspaceId}, ${visitorId}, ${userId}, ${at}, ${at + HELD_MS})
        ON CONFLICT (workspace_id, visitor_id) DO UPDATE SET
          user_id = CASE WHEN ${isOver} THEN excluded.user_id ELSE visitor_claims.user_id END,
          claimed_at = CASE WHEN ${stays} THEN visitor_claims.claimed_at ELSE excluded.claimed_at END,
          claimed_until = CASE WHEN ${stays} THEN visitor_claims.claimed_until
            WHEN ${isOver} THEN excluded.claimed_until ELSE 0 END
        RETURNING visitor_id, user_id, claimed_until`,
    );
    const [{ userId: by, claimedUntil } = { userId, claimedUntil: 0 }] = rowsOf(written, Claim);
    const until = new Date(claimedUntil);
    if (by !== userId) return { is: 'held', by, until } as const;
    return claimedUntil === 0 ? ({ is: 'released' } as const) : ({ is: 'taken', until } as const);
  },
  async holders(workspaceId: string, visitorIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (visitorIds.length === 0) return new Map();
    const rows = await database.read(
      sql`SELECT visitor_id, user_id, claimed_until FROM visitor_claims
        WHERE workspace_id = ${workspaceId} AND claimed_until > ${Math.round(now())}
          AND visitor_id IN (${join(visitorIds)})`,
      Claim,
    );
    return new Map(rows.map(({ visitorId, userId }) => [visitorId, userId]));
  },
});

/** @param taken called where somebody may have taken a customer, or let them go */
export const createOnItPress = (
  onIt: Pick<OnIt, 'toggle'>,
  { visitorTools, partnersOf }: Pick<Showing, 'visitorTools' | 'partnersOf'>,
  record: App['record'],
  taken: (workspaceId: string) => void,
) =>
  definePress({
    actionId: 'on_it',
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId, channelId } = caller;
      const visitor = await caller.workspace.cobrowse.visitor(visitorId);
      const partners = await partnersOf(caller, [visitor]);
      const tools = { ...(await visitorTools(caller)), partners };
      if (!isWaiting(visitor)) return watchOffer(visitor, tools, [['Not waiting any more.']]);
      const name = bold(visitorName(visitor));
      const toggle = (holder?: string) => onItButton(visitorId, visitorName(visitor), holder);
      const outcome = await onIt.toggle(workspaceId, visitorId, userId);
      taken(workspaceId);
      await record({ workspaceId, userId, visitorId, action: 'on-it', outcome: outcome.is, channelId });
      if (outcome.is === 'taken')
        return message(
          status('done', [
            ['You’re on it: ', name],
            ['Colleagues see your name in lists and in the Home tab until ', time(outcome.until), '.'],
          ]),
          buttons(...watchElements(visitor, tools), toggle('you')),
        );
      if (outcome.is === 'held')
        return notice(
          [user(outcome.by), ' is already on it: ', name, '.'],
          ['If they haven’t opened the screen by ', time(outcome.until), ', you can take over.'],
        );
      return message(
        status('done', [['You’re no longer on it: ', name, ' is waiting for someone else.']]),
        buttons(toggle()),
      );
    },
  });
