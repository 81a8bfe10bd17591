import { diskOf } from '../database/disk.ts';
import { DatabaseError, DatabaseUrlError } from '../database/errors.ts';
import { filesOpenToOthers } from '../database/file-mode.ts';
import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

const MIB = 1_048_576;
const WARN_BELOW_BYTES = 1_024 * MIB;
const FAIL_BELOW_BYTES = 100 * MIB;

export interface StoreCheckParts {
  /** Checks that the database can be written to. Rejects with a DatabaseError, or a DatabaseUrlError. */
  readonly check: () => Promise<void>;
  /** The path of its file; undefined for a database in memory or on a server. */
  readonly file: string | undefined;
  /** Whether hints of other processes arrive; undefined for a database that isn't on a server. */
  readonly hears: (() => Promise<boolean>) | undefined;
  /** Whether opening it just created the file. */
  readonly isNew: boolean;
}

const isForeseen = (error: unknown): error is DatabaseError | DatabaseUrlError =>
  error instanceof DatabaseError || error instanceof DatabaseUrlError;

async function soundOnServer(hears: () => Promise<boolean>): Promise<Finding> {
  const about = 'Database';
  if (await hears()) return { about, state: 'ok', says: 'the database server accepts changes' };
  return {
    about,
    state: 'warning',
    says: 'The server accepts changes, but its notifications (LISTEN) don’t arrive: a connection pooler in transaction mode keeps them.',
    next: 'Nothing is lost: what goes from one process to another takes a second or two longer. For less, let STORE_URL name the server itself, or a pooler in session mode.',
  };
}

async function sound({ file, hears, isNew }: Omit<StoreCheckParts, 'check'>): Promise<Finding> {
  const about = 'Database';
  if (hears !== undefined) return soundOnServer(hears);
  if (file === undefined) {
    return {
      about,
      state: 'warning',
      says: 'It’s in memory: waiting summaries and the audit log are lost when the app stops.',
      next: 'Set STORE_URL=sqlite:data/cobrowse.db.',
    };
  }
  if (isNew) {
    return {
      about,
      state: 'warning',
      says: 'Its file didn’t exist, so a new, empty one was created.',
      next: 'Expected on the first start. Otherwise check the path in STORE_URL and the working directory.',
    };
  }
  return { about, state: 'ok', says: 'writable' };
}

/** Whether the database accepts changes, is private, and has room. */
export function storeChecks({ check, ...place }: StoreCheckParts): readonly Check[] {
  const written: Check = {
    about: 'Database',
    async run() {
      try {
        await check();
        return [await sound(place)];
      } catch (error) {
        if (!isForeseen(error)) throw error;
        const isDamaged = error instanceof DatabaseError && error.kind === 'corrupt';
        return [
          {
            about: 'Database',
            state: 'failure',
            says: isDamaged ? 'Its file is damaged.' : 'The app can’t write to it.',
            next: isDamaged
              ? 'Stop the app and restore a backup: docs/operations.md says how.'
              : error.message,
          },
        ];
      }
    },
  };
  const { file } = place;
  return file === undefined ? [written] : [written, privacyCheck(file), diskCheck(file)];
}

function privacyCheck(file: string): Check {
  const about = 'Database file';
  return {
    about,
    async run() {
      const [open] = await filesOpenToOthers(file);
      if (open === undefined) return [{ about, state: 'ok', says: 'private to the app’s user' }];
      return [
        {
          about,
          state: 'warning',
          says: `Other users of this machine can open it (mode ${open.mode.toString(8)}).`,
          next: 'Restart the app to fix it; if that fails, make the app’s user the file’s owner.',
        },
      ];
    },
  };
}

function diskCheck(file: string): Check {
  const about = 'Disk';
  return {
    about,
    async run() {
      const { freeBytes: free } = await diskOf(file);
      const says = `${Math.floor(free / MIB).toLocaleString('en-US')} MiB free where the database is`;
      if (free >= WARN_BELOW_BYTES) return [{ about, state: 'ok', says }];
      const state = free < FAIL_BELOW_BYTES ? 'failure' : 'warning';
      return [{ about, state, says, next: 'Free some space: on a full disk the app can’t accept anything.' }];
    },
  };
}
