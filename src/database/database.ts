import type { Histogram } from 'prom-client';
import makeSql, { Sql, join as joinParts } from 'sql-template-tag';
import { z } from 'zod';
import { DatabaseError } from './errors.ts';

export { Sql };

/**
 * A value in a statement. Times are whole milliseconds since 1970; yes and no are 1 and 0, on both engines. In text, NUL and
 * half a surrogate pair become U+FFFD.
 */
export type SqlValue = string | number | null;
type Values = readonly (SqlValue | Sql)[];

/**
 * A statement, or a part of one, with its values kept apart: sql`SELECT name FROM people WHERE id = ${id}`. A part can take
 * a value's place in another statement. The engine puts its placeholders in.
 */
export const sql: (literals: TemplateStringsArray, ...inserted: Values) => Sql = makeSql;

/** Values or parts, with commas or something else between them. @throws TypeError if there are none */
export const join: (pieces: Values, between?: string) => Sql = joinParts;

/** Whether a column has none of these values; all the rest, and any if there are none. */
export const isNoneOf = (column: Sql, values: readonly string[]): Sql =>
  values.length === 0 ? sql`1 = 1` : sql`${column} NOT IN (${join(values)})`;

export interface Written {
  /** How many rows it inserted, changed or removed. */
  readonly changed: number;
  /** The rows of its RETURNING, as the database returned them: `rowsOf` parses them. */
  readonly returned: readonly unknown[];
}

/**
 * Continues a write, knowing what its first statements did. It may be called again, for a transaction that is repeated
 * because it collided with another one. If it throws, nothing is written.
 */
export type Next = (written: readonly Written[]) => readonly Sql[] | undefined;

/** How a database is opened. */
export interface Opening {
  /** Whether steps may be run after which the program before can't work with the tables. */
  readonly mayBeOneWay?: boolean;
  /** How long each read and write takes, failed ones too. */
  readonly took?: Pick<Histogram<'what'>, 'startTimer'>;
}

/** What `notify` tells. */
export interface Hint {
  readonly topic: string;
  readonly text: string;
}

/**
 * The app's tables, in SQLite or PostgreSQL, with the same statements on both. Everything rejects with a DatabaseError.
 *
 * Every change of state is one conditional statement, or one write of several: nothing is read, thought about, and
 * written back. What resolved is durable.
 */
export interface Database {
  read<Row>(query: Sql, row: z.ZodType<Row>): Promise<readonly Row[]>;
  /** Runs all statements in order, in one transaction, and returns what each did. */
  write(...statements: readonly Sql[]): Promise<readonly Written[]>;
  /**
   * The same, and then runs the statements that `next` returns, in the same transaction. If it returns undefined, nothing
   * is written and the result is undefined.
   */
  writeThen(statements: readonly Sql[], next: Next): Promise<readonly Written[] | undefined>;
  /** `writeThen`, but only if the first statement changes a row. */
  writeIf(condition: Sql, ...statements: readonly Sql[]): Promise<readonly Written[] | undefined>;
  /** `write`, and `notify` once it's committed: a server is told of both in one go. */
  writeAndNotify(hint: Hint, ...statements: readonly Sql[]): Promise<readonly Written[]>;
  /**
   * Ends a SELECT inside a statement that claims rows, so that two processes never wait for each other: `FOR UPDATE
   * SKIP LOCKED` in PostgreSQL, nothing in SQLite, which has one writer.
   */
  readonly skipLocked: Sql;
  /**
   * The time that claims go by, for use in a statement: whole milliseconds since some moment, the same in all
   * processes. It keeps running whatever a process's clock is set to.
   */
  steadyTime(): Sql;
  /**
   * Tells all processes, including this one, that something changed. It's a hint that may get lost: the tables are the
   * truth. We choose the topics; the text is at most a few hundred characters.
   */
  notify(topic: string, text: string): void;
  /** @returns a function that stops listening */
  listen(topic: string, heard: (text: string) => void): () => void;
  /**
   * Whether what is told so arrives, found out by telling itself, for up to three seconds. Behind a connection pooler in
   * transaction mode nothing does.
   */
  hears(): Promise<boolean>;
  /**
   * The same tables for what nobody waits for, like sweeps, digests and files: however much of it there is, and however long it
   * takes, people, Slack and webhooks don't wait for it. On a server it has connections of its own.
   */
  inBackground(): Database;
  /** Checks that the database can be written to; rejects if it can't. */
  check(): Promise<void>;
  /**
   * Finishes the writes already started, then closes. Anything later rejects as `closed`; a second call does nothing.
   */
  close(): Promise<void>;
}

/** For a query that only asks whether there is a row. */
export const AnyRow = z.unknown();

/** Parses rows by their schema. @throws DatabaseError `corrupt` for a row that doesn't fit */
export function parseRows<Row>(rows: readonly unknown[], row: z.ZodType<Row>): readonly Row[] {
  return rows.map((found) => {
    const parsed = row.safeParse(found);
    if (!parsed.success) throw new DatabaseError('corrupt', parsed.error);
    return parsed.data;
  });
}

/** The rows that a statement of a write returned. @throws DatabaseError `corrupt` for a row that doesn't fit */
export const rowsOf = <Row>(written: Written | undefined, row: z.ZodType<Row>): readonly Row[] =>
  parseRows(written?.returned ?? [], row);

export const hasChanged = (written: Written | undefined): boolean => (written?.changed ?? 0) > 0;

/** An engine's `writeIf`, from its `writeThen`. */
export const writeIfWith =
  (writeThen: Database['writeThen']): Database['writeIf'] =>
  (condition, ...statements) =>
    writeThen([condition], ([first]) => (hasChanged(first) ? statements : undefined));

export type SteadyTime = Pick<Database, 'steadyTime'>;

/** The steady time so many milliseconds from now; before now where they're negative. */
export const steadyTimeIn = ({ steadyTime }: SteadyTime, ms: number): Sql =>
  sql`${steadyTime()} + CAST(${ms} AS BIGINT)`;

/** Further than a clock is set back by mistake. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** For the `expires_at` of what must not be used again; `good_until` has the time when it has expired by the clock. */
export const keptUntil = (database: SteadyTime): Sql => steadyTimeIn(database, KEPT_MS);

/**
 * Whether such a row can be removed. What it keeps from being used goes by the clock, so it's over by the clock; and 24
 * hours have passed by the time that nobody sets, since after a clock is set back the same press or ticket may be good
 * again. One from before the machine was restarted, where that time begins anew, goes by the clock alone: it would be
 * kept for as long as the machine ran before.
 *
 * @param until some time ago, so that a clock that is ahead removes nothing
 */
export const isOver = (steady: SteadyTime, until: number): Sql =>
  sql`good_until <= ${until}
    AND (expires_at <= ${steady.steadyTime()} OR expires_at > ${steadyTimeIn(steady, 2 * KEPT_MS)})`;
