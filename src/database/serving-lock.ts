import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from './errors.ts';
import { toDatabaseError } from './sqlite-errors.ts';

/** Longer than the process before needs to finish what it acknowledged. */
const WAIT_MS = 20_000;
const BETWEEN_TRIES_MS = 100;

export interface LockOptions {
  /** Called once when there is a process to wait for. */
  readonly told: () => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes this process the only one that serves a SQLite file: its claims, presses and turns may then be kept in memory,
 * and a restart takes over at once what the process before had begun. The lock is a transaction in a file of its own,
 * which the kernel ends with the process, also at kill -9. One that serves already is waited for.
 *
 * @returns a function that lets go
 * @throws DatabaseError `in-use` (by rejecting) when the other one is still there after 20 s
 */
export async function lockForServing(path: string, { told, signal }: LockOptions): Promise<() => void> {
  const connection = new DatabaseSync(`${path}-lock`, { timeout: 0 });
  const until = performance.now() + WAIT_MS;
  for (let isTold = false; ; isTold = true) {
    try {
      connection.exec('BEGIN EXCLUSIVE');
      return () => connection.close();
    } catch (cause) {
      const error = toDatabaseError(cause);
      const isOver = performance.now() >= until || signal?.aborted === true;
      if (error.kind !== 'locked' || isOver) {
        connection.close();
        throw error.kind === 'locked' ? new DatabaseError('in-use', cause) : error;
      }
      if (!isTold) told();
      await pause(BETWEEN_TRIES_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }
}
