import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { join, parseRows, sql, type Database, type Sql } from './database.ts';

const MOST_COUNTED = 1_000;
const PAGE = 500;

/** Listed newest first: by a time, and by `id` within it. Every row has a `workspace_id`. */
export interface Listed<Row> {
  readonly table: Sql;
  /** Milliseconds since 1970. */
  readonly at: Sql;
  /** Beside `id` and `at`. Conditions can ask only for these. */
  readonly columns: Sql;
  /** Holds for every row, and leads to the index by time where there is no condition. */
  readonly every: Sql;
  readonly row: z.ZodType<Row>;
}

/** A place between two rows: everything older than it is still to come. */
export interface Position<Id extends number | string> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: Id;
}

interface ListedBy<Id extends number | string> {
  readonly id: z.ZodType<Id>;
  /** Where everything older than this time is still to come. */
  readonly before: (time: number) => Position<Id>;
}

/** A row must be one of these, of which no two can hold for the same row, each with an index that ends in the time. */
export type Condition = readonly Sql[];

/** Undefined if any value will do. */
export const isOneOf = (column: Sql, values: readonly string[]): Condition | undefined =>
  values.length === 0 ? undefined : [...new Set(values)].map((value) => sql`${column} = ${value}`);

interface Search<Id extends number | string> {
  readonly workspaceId: string;
  /** All that are given must hold. The first leads to the rows: as a rule the one that the fewest have. */
  readonly conditions: readonly (Condition | undefined)[];
  /** Only what is as new as this, milliseconds since 1970. */
  readonly since: number;
  /** Only what is older than this, if it's given. */
  readonly until: Date | undefined;
  readonly from: Position<Id>;
}

const eitherOf = (condition: Condition): Sql => sql`(${join(condition, ' OR ')})`;

type Reading = Pick<Database, 'read'>;

const Tally = z.object({ found: z.number(), apart: z.number() });

/** Each value of the first condition is searched by its own index, where the others are checked. */
export function createNewestFirst<Row, Id extends number | string>(
  database: Pick<Database, 'read' | 'inBackground'>,
  { table, at, columns, every, row, id: Id, before }: Listed<Row> & ListedBy<Id>,
) {
  const Place = z.looseObject({ id: Id, at: z.number() });

  function newest({ workspaceId, conditions, since, until, from }: Search<Id>, limit: number): Sql {
    const [first = [every], ...others] = conditions.filter((condition) => condition !== undefined);
    const start = until !== undefined && until.getTime() < from.at ? before(until.getTime()) : from;
    const rest = join([sql`1 = 1`, ...others.map(eitherOf)], ' AND ');
    const byIndex = first.map(
      (one) => sql`SELECT * FROM (
        SELECT id, ${at} AS at, ${columns} FROM ${table}
        WHERE workspace_id = ${workspaceId} AND ${at} >= ${since} AND (${at}, id) < (${start.at}, ${start.id})
          AND ${one} AND ${rest} ORDER BY ${at} DESC, id DESC LIMIT ${limit}) AS by_index`,
    );
    return sql`SELECT * FROM (${join(byIndex, ' UNION ALL ')}) AS found ORDER BY at DESC, id DESC LIMIT ${limit}`;
  }

  /** `next` is undefined if there are no older ones. */
  async function page(
    reading: Reading,
    search: Search<Id>,
    limit: number,
  ): Promise<{ readonly found: readonly Row[]; readonly next: Position<Id> | undefined }> {
    const rows = await reading.read(newest(search, limit + 1), Place);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      found: parseRows(rows.slice(0, limit), row),
      next: last && { at: last.at, id: last.id },
    };
  }

  return {
    page: (search: Search<Id>, limit: number) => page(database, search, limit),
    /** All, page by page, in the background; stops reading when the reader has enough. */
    async *read(search: Search<Id>): AsyncGenerator<Row> {
      for (let next: Position<Id> | undefined = search.from; next !== undefined;) {
        const found = await page(database.inBackground(), { ...search, from: next }, PAGE);
        yield* found.found;
        next = found.next;
        // SQLite answers without ever yielding.
        await setImmediate();
      }
    },
    /** Counts the newest matches, and those of them that are counted apart. `isAll` if there are no more. */
    async count(search: Search<Id>, apart: Sql) {
      const [tally] = await database.read(
        sql`SELECT count(*) AS found, COALESCE(SUM(CASE WHEN ${apart} THEN 1 ELSE 0 END), 0) AS apart
          FROM (${newest(search, MOST_COUNTED)}) AS newest`,
        Tally,
      );
      const { found = 0, apart: counted = 0 } = tally ?? {};
      return { others: found - counted, apart: counted, isAll: found < MOST_COUNTED };
    },
  };
}
