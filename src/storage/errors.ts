/**
 * What can go wrong with stored records. `full`: no room left; `locked`: another process kept the database to itself;
 * `closed`: used after `close()`; `corrupt`: the file or a record in it cannot be read; `no-access`: the file or its
 * folder cannot be opened or written; `failed`: anything else the disk or the database reports.
 */
export type StorageErrorKind = 'full' | 'locked' | 'closed' | 'corrupt' | 'no-access' | 'failed';

const words = {
  full: 'The store has no room left on its disk. Free some space; nothing needs to be restarted.',
  locked:
    'The store is kept busy by another process. Try again; if it stays so, look for a second copy of the app.',
  closed: 'The store is closed because the app is stopping. Try again once it has started.',
  corrupt:
    'The store cannot be read: its file, or a record in it, is damaged or not ours. Restore a copy, or name another file in STORE_URL.',
  'no-access':
    'The file of the store cannot be opened or written. Check STORE_URL and who may write to the file and its folder.',
  failed: 'The store failed. The cause is in the log; check the disk it is on.',
} as const satisfies Record<StorageErrorKind, string>;

/** A record could not be read or written. The message says what to do next; `cause` is what the database said. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;

  constructor(kind: StorageErrorKind, cause?: unknown) {
    super(words[kind], { cause });
    this.kind = kind;
  }
}

/** The address of the store is not one we can open. Never repeats the address: it may hold a password. */
export class StorageSettingError extends Error {
  override readonly name = 'StorageSettingError';
  /** The message without the name of the setting. */
  readonly complaint: string;

  constructor(what: string) {
    const complaint = `${what}. Supported: sqlite:<path of a file> and memory: (gone at exit)`;
    super(`STORE_URL ${complaint}.`);
    this.complaint = complaint;
  }
}
