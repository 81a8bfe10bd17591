import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { join, parseRows, sql, type Database, type Sql } from './database.ts';

/** How many rows one statement looks at, at most, if a filter rejects some of what its index finds. */
const LONGEST_STEP = 1_000;
/** How much longer each step is than the one before. */
const GROWTH = 4;
/** A filter that matches almost nothing stops after this many statements, and the answer says how far back it got. */
const MOST_STEPS = 50;
/** Rows per read for a file. */
const PAGE = 500;

/** A table whose rows are listed newest first: by a time, and by `id` within it. Every row has a `workspace_id`. */
export interface Listed<Row> {
  readonly table: Sql;
  /** The column of the time, milliseconds since 1970. */
  readonly at: Sql;
  /** What is read of a row beside `id` and `at`. Conditions can ask only for these. */
  readonly columns: Sql;
  /** Holds for every row, and leads to the index by time where there is no condition. */
  readonly every: Sql;
  readonly row: z.ZodType<Row>;
}

/** A place between two rows, newest first: everything older than it is still to come. */
export interface Position<Id extends number | string> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: Id;
}

/** What a row must be: one of these, of which no two can hold for the same row, each with an index that ends in the time. */
export type Condition = readonly Sql[];

/** That a column has one of these values; undefined if any will do. */
export const isOneOf = (column: Sql, values: readonly string[]): Condition | undefined =>
  values.length === 0 ? undefined : [...new Set(values)].map((value) => sql`${column} = ${value}`);

/** What to look for. */
interface Search<Id extends number | string> {
  readonly workspaceId: string;
  /** All must hold: as a rule, first the one with the fewest rows. */
  readonly conditions: readonly Condition[];
  /** Only what is as new as this, milliseconds since 1970. */
  readonly since: number;
  readonly from: Position<Id>;
}

const eitherOf = (condition: Condition): Sql => sql`(${join(condition, ' OR ')})`;

const numberOf = (condition: Sql): Sql => sql`COALESCE(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0)`;

type Reading = Pick<Database, 'read'>;

const Count = z.object({ rows: z.number() });
const Tally = z.object({ wanted: z.number(), apart: z.number(), looked_at: z.number() });

/**
 * Searches a table's rows newest first. Each value of one condition is read by its own index, and the others are checked, a
 * thousand rows a statement at most: so no statement reads more than that, however long the table is and however far back the
 * matches are.
 */
export function createNewestFirst<Row, Id extends number | string>(
  database: Pick<Database, 'read' | 'inBackground'>,
  { table, at, columns, every, row, id: Id }: Listed<Row> & { readonly id: z.ZodType<Id> },
) {
  const Step = z.looseObject({ id: Id, at: z.number(), is_wanted: z.number(), looked_at: z.number() });

  /** The newest rows that fit, one step at most. */
  const newestBy = ({ workspaceId, since, from }: Search<Id>, condition: Sql, most: number): Sql =>
    sql`SELECT * FROM (
      SELECT id, ${at} AS at, ${columns} FROM ${table}
      WHERE workspace_id = ${workspaceId} AND ${at} >= ${since} AND (${at}, id) < (${from.at}, ${from.id})
        AND ${condition} ORDER BY ${at} DESC, id DESC LIMIT ${most}) AS by_index`;

  /** The same for each alternative of a condition, by its own index. */
  const newestOfEach = (search: Search<Id>, condition: Condition, most: number): Sql =>
    join(
      condition.map((one) => newestBy(search, one, most)),
      ' UNION ALL ',
    );

  /** One step of rows: those of the first condition. */
  const stepOf = (search: Search<Id>, most: number): Sql =>
    sql`SELECT * FROM (${newestOfEach(search, search.conditions[0] ?? [every], most)}) AS found
      ORDER BY at DESC, id DESC LIMIT ${most}`;

  const isWantedIn = ({ conditions }: Search<Id>): Sql =>
    join([sql`1 = 1`, ...conditions.slice(1).map(eitherOf)], ' AND ');

  /**
   * Reads one step of rows, newest first: the matches, with `is_wanted` 1, and always the last row looked at. `looked_at` is
   * how many rows were looked at: a full step if there may be more.
   *
   * @param limit at most this many matches
   */
  function searchStatement(search: Search<Id>, most: number, limit: number): Sql {
    const isWanted = isWantedIn(search);
    return sql`WITH looked_at AS (${stepOf(search, most)})
      SELECT *, CASE WHEN ${isWanted} THEN 1 ELSE 0 END AS is_wanted,
        (SELECT count(*) FROM looked_at) AS looked_at
      FROM looked_at
      WHERE ${isWanted} OR id = (SELECT id FROM looked_at ORDER BY at, id LIMIT 1)
      ORDER BY at DESC, id DESC LIMIT ${limit}`;
  }

  /** The same search with the condition first that has the fewest rows, as far as one step can tell. */
  async function rarestFirst(reading: Reading, search: Search<Id>, most: number): Promise<Search<Id>> {
    const counted = search.conditions.map(async (condition) => {
      const [found] = await reading.read(
        sql`SELECT count(*) AS rows FROM (${newestOfEach(search, condition, most)}) AS found`,
        Count,
      );
      return { condition, rows: found?.rows ?? 0 };
    });
    const sorted = (await Promise.all(counted)).toSorted((one, other) => one.rows - other.rows);
    return { ...search, conditions: sorted.map(({ condition }) => condition) };
  }

  /**
   * At most `limit` rows, and where the older ones start; undefined if there aren't any. It may return few or none along with
   * a `next`, if the search was cut short because so little matches.
   */
  async function page(
    reading: Reading,
    search: Search<Id>,
    limit: number,
  ): Promise<{ readonly found: readonly Row[]; readonly next: Position<Id> | undefined }> {
    const wanted: z.infer<typeof Step>[] = [];
    const pageOf = (next: Position<Id> | undefined) => ({
      found: parseRows(wanted.slice(0, limit), row),
      next: next && { at: next.at, id: next.id },
    });
    // One more than we show, to know whether there are more. As many rows are enough if all of them match.
    let most = limit + 1;
    let rest = search;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      // SQLite answers without ever yielding, so let the rest of the process run in between.
      if (step > 0) await setImmediate();
      if (step > 0 && most < LONGEST_STEP) {
        most = Math.min(most * GROWTH, LONGEST_STEP);
        rest = await rarestFirst(reading, rest, most);
      }
      const rows = await reading.read(searchStatement(rest, most, limit + 1), Step);
      wanted.push(...rows.filter(({ is_wanted: isWanted }) => isWanted === 1));
      if (wanted.length > limit) return pageOf(wanted[limit - 1]);
      const end = rows.at(-1);
      if (end === undefined || end.looked_at < most) return pageOf(undefined);
      rest = { ...rest, from: { at: end.at, id: end.id } };
    }
    return pageOf(rest.from);
  }

  return {
    page: (search: Search<Id>, limit: number) => page(database, search, limit),
    /** All of them, page by page, in the background; stops reading when the reader has enough. */
    async *read(search: Search<Id>): AsyncGenerator<Row> {
      for (let next: Position<Id> | undefined = search.from; next !== undefined;) {
        const found = await page(database.inBackground(), { ...search, from: next }, PAGE);
        yield* found.found;
        next = found.next;
        await setImmediate();
      }
    },
    /**
     * Counts the matches among the newest rows, and those of them that are counted apart.
     *
     * @returns `isAll` if no row is older than those looked at
     */
    async count(search: Search<Id>, apart: Sql) {
      const rarest = await rarestFirst(database, search, LONGEST_STEP);
      const isWanted = isWantedIn(rarest);
      const [tally] = await database.read(
        sql`SELECT ${numberOf(isWanted)} AS wanted, ${numberOf(sql`${isWanted} AND ${apart}`)} AS apart,
          count(*) AS looked_at FROM (${stepOf(rarest, LONGEST_STEP)}) AS looked_at`,
        Tally,
      );
      const { wanted = 0, apart: counted = 0, looked_at: lookedAt = 0 } = tally ?? {};
      return { others: wanted - counted, apart: counted, isAll: lookedAt < LONGEST_STEP };
    },
  };
}
