import { EventEmitter } from 'node:events';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import {
  parseRows,
  sql,
  writeIfWith,
  type Database,
  type Next,
  type Opening,
  type Sql,
  type Written,
} from './database.ts';
import { DatabaseError, ofReading } from './errors.ts';
import { migrate } from './migrations.ts';
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
export async function openSqlite(path: string, options: Opening = {}): Promise<Database> {
  try {
    const opened = path === ':memory:' ? undefined : await prepareFile(path);
    // Waiting inside SQLite would block the event loop, so a timer of ours waits for locks.
    const connection = new DatabaseSync(path, { timeout: 0 });
    try {
      await retryWhileLocked(() => connection.exec('PRAGMA journal_mode = WAL'));
      // FULL waits for the disk at every commit: in WAL mode anything less can lose the last ones at a power cut.
      connection.exec('PRAGMA synchronous = FULL');
      const database = createSqlite(connection, options.took, async () => {
        if (opened !== undefined && (await fileId(path)) !== opened) throw new DatabaseError('replaced');
      });
      await migrate(database, 'sqlite', options);
      // Else every write of several statements makes a file, for what it might have to undo. Not before: an index that a
      // step makes may need one.
      connection.exec('PRAGMA temp_store = MEMORY');
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

/**
 * PostgreSQL refuses NUL, so it isn't stored here either; node:sqlite itself replaces half a surrogate pair.
 *
 * @throws TypeError for what is neither text nor null nor a finite number, a mistake in the code: NaN would become NULL
 */
function bindable(value: unknown): SQLInputValue {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new TypeError(`A statement takes text, finite numbers and null, not ${typeof value}`);
}

interface Prepared {
  readonly statement: StatementSync;
  /** With RETURNING, a statement gives rows; without it, the number of rows it changed. */
  readonly returns: boolean;
}

function createSqlite(
  connection: DatabaseSync,
  took: Opening['took'],
  checkFile: () => Promise<void>,
): Database {
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

  const commits = createGroupCommit(connection, run, {
    lockedForMs: LOCKED_FOR_MS,
    betweenTriesMs: BETWEEN_TRIES_MS,
  });
  const writeThen: GroupCommit['write'] = (statements, next) => {
    const end = took?.startTimer({ what: 'write' });
    return commits.write(statements, next).finally(() => end?.());
  };
  const write = async (...statements: readonly Sql[]) => (await writeThen(statements)) ?? [];

  const hints = createLocalHints();

  const database: Database = {
    ...hints,
    async writeAndNotify({ topic, text }, ...statements) {
      const written = await write(...statements);
      hints.notify(topic, text);
      return written;
    },
    // One writer, and reads that hold up nobody.
    inBackground: () => database,
    skipLocked: sql``,
    // Only one process serves the file, and at its start it clears the claims of the one before.
    steadyTime: () => sql`${Number(process.hrtime.bigint() / 1_000_000n)}`,
    write,
    writeThen,
    writeIf: writeIfWith(writeThen),
    async read(query, row) {
      const end = took?.startTimer({ what: 'read' });
      try {
        const rows = await retryWhileLocked(() =>
          prepare(query.sql).statement.all(...query.values.map(bindable)),
        );
        return parseRows(rows, row);
      } catch (error) {
        throw ofReading(error);
      } finally {
        end?.();
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
  return database;
}

/** Most writes in one transaction: the event loop is blocked until it's committed. */
const GROUP_LIMIT = 1_000;

/** Puts all writes of one turn of the event loop into one transaction, so they wait for the disk once. */
export interface GroupCommit {
  /**
   * Resolves with what the statements did, once the transaction is committed. Rejects with a DatabaseError if one of
   * them failed, or the transaction they were in did; then none of them is written.
   *
   * @param next gives what else to run; if it gives undefined, everything is undone and the answer is undefined
   */
  write(statements: readonly Sql[], next?: Next): Promise<readonly Written[] | undefined>;
  /** Resolves once nothing is waiting. */
  finish(): Promise<void>;
}

interface Waiting {
  readonly statements: readonly Sql[];
  readonly next: Next | undefined;
  /** On `performance.now()`'s scale. */
  readonly since: number;
  readonly resolve: (written: readonly Written[] | undefined) => void;
  readonly reject: (error: DatabaseError) => void;
}

/** Answers the caller, once everything is durable. */
type Answer = () => void;

interface Patience {
  /** How long a write waits for another process's lock. */
  readonly lockedForMs: number;
  readonly betweenTriesMs: number;
}

/** Groups the writes of one connection. No one else may open transactions on it. */
export function createGroupCommit(
  connection: DatabaseSync,
  run: (statement: Sql) => Written,
  { lockedForMs, betweenTriesMs }: Patience,
): GroupCommit {
  let waiting: Waiting[] = [];
  let isPlanned = false;
  let idle = Promise.withResolvers<void>();
  idle.resolve();

  function attempt({ statements, next }: Waiting): readonly Written[] | undefined {
    const written = statements.map(run);
    const others = next === undefined ? [] : next(written);
    return others && [...written, ...others.map(run)];
  }

  /** Runs one write so that its failure doesn't undo the others in the group. */
  function runOne(write: Waiting): Answer {
    // SQLite itself undoes a single statement as a whole.
    const isAlone = write.statements.length === 1 && write.next === undefined;
    if (!isAlone) connection.exec('SAVEPOINT one_write');
    try {
      const written = attempt(write);
      if (!isAlone)
        connection.exec(
          written === undefined ? 'ROLLBACK TO one_write; RELEASE one_write' : 'RELEASE one_write',
        );
      return () => write.resolve(written);
    } catch (cause) {
      // On a full disk, for example, SQLite has already undone the whole transaction, so all writes have failed.
      if (!connection.isTransaction) throw cause;
      if (!isAlone) connection.exec('ROLLBACK TO one_write; RELEASE one_write');
      return () => write.reject(toDatabaseError(cause));
    }
  }

  /** @returns what to try again, because another process holds the lock */
  function commitTogether(group: readonly Waiting[]): readonly Waiting[] {
    try {
      connection.exec('BEGIN IMMEDIATE');
      const answers = group.map(runOne);
      connection.exec('COMMIT');
      for (const answer of answers) answer();
      return [];
    } catch (cause) {
      if (connection.isOpen && connection.isTransaction) connection.exec('ROLLBACK');
      const error = toDatabaseError(cause);
      const oldest = performance.now() - lockedForMs;
      const again = error.kind === 'locked' ? group.filter(({ since }) => since > oldest) : [];
      for (const write of group) if (!again.includes(write)) write.reject(error);
      return again;
    }
  }

  function commitNext(): void {
    isPlanned = false;
    const group = waiting.slice(0, GROUP_LIMIT);
    const again = commitTogether(group);
    waiting = [...again, ...waiting.slice(group.length)];
    if (waiting.length === 0) idle.resolve();
    else plan(again.length > 0);
  }

  function plan(isLocked: boolean): void {
    if (isPlanned) return;
    isPlanned = true;
    // An immediate runs after everything read from sockets in this turn, so those writes share the transaction.
    if (isLocked) setTimeout(commitNext, betweenTriesMs);
    else setImmediate(commitNext);
  }

  return {
    write(statements, next) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Written[] | undefined>();
      if (waiting.length === 0) idle = Promise.withResolvers<void>();
      waiting.push({ statements, next, since: performance.now(), resolve, reject });
      plan(false);
      return promise;
    },
    finish: () => idle.promise,
  };
}

type Hints = Pick<Database, 'notify' | 'listen' | 'hears'>;

/** Hints within one process. */
export function createLocalHints(): Hints {
  const heard = new EventEmitter().setMaxListeners(0);
  return {
    notify: (topic, text) => void setImmediate(() => heard.emit(`topic ${topic}`, text)),
    listen(topic, listener) {
      heard.on(`topic ${topic}`, listener);
      return () => heard.off(`topic ${topic}`, listener);
    },
    hears: async () => true,
  };
}
