import type { DatabaseSync } from 'node:sqlite';
import { toStorageError } from './sqlite-errors.ts';

/** The most writes of one transaction: the event loop stands still until it is committed. */
const GROUP_LIMIT = 1_000;

/** Runs writes so that those of one turn of the event loop cost one transaction, and so one wait for the disk. */
export interface GroupCommit {
  /**
   * Resolves with what `work` returned, after the transaction is committed. Rejects with a StorageError when `work`
   * failed, or when the transaction it was part of did; then nothing of it is written.
   */
  write<T>(work: () => T): Promise<T>;
  /** Commits everything that still waits, now. */
  drain(): void;
}

interface Write {
  /** Does the work; the function it returns tells the caller, and is called once that is durable. */
  run(): () => void;
  reject(error: unknown): void;
}

/** Groups the writes of one connection, which must not be given transactions by anyone else. */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
  const waiting: Write[] = [];
  const commitNext = (): void => {
    commitTogether(database, waiting.splice(0, GROUP_LIMIT));
    if (waiting.length > 0) setImmediate(commitNext);
  };
  return {
    write<T>(work: () => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const run = (): (() => void) => {
        const result = work();
        return () => resolve(result);
      };
      // An immediate comes after all that is read from sockets in this turn: those writes share the transaction.
      if (waiting.push({ run, reject }) === 1) setImmediate(commitNext);
      return promise;
    },
    drain() {
      while (waiting.length > 0) commitTogether(database, waiting.splice(0, GROUP_LIMIT));
    },
  };
}

function commitTogether(database: DatabaseSync, group: readonly Write[]): void {
  if (group.length === 0) return;
  try {
    database.exec('BEGIN IMMEDIATE');
    const answers = group.map((write) => runOne(database, write));
    database.exec('COMMIT');
    for (const answer of answers) answer();
  } catch (cause) {
    for (const write of group) write.reject(toStorageError(cause));
    if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
  }
}

function runOne(database: DatabaseSync, write: Write): () => void {
  try {
    return write.run();
  } catch (cause) {
    // SQLite undoes one failed statement, but on a full disk, for example, the whole transaction: then all have failed.
    if (!database.isTransaction) throw cause;
    return () => write.reject(toStorageError(cause));
  }
}
