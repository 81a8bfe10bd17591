import { createHash } from 'node:crypto';
import { z } from 'zod';
import { hasChanged, rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import { steadyTimeIn } from '../database/steady-time.ts';
import type { SteadyTime } from '../database/steady-time.ts';

/** Each opening waits twice: with the page that is held, and with the one that says so. */
const MOST_FAILED = 6;
/** Longer than a ticket is good for. */
const REMEMBERED_MS = 60 * 60 * 1_000;

/** One button's address: in which workspace, and its sealed ticket. */
export interface UsedTicket {
  readonly workspaceId: string;
  readonly ticket: string;
}

/** What happened to the addresses of Watch buttons. */
export interface TicketUses {
  /**
   * Whether an address waited for a press too often without one. Without an end to it, whoever copied the address could
   * wait there for its owner's next press, and be there first.
   */
  isWornOut(used: UsedTicket): Promise<boolean>;
  /** The same as a condition, for a statement that asks for more. */
  wornCondition(used: UsedTicket): Sql;
  /** Counts an opening that no press came for. True where that was one too many: from now on the address opens nothing. */
  countFailed(used: UsedTicket): Promise<boolean>;
  /** True for whoever may write to the address's owner now: once in the time given. */
  claimSending(used: UsedTicket, onceInMs: number): Promise<boolean>;
  /** What came of the writing, for who asks again within that time. */
  recordSending(used: UsedTicket, outcome: string): Promise<void>;
  sendingOf(used: UsedTicket): Promise<string | undefined>;
}

/** The ticket itself is a secret: its hash names it as well. */
const idOf = ({ ticket }: UsedTicket) => createHash('sha256').update(ticket).digest('base64url');

const Failed = z.object({ failed_openings: z.number() });
const Sent = z.object({ sent: z.string().nullable() });

/** Removes what no longer counts. */
export const removeOldTicketUses = ({ steadyTime }: SteadyTime, limit: number): Sql =>
  sql`DELETE FROM ticket_uses WHERE (workspace_id, ticket_id) IN (
    SELECT workspace_id, ticket_id FROM ticket_uses WHERE expires_at <= ${steadyTime()} LIMIT ${limit})`;

export function createTicketUses(database: Database): TicketUses {
  /** What is expired counts as not there. */
  const alive = (workspaceId: string, id: string) =>
    sql`workspace_id = ${workspaceId} AND ticket_id = ${id} AND expires_at > ${database.steadyTime()}`;
  const wornCondition = (used: UsedTicket) =>
    sql`EXISTS (SELECT 1 FROM ticket_uses WHERE ${alive(used.workspaceId, idOf(used))}
      AND failed_openings >= ${MOST_FAILED})`;

  return {
    wornCondition,
    async isWornOut(used) {
      const worn = sql`SELECT 1 AS worn WHERE ${wornCondition(used)}`;
      return (await database.read(worn, z.object({ worn: z.number() }))).length > 0;
    },
    async countFailed(used) {
      const [counted] = await database.write(
        sql`INSERT INTO ticket_uses (workspace_id, ticket_id, failed_openings, expires_at)
          VALUES (${used.workspaceId}, ${idOf(used)}, 1, ${steadyTimeIn(database, REMEMBERED_MS)})
          ON CONFLICT (workspace_id, ticket_id)
          DO UPDATE SET expires_at = excluded.expires_at,
            failed_openings = CASE WHEN ticket_uses.expires_at > ${database.steadyTime()} THEN ticket_uses.failed_openings ELSE 0 END + 1
          RETURNING failed_openings`,
      );
      return rowsOf(counted, Failed)[0]?.failed_openings === MOST_FAILED;
    },
    async claimSending(used, onceInMs) {
      const [claimed] = await database.write(
        sql`INSERT INTO ticket_uses (workspace_id, ticket_id, failed_openings, sent_until, expires_at)
          VALUES (${used.workspaceId}, ${idOf(used)}, 0, ${steadyTimeIn(database, onceInMs)},
            ${steadyTimeIn(database, REMEMBERED_MS)})
          ON CONFLICT (workspace_id, ticket_id)
          DO UPDATE SET sent = NULL, sent_until = excluded.sent_until, expires_at = excluded.expires_at
          WHERE ticket_uses.sent_until IS NULL OR ticket_uses.sent_until <= ${database.steadyTime()}`,
      );
      return hasChanged(claimed);
    },
    async recordSending(used, outcome) {
      await database.write(
        sql`UPDATE ticket_uses SET sent = ${outcome} WHERE ${alive(used.workspaceId, idOf(used))}`,
      );
    },
    async sendingOf(used) {
      const [row] = await database.read(
        sql`SELECT sent FROM ticket_uses WHERE ${alive(used.workspaceId, idOf(used))}`,
        Sent,
      );
      return row?.sent ?? undefined;
    },
  };
}
