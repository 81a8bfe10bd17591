import { EventEmitter } from 'node:events';
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  DatabaseError,
  parseRows,
  sql,
  writeIfWith,
  type Database,
  type Next,
  type Opening,
  type Sql,
  type Written,
} from './database.ts';
import { migrate } from './migrations.ts';
import { toDatabaseError } from './sqlite-file.ts';

/** For another process's lock, at the start. */
const OPENED_WITHIN_MS = 2_500;
/** And later, when everything else waits meanwhile. */
const LOCKED_FOR_MS = 250;
/** The code has far fewer statements, apart from filters put together at run time. */
const MOST_PREPARED = 500;

/**
 * Opens or creates the file at `path` and its folder, readable for this user only. `:memory:` ends with its connection.
 *
 * @throws DatabaseError (by rejecting) if the file can't be opened, or isn't a database of this version of the app
 */
export async function openSqlite(path: string, options: Opening = {}): Promise<Database> {
  try {
    const opened = path === ':memory:' ? undefined : await prepareFile(path);
    const connection = new DatabaseSync(path, { timeout: OPENED_WITHIN_MS });
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      // FULL waits for the disk at every commit: in WAL mode anything less can lose the last ones at a power cut.
      connection.exec('PRAGMA synchronous = FULL');
      const database = createSqlite(connection, options.took, async () => {
        if (opened !== undefined && (await fileId(path)) !== opened) throw new DatabaseError('replaced');
      });
      await migrate(database, 'sqlite', options);
      // Else every write of several statements makes a file. Not before: an index that a step makes may need one.
      connection.exec(`PRAGMA temp_store = MEMORY; PRAGMA busy_timeout = ${LOCKED_FOR_MS}`);
      return database;
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Device and number, which another file of the same name doesn't have. Undefined if there is no file. */
async function fileId(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

async function prepareFile(path: string): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the files beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
  // As a copy may have left them. Where that can't be changed, doctor says so.
  for (const end of ['', '-wal', '-shm']) await chmod(path + end, 0o600).catch(() => undefined);
  return fileId(path);
}

/** PostgreSQL refuses NUL, so it's replaced here, too. @throws TypeError for what isn't an SqlValue: NaN would become NULL */
function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new TypeError(`A statement takes text, finite numbers and null, not ${typeof value}`);
}

interface Prepared {
  readonly statement: StatementSync;
  /** With RETURNING, it gives rows; without, the number of rows it changed. */
  readonly returns: boolean;
}

function createStatements(connection: DatabaseSync) {
  const prepared = new Map<string, Prepared>();

  function prepare(text: string): Prepared {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = connection.prepare(text);
    const fresh = { statement, returns: statement.columns().length > 0 };
    if (prepared.size >= MOST_PREPARED) prepared.clear();
    prepared.set(text, fresh);
    return fresh;
  }

  function run({ sql: text, values: given }: Sql): Written {
    const { statement, returns } = prepare(text);
    const values = given.map(bindable);
    if (!returns) return { changed: Number(statement.run(...values).changes), returned: [] };
    const returned = statement.all(...values);
    return { changed: returned.length, returned };
  }

  function transaction(statements: readonly Sql[], next?: Next): readonly Written[] | undefined {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const written = statements.map(run);
      const others = next === undefined ? [] : next(written);
      const all = others && [...written, ...others.map(run)];
      connection.exec(all === undefined ? 'ROLLBACK' : 'COMMIT');
      return all;
    } catch (cause) {
      // On a full disk, for example, SQLite has already undone it.
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw cause;
    }
  }

  return { run, transaction };
}

function createSqlite(
  connection: DatabaseSync,
  took: Opening['took'],
  checkFile: () => Promise<void>,
): Database {
  const { run, transaction } = createStatements(connection);

  function timed<Result>(what: 'read' | 'write', work: () => Result): Result {
    const end = took?.startTimer({ what });
    try {
      return work();
    } catch (cause) {
      throw toDatabaseError(cause);
    } finally {
      end?.();
    }
  }

  async function writeThen(statements: readonly Sql[], next?: Next) {
    try {
      return timed('write', () => transaction(statements, next));
    } finally {
      // SQLite never yields: whoever writes again and again lets the others have their turn.
      await nextTurn();
    }
  }
  const write = async (...statements: readonly Sql[]) => (await writeThen(statements)) ?? [];

  const database: Database = {
    ...createLocalHints(),
    // One writer, and reads that hold up nobody.
    inBackground: () => database,
    skipLocked: sql``,
    // Only one process serves the file, and at its start it clears the claims of the one before.
    steadyTime: () => sql`${Number(process.hrtime.bigint() / 1_000_000n)}`,
    write,
    writeThen,
    writeIf: writeIfWith(writeThen),
    read: async (query, row) => timed('read', () => parseRows(run(query).returned, row)),
    async check() {
      await checkFile();
      await write(sql`UPDATE schema_version SET checked = checked + 1`);
    },
    async close() {
      if (!connection.isOpen) return;
      try {
        // PASSIVE doesn't wait for other processes; what it leaves is safe in the WAL file.
        connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } catch (error) {
        throw toDatabaseError(error);
      } finally {
        connection.close();
      }
    },
  };
  return database;
}

type Hints = Pick<Database, 'notify' | 'listen'>;

export function createLocalHints(): Hints {
  const heard = new EventEmitter().setMaxListeners(0);
  return {
    notify: (topic, text) => void setImmediate(() => heard.emit(`topic ${topic}`, text)),
    listen(topic, listener) {
      heard.on(`topic ${topic}`, listener);
      return () => heard.off(`topic ${topic}`, listener);
    },
  };
}
