import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AnyRow, hasChanged, rowsOf, sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { hasComeIn, isOver, keptUntil } from '../database/row-times.ts';
import type { SteadyTime } from '../database/row-times.ts';

/** Each opening waits twice: with the page that says nothing yet, and with the one that says so. */
const MOST_FAILED = 6;

/** One button's address: in which workspace, and its sealed ticket. */
interface NamedTicket {
  readonly workspaceId: string;
  readonly ticket: string;
}

/** The same with the time when it expires, milliseconds since 1970. */
export interface UsedTicket extends NamedTicket {
  readonly expiresAt: number;
}

/** What happened to the addresses of Watch buttons. */
export interface TicketUses {
  /**
   * Whether an address waited for a press too often without one. Without an end to it, whoever copied the address could
   * wait there for its owner's next press, and be there first.
   */
  isBlocked(used: NamedTicket): Promise<boolean>;
  /** Counts an opening that no press came for: `now-blocked` with the one too many, and from then on `blocked`. */
  countFailed(used: UsedTicket): Promise<'counted' | 'now-blocked' | 'blocked'>;
  /** True for whoever may write to the address's owner now: once in the time given. */
  claimSending(used: UsedTicket, onceInMs: number): Promise<boolean>;
  /** What came of the writing, for who asks again within that time. */
  recordSending(used: NamedTicket, outcome: string): Promise<void>;
  sendingOf(used: NamedTicket): Promise<string | undefined>;
}

/** The ticket itself is a secret: its hash names it as well. */
const idOf = ({ ticket }: NamedTicket) => createHash('sha256').update(ticket).digest('base64url');

const one = (used: NamedTicket): Sql => sql`workspace_id = ${used.workspaceId} AND ticket_id = ${idOf(used)}`;

/** Whether an address was opened too often, as a condition. */
export const isBlocked = (used: NamedTicket): Sql =>
  sql`EXISTS (SELECT 1 FROM ticket_uses WHERE ${one(used)} AND failed_openings >= ${MOST_FAILED})`;

const Failed = z.object({ failed_openings: z.number() });
const Sent = z.object({ sent: z.string().nullable() });

/** Removes what belongs to addresses that expired long ago. */
export const removeOldTicketUses = (steady: SteadyTime, until: number, limit: number): Sql =>
  sql`DELETE FROM ticket_uses WHERE (workspace_id, ticket_id) IN (
    SELECT workspace_id, ticket_id FROM ticket_uses WHERE ${isOver(steady, until)} LIMIT ${limit})`;

/** @param now milliseconds since 1970 */
export function createTicketUses(database: Database, now: () => number): TicketUses {
  return {
    async isBlocked(used) {
      const blocked = sql`SELECT 1 AS one WHERE ${isBlocked(used)}`;
      return (await database.read(blocked, AnyRow)).length > 0;
    },
    async countFailed(used) {
      const [counted] = await database.write(
        sql`INSERT INTO ticket_uses (workspace_id, ticket_id, failed_openings, good_until, expires_at)
          VALUES (${used.workspaceId}, ${idOf(used)}, 1, ${used.expiresAt}, ${keptUntil(database)})
          ON CONFLICT (workspace_id, ticket_id) DO UPDATE SET failed_openings = ticket_uses.failed_openings + 1
          WHERE ticket_uses.failed_openings < ${MOST_FAILED}
          RETURNING failed_openings`,
      );
      const [row] = rowsOf(counted, Failed);
      if (row === undefined) return 'blocked';
      return row.failed_openings === MOST_FAILED ? 'now-blocked' : 'counted';
    },
    async claimSending(used, onceInMs) {
      const time = now();
      const isAgain = hasComeIn(sql`ticket_uses.sent_until`, time, onceInMs);
      const [claimed] = await database.write(
        sql`INSERT INTO ticket_uses (workspace_id, ticket_id, failed_openings, sent_until, good_until, expires_at)
          VALUES (${used.workspaceId}, ${idOf(used)}, 0, ${time + onceInMs}, ${used.expiresAt}, ${keptUntil(database)})
          ON CONFLICT (workspace_id, ticket_id) DO UPDATE SET sent = NULL, sent_until = excluded.sent_until
          WHERE ticket_uses.sent_until IS NULL OR ${isAgain}`,
      );
      return hasChanged(claimed);
    },
    async recordSending(used, outcome) {
      await database.write(sql`UPDATE ticket_uses SET sent = ${outcome} WHERE ${one(used)}`);
    },
    async sendingOf(used) {
      const [row] = await database.read(sql`SELECT sent FROM ticket_uses WHERE ${one(used)}`, Sent);
      return row?.sent ?? undefined;
    },
  };
}
