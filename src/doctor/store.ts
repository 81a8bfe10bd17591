import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseError, DatabaseUrlError } from '../database/errors.ts';
import { filesOpenToOthers } from '../database/file-mode.ts';
import type { Finding } from '../views/findings.ts';
import type { Check } from './examine.ts';

const MIB = 1_048_576;
const WARN_BELOW_BYTES = 1_024 * MIB;
const FAIL_BELOW_BYTES = 100 * MIB;

interface StoreCheckParts {
  /** Proves that it can be written to. Rejects with a DatabaseError, or a DatabaseUrlError. */
  readonly check: () => Promise<void>;
  /** Where its file is; undefined for a database in memory, or on a server. */
  readonly file: string | undefined;
  /** Whether it is on a server. */
  readonly isOnServer: boolean;
  /** Whether the file was not there before it was opened just now. */
  readonly isNew: boolean;
}

const isForeseen = (error: unknown): error is DatabaseError | DatabaseUrlError =>
  error instanceof DatabaseError || error instanceof DatabaseUrlError;

function sound({ file, isOnServer, isNew }: Omit<StoreCheckParts, 'check'>): Finding {
  const about = 'Store';
  if (isOnServer) return { about, state: 'ok', says: 'The database on its server takes changes.' };
  if (file === undefined) {
    return {
      about,
      state: 'warning',
      says: 'It is in memory: summaries that wait and the audit trail are gone when the app stops.',
      next: 'Set STORE_URL=sqlite:data/cobrowse.db.',
    };
  }
  if (isNew) {
    return {
      about,
      state: 'warning',
      says: 'Its file was not there: a new and empty one was made.',
      next: 'Right before the first start; otherwise look at the path in STORE_URL and at the folder it counts from.',
    };
  }
  return { about, state: 'ok', says: 'A record was written to its file and read back.' };
}

/** Whether the store takes what it is given, keeps it, and has room. */
export function storeChecks({ check, ...place }: StoreCheckParts): readonly Check[] {
  const written: Check = {
    about: 'Store',
    async run() {
      try {
        await check();
      } catch (error) {
        if (!isForeseen(error)) throw error;
        return [
          {
            about: 'Store',
            state: 'failure',
            says: 'A record could not be written and read back.',
            next: error.message,
          },
        ];
      }
      return [sound(place)];
    },
  };
  const { file } = place;
  return file === undefined ? [written] : [written, privacyCheck(file), diskCheck(file)];
}

function privacyCheck(file: string): Check {
  const about = 'Store file';
  return {
    about,
    async run() {
      const [open] = await filesOpenToOthers(file);
      if (open === undefined)
        return [{ about, state: 'ok', says: 'Only the user that the app runs as can open it.' }];
      return [
        {
          about,
          state: 'warning',
          says: `Other users of the machine can open it (mode ${open.mode.toString(8)}).`,
          next: 'Restart the app, which closes it to them; where it cannot, make the file its user’s own.',
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
      const { bavail, bsize } = await statfs(dirname(file));
      const free = bavail * bsize;
      const says = `${Math.floor(free / MIB).toLocaleString('en-US')} MiB are free where the store is.`;
      if (free >= WARN_BELOW_BYTES) return [{ about, state: 'ok', says }];
      const state = free < FAIL_BELOW_BYTES ? 'failure' : 'warning';
      return [{ about, state, says, next: 'Free some space: on a full disk nothing can be accepted.' }];
    },
  };
}
