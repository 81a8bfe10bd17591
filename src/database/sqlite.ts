import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { parseRows, writeIfWith } from './database.ts';
import type { Database, Written } from './database.ts';
import { DatabaseError, ofReading } from './errors.ts';
import { createLocalHints } from './hints.ts';
import { migrate } from './migrations.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';
import { createGroupCommit } from './sqlite-commits.ts';
import { toDatabaseError } from './sqlite-errors.ts';

/** How long to wait for another process's lock. Slack wants its answer within 3 s. */
const LOCKED_FOR_MS = 2_500;
const BETWEEN_TRIES_MS = 20;
/** The code has far fewer statements than this, apart from filters put together at run time. */
const MOST_PREPARED = 500;

/**
 * Opens the tables in the file at `path`, and creates it and its folder if they're missing, readable for this user
 * only. `:memory:` is a database that ends with its connection.
 *
 * @throws DatabaseError (by rejecting) if the file can't be opened, or isn't a database of this version of the app
 */
export async function openSqlite(path: string): Promise<Database> {
  try {
    const opened = path === ':memory:' ? undefined : await prepareFile(path);
    // Waiting inside SQLite would block the event loop, so a timer of ours waits for locks.
    const connection = new DatabaseSync(path, { timeout: 0 });
    try {
      await retryWhileLocked(() => connection.exec('PRAGMA journal_mode = WAL'));
      // FULL waits for the disk at every commit: in WAL mode anything less can lose the last ones at a power cut.
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

/** The file's device and number, which another file of the same name doesn't have. Undefined if there is no file. */
async function fileId(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

async function prepareFile(path: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the files beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
  return fileId(path);
}

/** Tries until no other process holds the lock, or time is up. */
async function retryWhileLocked<T>(work: () => T): Promise<T> {
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
  /** With RETURNING, a statement gives rows; without it, the number of rows it changed. */
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
  const write = async (...statements: readonly Sql[]) => (await commits.write(statements)) ?? [];
  const writeThen: Database['writeThen'] = (statements, next) => commits.write(statements, next);

  return {
    ...createLocalHints(),
    skipLocked: sql``,
    // Only one process serves the file, and at its start it clears the claims of the one before.
    steadyTime: () => sql`${Number(process.hrtime.bigint() / 1_000_000n)}`,
    write,
    writeThen,
    writeIf: writeIfWith(writeThen),
    async read(query, row) {
      try {
        const rows = await retryWhileLocked(() => prepare(query.words).statement.all(...query.values));
        return parseRows(rows, row);
      } catch (error) {
        throw ofReading(error);
      }
    },
    async check() {
      await checkFile();
      await write(sql`UPDATE schema_version SET checked = checked + 1`);
    },
    async close() {
      // A write started just before may not have reached the group yet.
      await nextTurn();
      if (!connection.isOpen) return;
      try {
        await commits.finish();
        // PASSIVE doesn't wait for other processes; what it leaves is safe in the WAL file.
        connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } catch (error) {
        throw toDatabaseError(error);
      } finally {
        connection.close();
      }
    },
  };
}
