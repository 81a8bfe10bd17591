import type { Histogram } from 'prom-client';
import makeSql, { Sql, join as joinParts } from 'sql-template-tag';
import { z } from 'zod';

export { Sql };

/** Times are whole milliseconds since 1970; yes and no are 1 and 0. In text, NUL and half a surrogate pair become U+FFFD. */
export type SqlValue = string | number | null;
type Values = readonly (SqlValue | Sql)[];

/** A statement, or a part of one, which can take a value's place in another: sql`SELECT name FROM people WHERE id = ${id}`. */
export const sql: (literals: TemplateStringsArray, ...inserted: Values) => Sql = makeSql;

/** Values or parts, with commas or something else between them. @throws TypeError if there are none */
export const join: (pieces: Values, between?: string) => Sql = joinParts;

/** Whether a column has none of these values; true if there are none. */
export const isNoneOf = (column: Sql, values: readonly string[]): Sql =>
  values.length === 0 ? sql`1 = 1` : sql`${column} NOT IN (${join(values)})`;

export interface Written {
  /** How many rows it inserted, changed or removed. */
  readonly changed: number;
  /** The rows of its RETURNING; `rowsOf` parses them. */
  readonly returned: readonly unknown[];
}

/**
 * Continues a write, knowing what its first statements did. Called again where a transaction collided with another one and is
 * repeated. If it throws, nothing is written.
 */
export type Next = (written: readonly Written[]) => readonly Sql[] | undefined;

export interface Opening {
  /** Whether steps may be run after which the program before can't work with the tables. */
  readonly mayBeOneWay?: boolean;
  /** How long each read and write takes, failed ones too. */
  readonly took?: Pick<Histogram<'what'>, 'startTimer'>;
}

/**
 * The app's tables, with the same statements on both engines. Everything rejects with a DatabaseError; what resolved is
 * durable. Every change of state is one conditional statement, or one write of several: nothing is read, thought about, and
 * written back.
 */
export interface Database {
  read<Row>(query: Sql, row: z.ZodType<Row>): Promise<readonly Row[]>;
  /** Runs all statements in order, in one transaction. */
  write(...statements: readonly Sql[]): Promise<readonly Written[]>;
  /** The same, then what `next` returns, in the same transaction; where that's undefined, nothing is written. */
  writeThen(statements: readonly Sql[], next: Next): Promise<readonly Written[] | undefined>;
  /** `writeThen`, but only if the first statement changes a row. */
  writeIf(condition: Sql, ...statements: readonly Sql[]): Promise<readonly Written[] | undefined>;
  /** Ends a SELECT inside a statement that claims rows, so that two processes never wait for each other. */
  readonly skipLocked: Sql;
  /** The time that claims go by: milliseconds since some moment, the same in all processes, whatever their clocks are set to. */
  steadyTime(): Sql;
  /** Tells all processes, this one too, that something changed: a hint that may get lost. At most a few hundred characters. */
  notify(topic: string, text: string): void;
  /** @returns a function that stops listening */
  listen(topic: string, heard: (text: string) => void): () => void;
  /** The same tables for what nobody waits for, like sweeps, digests and files. On a server it has connections of its own. */
  inBackground(): Database;
  /** Checks that the database can be written to; rejects if it can't. */
  check(): Promise<void>;
  /** Finishes the writes already started, then closes. Anything later rejects as `closed`; a second call does nothing. */
  close(): Promise<void>;
}

const inCamelCase = (column: string) =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const named = (row: unknown) =>
  Object.fromEntries(
    Object.entries(row ?? {}).map(([column, value]) => [inCamelCase(column), value ?? undefined]),
  );

/** Reads a row by its columns' names in camel case: `user_id` as `userId`. NULL is undefined. */
export const rowOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess(named, z.object(shape));

/** A text of JSON, as a column has it. */
export const jsonOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

/** A column of milliseconds since 1970. */
export const timeOf = z.number().transform((at) => new Date(at));

export const AnyRow = z.unknown();

const Count = z.object({ count: z.number() });

/** @param query selects a number as `count` */
export async function countBy(database: Pick<Database, 'read'>, query: Sql): Promise<number> {
  const [row] = await database.read(query, Count);
  return row?.count ?? 0;
}

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

export const writeIfWith =
  (writeThen: Database['writeThen']): Database['writeIf'] =>
  (condition, ...statements) =>
    writeThen([condition], ([first]) => (hasChanged(first) ? statements : undefined));

export type SteadyTime = Pick<Database, 'steadyTime'>;

/** Negative: before now. */
export const steadyTimeIn = ({ steadyTime }: SteadyTime, ms: number): Sql =>
  sql`${steadyTime()} + CAST(${ms} AS BIGINT)`;

/** Further than a clock is set back by mistake. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** For the `expires_at` of what must not be used again; `good_until` has the time when it has expired by the clock. */
export const keptUntil = (database: SteadyTime): Sql => steadyTimeIn(database, KEPT_MS);

/**
 * Whether such a row can be removed: when it's over by the clock, and 24 hours have passed by the steady time, since after a
 * clock is set back the same press or ticket may be good again. One from before the machine was restarted, where steady time
 * begins anew, goes by the clock alone: it would be kept for as long as the machine ran before.
 *
 * @param until some time ago, so that a clock that is ahead removes nothing
 */
export const isOver = (steady: SteadyTime, until: number): Sql =>
  sql`good_until <= ${until}
    AND (expires_at <= ${steady.steadyTime()} OR expires_at > ${steadyTimeIn(steady, 2 * KEPT_MS)})`;

/** With `unknown` the change may or may not be made; with `unreachable` and `one-way` nothing was done. */
export type DatabaseErrorKind = keyof typeof words;

const words = {
  full: 'The database has no room left on its disk. Free some space; you don’t need to restart the app.',
  locked:
    'Another process is keeping the database busy. Try again; if this keeps happening, look for a second copy of the app.',
  closed: 'The database is closed because the app is stopping. Try again once it has started.',
  corrupt:
    'The database can’t be read: its file, or a row in it, is damaged or isn’t ours. Restore a backup, or name another file in STORE_URL.',
  'no-access':
    'The database can’t be opened or written. Check STORE_URL, and who can write to the file and its folder.',
  'read-only':
    'The database server accepts no changes: it’s a standby, or was made read-only. The app goes on by itself once it does.',
  unreachable: 'The database server doesn’t answer. Check STORE_URL, and that the server is running.',
  unknown:
    'The database didn’t say whether the change was made: its answer was lost, or took too long. Try again.',
  'in-use':
    'Another copy of the app is using this SQLite file, and it didn’t stop while this one waited. Stop it first, or use PostgreSQL to run several copies.',
  'one-way':
    'This version of the app changes the database so that the version before can’t work with it any more, so nothing was changed yet. To upgrade, stop every copy of the app, back up the database, and start this version with ALLOW_ONE_WAY_UPGRADE=true. To stay, start the version before.',
  'other-version':
    'The database was made by another version of this app, which can’t work with this one. Name another file in STORE_URL, or start the version that made it.',
  replaced: 'The database file was deleted or replaced while the app was running. Restart the app.',
  failed: 'The database failed. The cause is in the log; check the disk it’s on.',
} as const;

/** The message says what to do next; `cause` is what the database said. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;

  constructor(kind: DatabaseErrorKind, cause?: unknown) {
    super(words[kind], { cause });
    this.kind = kind;
  }
}

/** Never repeats the address: it may hold a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
  /** The message without the setting's name. */
  readonly complaint: string;

  constructor(what: string) {
    const complaint = `${what}. Supported: sqlite:<path of a file>, postgres://<user>:<password>@<host>/<database>, and memory: (gone at exit)`;
    super(`STORE_URL ${complaint}.`);
    this.complaint = complaint;
  }
}

/** For whoever starts the app. */
export function databaseFailureWords({ message, cause }: DatabaseError, file: string | undefined): string {
  return [
    message,
    ...(file === undefined ? [] : [`  File: ${file}`]),
    ...(cause instanceof Error ? [`  Cause: ${cause.message}`] : []),
  ].join('\n');
}
