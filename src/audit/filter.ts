import { all, list, sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { AuditEntry } from './audit.ts';

/** Which entries to find: those that match every list. An empty list matches all. */
export interface AuditFilter {
  readonly userIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly visitorIds: readonly string[];
  readonly actions: readonly AuditEntry['action'][];
  readonly since: Date | undefined;
}

/** A place between two entries, newest first: everything older than it is still to come. */
export interface Position {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: number;
}

interface Search {
  readonly workspaceId: string;
  readonly filter: AuditFilter;
  readonly from: Position;
  /** Only what is newer than this, in milliseconds since 1970. */
  readonly after: number;
  /** At most this many matches. */
  readonly limit: number;
}

/** How many entries one statement reads when a filter rejects some of what its index finds. */
const STEP = 1_000;

interface Condition {
  readonly column: Sql;
  readonly values: readonly string[];
}

/** The filter's conditions, the most selective first: its index is the one to read by. */
const conditionsOf = ({ visitorIds, userIds, channelIds, actions }: AuditFilter): readonly Condition[] =>
  [
    { column: sql`visitor_id`, values: visitorIds },
    { column: sql`user_id`, values: userIds },
    { column: sql`channel_id`, values: channelIds },
    { column: sql`action`, values: actions },
  ]
    .map(({ column, values }) => ({ column, values: [...new Set(values)] }))
    .filter(({ values }) => values.length > 0);

/** Whether one statement finds enough, because its index alone decides. */
const isOneStep = (filter: AuditFilter): boolean => conditionsOf(filter).length <= 1;

/**
 * Reads one step of entries, newest first: the matches, with `is_wanted` 1, and always the last entry looked at.
 * `looked_at` is how many entries were looked at: a full step if there may be more.
 *
 * Each value of the first condition is read by its own index, one step at most. So a statement never reads more than
 * that, however long the audit is and however far back the matches are.
 */
export function searchStatement({ workspaceId, filter, from, after, limit }: Search): Sql {
  const [first, ...others] = conditionsOf(filter);
  const step = isOneStep(filter) ? limit : STEP;
  const since = Math.max(after + 1, filter.since?.getTime() ?? 0);
  const newestBy = (condition: Sql) => sql`SELECT * FROM (
    SELECT id, at, user_id, channel_id, visitor_id, action, outcome, detail FROM audit
    WHERE workspace_id = ${workspaceId} AND at >= ${since} AND (at, id) < (${from.at}, ${from.id}) AND ${condition}
    ORDER BY at DESC, id DESC LIMIT ${step}) AS by_index`;
  const pieces = first?.values.map((value) => newestBy(sql`${first.column} = ${value}`)) ?? [
    newestBy(sql`at > 0`),
  ];
  const together = pieces.reduce((before, piece) => sql`${before} UNION ALL ${piece}`);
  const isWanted = all(
    others.map(({ column, values }) => sql`${column} IN (${list(values.map((value) => sql`${value}`))})`),
  );
  return sql`WITH looked_at AS (
      SELECT * FROM (${together}) AS found ORDER BY at DESC, id DESC LIMIT ${step})
    SELECT *, CASE WHEN ${isWanted} THEN 1 ELSE 0 END AS is_wanted,
      (SELECT count(*) FROM looked_at) AS looked_at
    FROM looked_at
    WHERE ${isWanted} OR id = (SELECT id FROM looked_at ORDER BY at, id LIMIT 1)
    ORDER BY at DESC, id DESC LIMIT ${limit}`;
}

/** Whether a statement that looked at this many entries reached the end. */
export const isLast = (filter: AuditFilter, limit: number, lookedAt: number): boolean =>
  lookedAt < (isOneStep(filter) ? limit : STEP);
