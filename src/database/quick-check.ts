import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { toDatabaseError } from './sqlite-errors.ts';

/** Enough to tell what is damaged: each is a line about one page or index. */
const MOST_FINDINGS = 3;
const Row = z.object({ quick_check: z.string() });

/**
 * Reads a whole SQLite file and checks how its pages hang together, which opening it doesn't.
 *
 * @returns what is damaged, in SQLite's words; undefined if nothing is
 * @throws what SQLite says if it can't be checked
 */
export function quickCheck(path: string): string | undefined {
  try {
    const connection = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = connection.prepare(`PRAGMA quick_check(${MOST_FINDINGS})`).all();
      const findings = rows.map((row) => Row.parse(row).quick_check);
      return findings.length === 1 && findings[0] === 'ok' ? undefined : findings.join('\n');
    } finally {
      connection.close();
    }
  } catch (cause) {
    if (toDatabaseError(cause).kind !== 'corrupt') throw cause;
    return cause instanceof Error ? cause.message : String(cause);
  }
}
