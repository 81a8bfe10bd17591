import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGroupCommit } from '../../src/storage/group-commit.ts';
import { openStorage } from '../../src/storage/open.ts';
import { prepareSchema } from '../../src/storage/sqlite-schema.ts';
import { createTables } from '../../src/storage/sqlite-tables.ts';
import { temporaryFolder } from './temporary.ts';

const minute = 60_000;

async function openWithRows() {
  const path = join(await temporaryFolder(), 'store.db');
  const clock = { time: Date.UTC(2030, 0, 1) };
  const storage = await openStorage(`sqlite:${path}`, { now: () => clock.time });
  const reader = new DatabaseSync(path, { readOnly: true });
  onTestFinished(async () => {
    reader.close();
    await storage.close();
  });
  const rows = (): unknown => reader.prepare('SELECT count(*) AS n FROM records').get()?.['n'];
  return { store: storage.store('notes'), clock, rows };
}

describe('expired records', () => {
  it('are removed by later writes, a batch at a time, and nothing else is', async () => {
    const { store, clock, rows } = await openWithRows();
    await Promise.all(Array.from({ length: 250 }, (_, number) => store.set(`old-${number}`, 1, 10)));
    await store.set('later', 1, 10 * minute);
    clock.time += minute;
    const counts: unknown[] = [];
    for (const number of [1, 2, 3]) {
      await store.set(`new-${number}`, 1);
      counts.push(rows());
    }

    expect(counts).toEqual([152, 53, 4]);
    expect(await store.keys('', 10)).toEqual(['later', 'new-1', 'new-2', 'new-3']);
  });

  it('are not looked for again within a minute', async () => {
    const { store, clock, rows } = await openWithRows();
    await store.set('old', 1, 10);
    clock.time += minute - 1;
    await store.set('new', 1);
    expect(rows()).toBe(2);
    clock.time += 1;
    await store.set('new', 1);

    expect(rows()).toBe(1);
  });

  it('are not removed by a read', async () => {
    const { store, clock, rows } = await openWithRows();
    await store.set('old', 1, 10);
    clock.time += 10 * minute;
    await store.get('old');
    await store.keys('', 10);

    expect(rows()).toBe(1);
  });
});

describe('a database with no room left', () => {
  it('says so, writes nothing of what it refused, and goes on when there is room', async () => {
    const connection = new DatabaseSync(':memory:');
    onTestFinished(() => connection.close());
    await prepareSchema(connection);
    connection.exec('PRAGMA max_page_count = 20');
    const writes = createGroupCommit(connection);
    const table = createTables({ connection, writes, now: Date.now })('notes');
    const keys = Array.from({ length: 40 }, (_, number) => `key-${number}`);
    const outcomes = await Promise.allSettled(
      keys.map((key) => table.set(key, 'x'.repeat(4_000), undefined)),
    );
    const written = keys.filter((_, index) => outcomes[index]?.status === 'fulfilled');

    expect(outcomes.at(-1)).toMatchObject({ reason: { name: 'StorageError', kind: 'full' } });
    expect(new Set(await table.keys('', 100))).toEqual(new Set(written));
    connection.exec('PRAGMA max_page_count = 1000');
    await table.set('after', 'x', undefined);
    expect(await table.get('after')).toBe('x');
  });
});
