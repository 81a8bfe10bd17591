import type { z } from 'zod';
import { DatabaseError } from './errors.ts';
import type { Sql } from './sql.ts';

/** What one statement of a write did. */
export interface Written {
  /** How many rows it inserted, changed or removed. */
  readonly changed: number;
  /** The rows of its RETURNING, as the database gave them: `rowsOf` parses them. */
  readonly returned: readonly unknown[];
}

/**
 * The tables of the app, in SQLite or PostgreSQL: the same statements on both. Everything rejects with a DatabaseError.
 *
 * State changes in one conditional statement, or in one `write` of several: nothing is read, thought about, and written
 * back. What resolved is durable.
 */
export interface Database {
  read<Row>(query: Sql, row: z.ZodType<Row>): Promise<readonly Row[]>;
  /** All statements in one transaction, in order; what each did. */
  write(...statements: readonly Sql[]): Promise<readonly Written[]>;
  /** The same where the first one changes a row. Where it changes none nothing is written, and the answer is undefined. */
  writeIf(condition: Sql, ...statements: readonly Sql[]): Promise<readonly Written[] | undefined>;
  /**
   * Ends a SELECT inside a statement that claims rows, so that two processes never wait for each other's:
   * `FOR UPDATE SKIP LOCKED` in PostgreSQL, nothing in SQLite, which has one writer.
   */
  readonly skipLocked: Sql;
  /**
   * The time by which claims last, in a statement: whole milliseconds since some moment, the same for all processes. It runs
   * on whatever the clock of a process is set to.
   */
  steadyTime(): Sql;
  /**
   * Tells all processes that something changed, this one included. A hint that may be lost: the tables are the truth.
   * Topics are names of ours; the text is at most a few hundred characters.
   */
  notify(topic: string, text: string): void;
  /** @returns a function that stops listening */
  listen(topic: string, heard: (text: string) => void): () => void;
  /** Proves that it can be written to; rejects where it cannot. */
  check(): Promise<void>;
  /** Finishes the writes that were begun, then closes; what comes later rejects as `closed`. A second call does nothing. */
  close(): Promise<void>;
}

/** Rows as their schema says. @throws DatabaseError `corrupt` for a row that does not fit */
export function parseRows<Row>(rows: readonly unknown[], row: z.ZodType<Row>): readonly Row[] {
  return rows.map((found) => {
    const parsed = row.safeParse(found);
    if (!parsed.success) throw new DatabaseError('corrupt', parsed.error);
    return parsed.data;
  });
}

/** What a statement of a write returned. @throws DatabaseError `corrupt` for a row that does not fit */
export const rowsOf = <Row>(written: Written | undefined, row: z.ZodType<Row>): readonly Row[] =>
  parseRows(written?.returned ?? [], row);

/** Whether a statement of a write changed a row. */
export const hasChanged = (written: Written | undefined): boolean => (written?.changed ?? 0) > 0;
