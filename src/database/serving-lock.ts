import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from './errors.ts';
import { toDatabaseError } from './sqlite-errors.ts';

const BETWEEN_TRIES_MS = 100;

export interface LockOptions {
  /** Called once, if another process has to stop first. */
  readonly onWait: () => void;
  /** How long to wait for it, milliseconds. */
  readonly waitMs: number;
  /** Cancels the wait. */
  readonly signal?: AbortSignal;
}

async function openLock(path: string): Promise<DatabaseSync> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/**
 * Makes this process the only one that serves a SQLite file. It can then keep claims, presses and turns in memory, and
 * after a restart takes over immediately. The lock is a transaction in a separate file, which the kernel ends with the
 * process, even after kill -9. Waits for a process that already serves the file.
 *
 * @returns a function that releases the lock
 * @throws DatabaseError (by rejecting) `in-use` if the other process is still there by then; another one if the lock's file
 *   can't be made
 */
export async function lockForServing(
  path: string,
  { onWait, waitMs, signal }: LockOptions,
): Promise<() => void> {
  const connection = await openLock(`${path}-lock`);
  const until = performance.now() + waitMs;
  for (let hasWaited = false; ; hasWaited = true) {
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
      if (!hasWaited) onWait();
      await pause(BETWEEN_TRIES_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }
}
