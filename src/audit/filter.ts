import { all, list, sql } from '../database/database.ts';
import type { Sql } from '../database/database.ts';
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

/** What entries must have in one column: one of these values. */
export interface Condition {
  readonly column: Sql;
  readonly values: readonly string[];
}

/** One step of a search. */
export interface Search {
  readonly workspaceId: string;
  /** The entries of the first are looked at, by its index; the others are checked. */
  readonly conditions: readonly Condition[];
  /** Only what is as new as this, in milliseconds since 1970. */
  readonly since: number;
  readonly from: Position;
  /** Look at so many entries at most. */
  readonly most: number;
}

/** The filter's conditions, as a rule the most selective first. */
export const conditionsOf = ({
  visitorIds,
  userIds,
  channelIds,
  actions,
}: AuditFilter): readonly Condition[] =>
  [
    { column: sql`visitor_id`, values: visitorIds },
    { column: sql`user_id`, values: userIds },
    { column: sql`channel_id`, values: channelIds },
    { column: sql`action`, values: actions },
  ]
    .map(({ column, values }) => ({ column, values: [...new Set(values)] }))
    .filter(({ values }) => values.length > 0);

const isWithin = ({ workspaceId, since, from }: Search): Sql =>
  sql`workspace_id = ${workspaceId} AND at >= ${since} AND (at, id) < (${from.at}, ${from.id})`;

const isOneOf = ({ column, values }: Condition): Sql =>
  sql`${column} IN (${list(values.map((value) => sql`${value}`))})`;

/** The newest entries that fit, one step at most. */
const newestBy = (search: Search, condition: Sql): Sql =>
  sql`SELECT * FROM (
    SELECT id, at, user_id, channel_id, visitor_id, action, outcome, detail FROM audit
    WHERE ${isWithin(search)} AND ${condition} ORDER BY at DESC, id DESC LIMIT ${search.most}) AS by_index`;

/** The same for each value of a condition, by its own index. */
const newestOfEach = (search: Search, { column, values }: Condition): Sql =>
  values
    .map((value) => newestBy(search, sql`${column} = ${value}`))
    .reduce((before, piece) => sql`${before} UNION ALL ${piece}`);

/** Counts the entries that a step by this condition would look at. */
export const countStatement = (search: Search, condition: Condition): Sql =>
  sql`SELECT count(*) AS entries FROM (${newestOfEach(search, condition)}) AS found`;

/**
 * Reads one step of entries, newest first: the matches, with `is_wanted` 1, and always the last entry looked at.
 * `looked_at` is how many entries were looked at: a full step if there may be more.
 *
 * Each value of the first condition is read by its own index, one step at most. So a statement never reads more than
 * that, however long the audit is and however far back the matches are.
 *
 * @param limit at most this many matches
 */
export function searchStatement(search: Search, limit: number): Sql {
  const [first, ...others] = search.conditions;
  const together = first === undefined ? newestBy(search, sql`at > 0`) : newestOfEach(search, first);
  const isWanted = all(others.map((other) => isOneOf(other)));
  return sql`WITH looked_at AS (
      SELECT * FROM (${together}) AS found ORDER BY at DESC, id DESC LIMIT ${search.most})
    SELECT *, CASE WHEN ${isWanted} THEN 1 ELSE 0 END AS is_wanted,
      (SELECT count(*) FROM looked_at) AS looked_at
    FROM looked_at
    WHERE ${isWanted} OR id = (SELECT id FROM looked_at ORDER BY at, id LIMIT 1)
    ORDER BY at DESC, id DESC LIMIT ${limit}`;
}
