import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { parseRows } from './database.ts';
import type { Database, Written } from './database.ts';
import { DatabaseError } from './errors.ts';
import { createLocalHints } from './hints.ts';
import { migrate } from './migrations.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import { createGroupCommit } from './sqlite-commits.ts';
import { toDatabaseError } from './sqlite-errors.ts';

/** How long a lock that another process holds is waited for. Slack wants its answer within 3 s. */
const LOCKED_FOR_MS = 2_500;
const BETWEEN_TRIES_MS = 20;
/** Statements are written in the code: far fewer than this, but for filters that are put together. */
const MOST_PREPARED = 500;

/**
 * Opens the tables in the file at `path`, made with its folder where they are missing, and then for this user only;
 * `:memory:` is a database that ends with its connection.
 *
 * @throws DatabaseError (by rejecting) when the file can't be opened, or isn't a database of this version of the app.
 */
export async function openSqlite(path: string): Promise<Database> {
  try {
    const opened = path === ':memory:' ? undefined : await prepareFile(path);
    // Waiting inside SQLite would stop the event loop, so a lock is waited for by a timer of ours.
    const connection = new DatabaseSync(path, { timeout: 0 });
    try {
      await patiently(() => connection.exec('PRAGMA journal_mode = WAL'));
      // FULL waits for the disk at every commit: in WAL mode anything less may lose the last ones at a power cut.
      connection.exec('PRAGMA synchronous = FULL');
      const database = createSqlite(connection, async () => {
        if (opened !== undefined && (await fileId(path)) !== opened) throw new DatabaseError('replaced');
      });
      await migrate(database, 'sqlite');
      return database;
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Device and number of the file: another file of the same name has others. Undefined where there is none. */
async function fileId(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

async function prepareFile(path: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the files it puts beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
  return fileId(path);
}

/** Tries until no other process holds the lock, or the time is over. */
async function patiently<T>(work: () => T): Promise<T> {
  const until = performance.now() + LOCKED_FOR_MS;
  for (;;) {
    try {
      return work();
    } catch (cause) {
      const error = toDatabaseError(cause);
      if (error.kind !== 'locked' || performance.now() >= until) throw error;
      await pause(BETWEEN_TRIES_MS);
    }
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** A statement without RETURNING says how many rows it changed; one with it gives the rows. */
  readonly returns: boolean;
}

function createSqlite(connection: DatabaseSync, checkFile: () => Promise<void>): Database {
  const prepared = new Map<string, Prepared>();

  function prepare(words: readonly string[]): Prepared {
    const text = words.join('?');
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = connection.prepare(text);
    const fresh = { statement, returns: statement.columns().length > 0 };
    if (prepared.size >= MOST_PREPARED) prepared.clear();
    prepared.set(text, fresh);
    return fresh;
  }

  function run({ words, values }: Sql): Written {
    const { statement, returns } = prepare(words);
    if (!returns) return { changed: Number(statement.run(...values).changes), returned: [] };
    const returned = statement.all(...values);
    return { changed: returned.length, returned };
  }

  const commits = createGroupCommit(connection, run, {
    lockedForMs: LOCKED_FOR_MS,
    betweenTriesMs: BETWEEN_TRIES_MS,
  });
  const write = async (...statements: readonly Sql[]) => (await commits.write(statements, false)) ?? [];

  return {
    ...createLocalHints(),
    skipLocked: sql``,
    // One process serves the file, and takes the claims of those before it away when it starts.
    steadyTime: () => sql`${Number(process.hrtime.bigint() / 1_000_000n)}`,
    write,
    writeIf: (condition, ...statements) => commits.write([condition, ...statements], true),
    async read(query, row) {
      const rows = await patiently(() => prepare(query.words).statement.all(...query.values));
      return parseRows(rows, row);
    },
    async check() {
      await checkFile();
      await write(sql`UPDATE schema_version SET checked = checked + 1`);
    },
    async close() {
      // A write that was begun just before may still be on its way to the group.
      await nextTurn();
      if (!connection.isOpen) return;
      try {
        await commits.finish();
        // PASSIVE does not wait for other processes; what it leaves is safe in the WAL file.
        connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } catch (error) {
        throw toDatabaseError(error);
      } finally {
        connection.close();
      }
    },
  };
}
