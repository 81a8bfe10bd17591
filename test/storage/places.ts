import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { temporaryFolder } from './temporary.ts';

// Long over by the system's clock, which must play no part.
const noon = Date.UTC(2020, 0, 1, 12);

async function openAtNoon(url: string) {
  const clock = { time: noon };
  const storage = await openStorage(url, { now: () => clock.time });
  onTestFinished(() => storage.close());
  return { storage, store: storage.store('notes'), clock };
}

/**
 * Every kind of place a store can be in, each with a function that opens a new storage there until the test ends.
 * Its clock stands still until `clock.time` (milliseconds since 1970) is moved.
 */
export const places = [
  {
    place: 'in a SQLite file',
    open: async () => openAtNoon(`sqlite:${join(await temporaryFolder(), 'data', 'store.db')}`),
  },
  { place: 'in memory', open: async () => openAtNoon('memory:') },
] as const;
