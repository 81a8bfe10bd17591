import type { DatabaseSync } from 'node:sqlite';
import type { Next, Written } from './database.ts';
import { DatabaseError } from './errors.ts';
import type { Sql } from './sql.ts';
import { toDatabaseError } from './sqlite-errors.ts';

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
