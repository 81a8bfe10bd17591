import type { Database } from './database.ts';

const EVERY_MS = 60_000;

/**
 * Finds out now and every minute whether hints of other processes arrive (`Database.hears`). Where they don't, everything
 * that waits for one looks for itself, every second or two.
 *
 * @param changed called when they don't, and when they do again
 * @returns a function that stops it; it doesn't reject
 */
export function watchHearing(database: Database, changed: (hears: boolean) => void): () => Promise<void> {
  let heard = true;
  let isStopped = false;
  async function look(): Promise<void> {
    // Where the database can't be asked, nothing is known, and others say so.
    const hears = await database.hears().catch(() => heard);
    if (hears === heard || isStopped) return;
    heard = hears;
    changed(hears);
  }
  let looking = look();
  const timer = setInterval(() => void (looking = look()), EVERY_MS).unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await looking;
  };
}
