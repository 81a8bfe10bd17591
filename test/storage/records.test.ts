import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { temporaryFolder } from './temporary.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

async function openWithRows() {
  const path = join(await temporaryFolder(), 'store.db');
  const clock = { time: Date.UTC(2030, 0, 1), elapsed: 5 };
  const storage = await openStorage(`sqlite:${path}`, {
    now: () => clock.time,
    elapsed: () => clock.elapsed,
  });
  const reader = new DatabaseSync(path, { readOnly: true });
  onTestFinished(async () => {
    reader.close();
    await storage.close();
  });
  const rows = (): unknown => reader.prepare('SELECT count(*) AS n FROM records').get()?.['n'];
  const pass = (ms: number): void => {
    clock.time += ms;
    clock.elapsed += ms;
  };
  return { store: storage.store('notes'), clock, rows, pass };
}

describe('expired records', () => {
  it('are removed by later writes, a batch at a time, and nothing else is', async () => {
    const { store, rows, pass } = await openWithRows();
    await Promise.all(Array.from({ length: 250 }, (_, number) => store.set(`old-${number}`, 1, 10)));
    await store.set('later', 1, day);
    pass(10 * minute);
    await store.set('new-0', 1);
    pass(10 * minute);
    const counts: unknown[] = [];
    for (const number of [1, 2, 3]) {
      await store.set(`new-${number}`, 1);
      counts.push(rows());
    }

    expect(counts).toEqual([153, 54, 5]);
    expect(await store.keys('', 10)).toEqual(['later', 'new-0', 'new-1', 'new-2', 'new-3']);
  });

  it('are kept until they have been expired for ten minutes', async () => {
    const { store, rows, pass } = await openWithRows();
    await store.set('old', 1, 10);
    pass(10 * minute);
    await store.set('new', 1);
    pass(10 * minute - 1);
    await store.set('new', 1);
    expect(rows()).toBe(2);
    pass(1);
    await store.set('new', 1);

    expect(rows()).toBe(1);
  });

  it('are not removed by a read', async () => {
    const { store, rows, pass } = await openWithRows();
    await store.set('old', 1, 10);
    pass(10 * minute);
    await store.set('new', 1);
    pass(10 * minute);
    await store.get('old');
    await store.keys('', 10);

    expect(rows()).toBe(2);
  });
});

describe('a clock that is far ahead', () => {
  it.each([0, 1, 5, 9, 10, 11, 15, 19])('for nine minutes from minute %i removes nothing', async (from) => {
    const { store, clock, pass } = await openWithRows();
    await store.set('settled', 1, 90 * day);
    for (let passed = 0; passed < 60; passed += 1) {
      if (passed === from) clock.time += 91 * day;
      if (passed === from + 9) clock.time -= 91 * day;
      await store.set('other', 1);
      pass(minute);
    }

    expect(await store.get('settled')).toBe(1);
  });

  it('removes no more once it is set back', async () => {
    const { store, clock, rows } = await openWithRows();
    await Promise.all(Array.from({ length: 150 }, (_, number) => store.set(`kept-${number}`, 1, 90 * day)));
    clock.time += 91 * day;
    for (const _look of [1, 2]) {
      clock.elapsed += 10 * minute;
      await store.set('other', 1);
    }
    expect(rows()).toBe(51);
    clock.time -= 91 * day;
    await store.set('other', 1);

    expect(rows()).toBe(51);
  });
});
