import { z } from 'zod';
import { countBy, join, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import type { Trouble } from '../messages/delivery-words.ts';
import { refusedTokens } from '../workspaces/holds.ts';
import { kindOf } from '../messages/slack-codes.ts';
import { LOSSES } from './delivery.ts';
import type { Refusal } from './transport.ts';

/** How long a failed delivery can still be retried. */
export const FAILED_KEPT_MS = 30 * 24 * 60 * 60_000;
export const isRetriable = (time: number): Sql =>
  sql`state = 'failed' AND settled_at > ${time - FAILED_KEPT_MS}`;
/** Counting stops here: no one needs the exact number. */
const MOST_COUNTED = 1_000;

export interface Oldest {
  readonly id: string;
  readonly since: number;
  /** Nothing has failed, and its channel accepts posts. */
  readonly isInTurn: boolean;
}

export type Overview = ReturnType<typeof createOverview>;

const OldestRow = rowOf({
  id: z.string(),
  acceptedAt: z.number(),
  reason: z.string().optional(),
  openAt: z.number().default(0),
  heldUntil: z.number().optional(),
});

const TroubledRow = rowOf({
  id: z.string(),
  /** The channel or person it goes to. */
  to: z.string(),
  reason: z.string(),
  neededScope: z.string().optional(),
  /** Times are milliseconds since 1970. */
  acceptedAt: z.number(),
  attempts: z.number(),
  nextAt: z.number(),
  /** Undefined while it waits. */
  failedAt: z.number().optional(),
  /** Undefined for a digest, like the agent's. */
  visitorId: z.string().optional(),
  userId: z.string().optional(),
  /** Whether whoever watched has it as a direct message instead. */
  isWithAgent: z.number().transform((is) => is === 1),
}).transform(({ visitorId, userId, ...row }) => ({
  ...row,
  trouble: troubleOf(row),
  about: visitorId === undefined || userId === undefined ? undefined : { visitorId, userId },
}));

export type TroubledDelivery = Readonly<z.infer<typeof TroubledRow>>;

const troubledColumns = sql`d.id, d.channel_id AS "to", d.reason, d.needed_scope, d.accepted_at, d.attempts,
  d.due_at AS next_at, d.settled_at AS failed_at, e.visitor_id, e.user_id, CASE WHEN EXISTS (SELECT 1 FROM deliveries AS told
    WHERE told.workspace_id = d.workspace_id AND told.dedupe_key = 'notice of ' || d.id AND told.state = 'posted')
    THEN 1 ELSE 0 END AS is_with_agent FROM deliveries AS d LEFT JOIN session_ends AS e ON e.id = d.session_end_id`;

/** The first condition is the indexes'. */
const isShown = sql`d.kind NOT IN ('card', 'update') AND d.kind IN (${join(LOSSES)})`;

interface OverviewParts {
  readonly database: Pick<Database, 'read'>;
  /** Between two posts in one channel. */
  readonly paceMs: number;
  readonly now: () => number;
}

export function createOverview({ database, paceMs, now }: OverviewParts) {
  function unsettled(workspaceId: string | undefined): Sql {
    const isUnsettled = sql`d.settled_at IS NULL AND d.accepted_at > 0 AND ${isShown}`;
    // Where the app was removed it waits for days, for nobody.
    return workspaceId === undefined
      ? sql`${isUnsettled} AND d.workspace_id NOT IN (SELECT id FROM workspaces WHERE gone_at IS NOT NULL)`
      : sql`${isUnsettled} AND d.workspace_id = ${workspaceId}`;
  }

  const count = (query: Sql) => countBy(database, query);
  const isTroubled = sql`${isShown} AND d.settled_at IS NULL AND d.reason IS NOT NULL`;

  return {
    waiting: (workspaceId?: string) =>
      count(sql`SELECT COUNT(*) AS count FROM deliveries AS d WHERE ${unsettled(workspaceId)}`),
    refusedTokens: () => count(refusedTokens),
    waitingSince: (time: number, workspaceId?: string) =>
      count(
        sql`SELECT COUNT(*) AS count FROM deliveries AS d
          WHERE d.accepted_at <= ${time} AND ${unsettled(workspaceId)}`,
      ),
    async oldest(workspaceId?: string): Promise<Oldest | undefined> {
      const [row] = await database.read(
        sql`SELECT d.id, d.accepted_at, d.reason, c.open_at, w.held_until FROM deliveries AS d
          LEFT JOIN channels AS c ON c.workspace_id = d.workspace_id AND c.channel_id = d.channel_id
          LEFT JOIN workspaces AS w ON w.id = d.workspace_id
          WHERE ${unsettled(workspaceId)} ORDER BY d.accepted_at LIMIT 1`,
        OldestRow,
      );
      if (row === undefined) return undefined;
      const isOpen = row.openAt <= now() + paceMs && row.heldUntil === undefined;
      return { id: row.id, since: row.acceptedAt, isInTurn: row.reason === undefined && isOpen };
    },
    async inTrouble(workspaceId?: string): Promise<{ readonly waiting: number; readonly failed: number }> {
      const inWorkspace = workspaceId === undefined ? sql`1 = 1` : sql`workspace_id = ${workspaceId}`;
      const [waiting, failed] = await Promise.all([
        count(sql`SELECT COUNT(*) AS count FROM deliveries AS d WHERE ${isTroubled} AND ${inWorkspace}`),
        count(sql`SELECT COUNT(*) AS count FROM deliveries WHERE ${isRetriable(now())} AND ${inWorkspace}`),
      ]);
      return { waiting, failed };
    },
    /**
     * The failed ones, oldest first, so that one that fails again comes last; then those waiting after a failure.
     *
     * @returns also how many are left
     */
    async list(workspaceId: string, limit: number) {
      const most = limit + MOST_COUNTED;
      const waiting = await database.read(
        sql`SELECT ${troubledColumns} WHERE d.workspace_id = ${workspaceId} AND ${isTroubled} ORDER BY d.accepted_at, d.id LIMIT ${most}`,
        TroubledRow,
      );
      const failed = await database.read(
        sql`SELECT ${troubledColumns} WHERE d.workspace_id = ${workspaceId} AND d.state = 'failed'
          AND d.settled_at > ${now() - FAILED_KEPT_MS} ORDER BY d.settled_at, d.id LIMIT ${most}`,
        TroubledRow,
      );
      const all = [...failed, ...waiting];
      return { entries: all.slice(0, limit), more: Math.min(MOST_COUNTED, Math.max(0, all.length - limit)) };
    },
  };
}

export const troubleOf = ({ reason, neededScope }: Refusal): Trouble => ({
  kind: kindOf(reason),
  code: reason,
  neededScope,
});

export const LATE_AFTER_MS = 60_000;
