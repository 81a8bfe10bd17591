/**
 * - `full`: no room left.
 * - `locked`: another process is keeping it busy.
 * - `closed`: used after `close()`.
 * - `corrupt`: the file, or a row in it, can't be read.
 * - `no-access`: the file, its folder or the server's database can't be opened or written.
 * - `read-only`: the server accepts no changes for now.
 * - `unreachable`: the server doesn't answer, and nothing was done.
 * - `unknown`: the server's answer got lost, so the change may or may not be made.
 * - `in-use`: another process serves this file.
 * - `one-way`: of a version of the app that couldn't work with it once this one has changed it; nothing was changed.
 * - `other-version`: made by a version of the app that can't work with this one.
 * - `replaced`: the file is no longer the one we opened.
 * - `failed`: anything else.
 */
export type DatabaseErrorKind = keyof typeof words;

const words = {
  full: 'The database has no room left on its disk. Free some space; you don’t need to restart the app.',
  locked:
    'Another process is keeping the database busy. Try again; if this keeps happening, look for a second copy of the app.',
  closed: 'The database is closed because the app is stopping. Try again once it has started.',
  corrupt:
    'The database can’t be read: its file, or a row in it, is damaged or isn’t ours. Restore a backup, or name another file in STORE_URL.',
  'no-access':
    'The database can’t be opened or written. Check STORE_URL, and who can write to the file and its folder.',
  'read-only':
    'The database server accepts no changes: it’s a standby, or was made read-only. The app goes on by itself once it does.',
  unreachable: 'The database server doesn’t answer. Check STORE_URL, and that the server is running.',
  unknown:
    'The database didn’t say whether the change was made: its answer was lost, or took too long. Try again.',
  'in-use':
    'Another copy of the app is using this SQLite file, and it didn’t stop while this one waited. Stop it first, or use PostgreSQL to run several copies.',
  'one-way':
    'This version of the app changes the database so that the version before can’t work with it any more, so nothing was changed yet. To upgrade, stop every copy of the app, back up the database, and start this version with ALLOW_ONE_WAY_UPGRADE=true. To stay, start the version before.',
  'other-version':
    'The database was made by another version of this app, which can’t work with this one. Name another file in STORE_URL, or start the version that made it.',
  replaced: 'The database file was deleted or replaced while the app was running. Restart the app.',
  failed: 'The database failed. The cause is in the log; check the disk it’s on.',
} as const;

/** The message says what to do next; `cause` is what the database said. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;
  /** Only something was read: nothing was to be changed or recorded. */
  readonly isOfReading: boolean;

  constructor(kind: DatabaseErrorKind, cause?: unknown, isOfReading = false) {
    super(words[kind], { cause });
    this.kind = kind;
    this.isOfReading = isOfReading;
  }
}

export const ofReading = (error: unknown): unknown =>
  error instanceof DatabaseError ? new DatabaseError(error.kind, error.cause, true) : error;

/** Never repeats the address: it may hold a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
  /** The message without the setting's name. */
  readonly complaint: string;

  constructor(what: string) {
    const complaint = `${what}. Supported: sqlite:<path of a file>, postgres://<user>:<password>@<host>/<database>, and memory: (gone at exit)`;
    super(`STORE_URL ${complaint}.`);
    this.complaint = complaint;
  }
}

/** For whoever starts the app. */
export function databaseFailureWords({ message, cause }: DatabaseError, file: string | undefined): string {
  return [
    message,
    ...(file === undefined ? [] : [`  File: ${file}`]),
    ...(cause instanceof Error ? [`  Cause: ${cause.message}`] : []),
  ].join('\n');
}
