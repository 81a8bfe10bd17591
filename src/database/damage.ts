import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { toDatabaseError } from './sqlite-errors.ts';

/** Enough to tell what is damaged: each is a line about one page or index. */
const MOST_FINDINGS = 3;

/**
 * Reads a whole SQLite file and checks how its pages hang together, which opening it doesn't.
 *
 * @param pragma `integrity_check` compares indexes with their tables, too, which takes longer
 * @returns what is damaged, in SQLite's words; undefined if nothing is
 * @throws what SQLite says if it can't be checked
 */
export function checkFile(
  path: string,
  pragma: 'quick_check' | 'integrity_check' = 'quick_check',
): string | undefined {
  try {
    const connection = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = connection.prepare(`PRAGMA ${pragma}(${MOST_FINDINGS})`).all();
      const findings = rows.map((row) => z.string().parse(row[pragma]));
      return findings.length === 1 && findings[0] === 'ok' ? undefined : findings.join('\n');
    } finally {
      connection.close();
    }
  } catch (cause) {
    if (toDatabaseError(cause).kind !== 'corrupt') throw cause;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/** What a thread says last. An exit's code is none of that. */
const Said = z.tuple([z.object({ damage: z.string().optional() })]).transform(([said]) => said);

/** A check takes about 20 ms for each MiB on two busy cores: 0.1 s up to here, and 20 s for a gigabyte. */
const CHECKED_AT_ONCE_BYTES = 4 * 1_048_576;

/**
 * What is damaged in a SQLite file, in SQLite's words; undefined if nothing is. In a thread, since SQLite answers only once
 * it has read the whole file.
 *
 * @throws DatabaseError (by rejecting) if it can't be checked, or isn't any more
 */
export async function damageIn(path: string, signal?: AbortSignal): Promise<string | undefined> {
  const thread = new Worker(new URL('./damage-thread.ts', import.meta.url), { workerData: path });
  const until = signal === undefined ? {} : { signal };
  try {
    // A thread may end without a word, and `once` would wait for one.
    const said = await Promise.race([once(thread, 'message', until), once(thread, 'exit', until)]);
    return Said.parse(said).damage;
  } catch (cause) {
    // An error comes out of a thread without its class.
    throw toDatabaseError(cause);
  } finally {
    await thread.terminate();
  }
}

interface DamageParts {
  /** Called if something is damaged, with what it is. */
  readonly found: (damage: string) => void;
  /** Called if that can't be found out. */
  readonly failed: (error: unknown) => void;
  /** Ends the check. */
  readonly signal?: AbortSignal;
}

/**
 * Looks for damage in a SQLite file. Resolves when that's done or, for a large file, as soon as it has begun: then the rest
 * is done beside the caller's work. Never rejects.
 */
export async function lookForDamage(path: string, { found, failed, signal }: DamageParts): Promise<void> {
  async function look(check: () => Promise<string | undefined>): Promise<void> {
    try {
      const damage = await check();
      if (damage !== undefined) found(damage);
    } catch (error) {
      if (signal?.aborted !== true) failed(error);
    }
  }

  const isLarge = await stat(path).then(
    ({ size }) => size > CHECKED_AT_ONCE_BYTES,
    () => false,
  );
  if (isLarge) void look(() => damageIn(path, signal));
  else await look(async () => checkFile(path));
}
