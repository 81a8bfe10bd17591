import type { Database, Sql } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';

const AGAIN_AFTER_MS = 2_000;
const AT_ONCE = 100;
/** A few megabytes. What comes after that is in the log alone. */
const MOST = 10_000;

/** An entry on its way into the audit. */
interface Entry {
  readonly statement: Sql;
  /** Writes it unless it's there: the answer to an earlier try may have been lost. */
  readonly onceMore: Sql;
  /** Called if it's never written. */
  readonly lost: () => void;
}

/** Entries that the database didn't take: kept in memory, in order, until it does. */
export interface LateEntries {
  /** Writes an entry, now or later. Never rejects with a DatabaseError. */
  write(entry: Entry): Promise<void>;
  /** Tries for the last time, and gives up what is left. */
  close(): Promise<void>;
}

interface LateEntriesParts {
  readonly database: Pick<Database, 'write'>;
  /** Called when entries begin to wait, and when none waits any more. */
  readonly report: { readonly waiting: (error: unknown) => void; readonly written: () => void };
  readonly againAfterMs?: number;
}

export function createLateEntries(parts: LateEntriesParts): LateEntries {
  const { database, report, againAfterMs = AGAIN_AFTER_MS } = parts;
  const waiting: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.slice(0, AT_ONCE);
      await database.write(...some.map(({ onceMore }) => onceMore));
      waiting.splice(0, some.length);
    }
    report.written();
  }

  /** One after the other, so that none is written twice. Never rejects. */
  function tryAll(): Promise<void> {
    if (waiting.length === 0) return Promise.resolve();
    writing ??= writeAll()
      .catch(() => undefined)
      .finally(() => {
        writing = undefined;
        if (waiting.length > 0) tryLater();
      });
    return writing;
  }

  function tryLater(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void tryAll(), againAfterMs);
  }

  return {
    async write(entry) {
      if (waiting.length === 0) {
        try {
          await database.write(entry.statement);
          return;
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error;
          if (waiting.length === 0) report.waiting(error);
        }
      }
      if (isClosed || waiting.length === MOST) {
        entry.lost();
        return;
      }
      waiting.push(entry);
      if (waiting.length === 1) tryLater();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await writing;
      await tryAll();
      for (const { lost } of waiting) lost();
    },
  };
}
