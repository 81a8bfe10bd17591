import { mkdir, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DatabaseError, type DatabaseErrorKind } from './database.ts';

const Failure = z.object({ code: z.string(), errcode: z.number().optional() });

/** By primary result code. Source: sqlite.org/rescode.html. */
const SQLITE_KINDS: Readonly<Record<number, DatabaseErrorKind>> = {
  3: 'no-access', // PERM
  5: 'locked', // BUSY
  6: 'locked', // LOCKED
  8: 'no-access', // READONLY
  11: 'corrupt', // CORRUPT
  13: 'full', // FULL
  14: 'no-access', // CANTOPEN
  26: 'corrupt', // NOTADB
};

const SYSTEM_KINDS: Readonly<Record<string, DatabaseErrorKind>> = {
  ERR_INVALID_STATE: 'closed', // what node:sqlite says of a closed database
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'no-access',
  EPERM: 'no-access',
  EROFS: 'no-access',
  EISDIR: 'no-access',
  ENOTDIR: 'no-access',
  EEXIST: 'no-access',
  ENOENT: 'no-access',
};

/** What an error of node:sqlite or node:fs means; `cause` is that error. */
export function toDatabaseError(cause: unknown): DatabaseError {
  if (cause instanceof DatabaseError) return cause;
  const { code = '', errcode } = Failure.safeParse(cause).data ?? {};
  // The low byte of an extended result code is the primary one.
  const kind = errcode === undefined ? SYSTEM_KINDS[code] : SQLITE_KINDS[errcode & 0xff];
  return new DatabaseError(kind ?? 'failed', cause);
}

/** Opens a file for as long as the work takes. */
export function onFile<Result>(
  path: string,
  options: DatabaseSyncOptions,
  work: (connection: DatabaseSync) => Result,
): Result {
  const connection = new DatabaseSync(path, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** Enough to tell what is damaged: each is a line about one page or index. */
const MOST_FINDINGS = 3;

/** @returns what is damaged, in SQLite's words: `integrity_check` reads indexes, too. @throws DatabaseError if it can't be checked */
export function checkFile(path: string, pragma: 'quick_check' | 'integrity_check' = 'quick_check') {
  try {
    const check = `PRAGMA ${pragma}(${MOST_FINDINGS})`;
    const rows = onFile(path, { readOnly: true }, (connection) => connection.prepare(check).all());
    const findings = rows.map((row) => z.string().parse(row[pragma])).join('\n');
    return findings === 'ok' ? undefined : findings;
  } catch (cause) {
    const error = toDatabaseError(cause);
    if (error.kind !== 'corrupt') throw error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

/** Rejects if the system can't say. */
export async function diskOf(file: string) {
  const { bavail, blocks, bsize } = await statfs(dirname(file));
  return { freeBytes: bavail * bsize, freeShare: blocks === 0 ? 0 : bavail / blocks };
}

/** Which of the database's files other users of the machine can open: its own, and the two that SQLite keeps beside it. */
export async function filesOpenToOthers(path: string) {
  // Windows has no such modes, and shows every file as open.
  if (process.platform === 'win32') return [];
  const files = await Promise.all(
    [path, `${path}-wal`, `${path}-shm`].map(async (file) => {
      // A missing file is open to no one; opening the database reports anything else.
      const found = await stat(file).catch(() => undefined);
      return { file, mode: (found?.mode ?? 0) & 0o777 };
    }),
  );
  return files.filter(({ mode }) => (mode & 0o077) !== 0);
}

const BETWEEN_TRIES_MS = 100;

export interface LockOptions {
  /** Called once, if another process has to stop first. */
  readonly onWait: () => void;
  /** Milliseconds. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Makes this process the only one that serves a SQLite file, waiting for one that already does. The lock is a transaction in a
 * separate file, which the kernel ends with the process, even after kill -9.
 * @returns a function that releases the lock
 * @throws DatabaseError (by rejecting) `in-use` if the other process is still there by then; others if the file can't be made
 */
export async function lockForServing(path: string, { onWait, waitMs, signal }: LockOptions) {
  const until = performance.now() + waitMs;
  let connection: DatabaseSync | undefined;
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const opened = (connection ??= new DatabaseSync(`${path}-lock`, { timeout: 0 }));
      opened.exec('BEGIN EXCLUSIVE');
      return () => opened.close();
    } catch (cause) {
      const error = toDatabaseError(cause);
      const isOver = performance.now() >= until || signal?.aborted === true;
      if (error.kind !== 'locked' || isOver) {
        connection?.close();
        throw error.kind === 'locked' ? new DatabaseError('in-use', cause) : error;
      }
      if (!hasWaited) onWait();
      await pause(BETWEEN_TRIES_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
