import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGroupCommit } from '../../src/storage/group-commit.ts';
import { openStorage } from '../../src/storage/open.ts';
import { temporaryFolder } from './temporary.ts';

/** A file with a table `t` that takes positive numbers once, and whose `parent` is looked at only by COMMIT. */
async function openNumbers() {
  const path = join(await temporaryFolder(), 'numbers.db');
  const writer = new DatabaseSync(path);
  const reader = new DatabaseSync(path);
  onTestFinished(() => {
    if (writer.isOpen) writer.close();
    reader.close();
  });
  writer.exec(`PRAGMA journal_mode = WAL; CREATE TABLE t (
    n INTEGER PRIMARY KEY CHECK (n > 0), parent INTEGER REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)`);
  const insert = writer.prepare('INSERT INTO t (n, parent) VALUES (?, ?)');
  return {
    group: createGroupCommit(writer),
    writer,
    insert: (n: number, parent: number | null = null) => insert.run(n, parent).changes,
    numbers: () =>
      reader
        .prepare('SELECT n FROM t ORDER BY n')
        .all()
        .map((row) => row['n']),
  };
}

/** Counts the commits in a WAL file: its frames that carry a database size, https://sqlite.org/fileformat.html#walformat */
async function countCommits(walPath: string): Promise<number> {
  const wal = await readFile(walPath);
  const frameSize = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameSize <= wal.length; at += frameSize)
    if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}

describe('writes of one turn of the loop', () => {
  it('are one commit, though there are a thousand', async () => {
    const path = join(await temporaryFolder(), 'store.db');
    const storage = await openStorage(`sqlite:${path}`);
    onTestFinished(() => storage.close());
    const store = storage.store('notes');
    const before = await countCommits(`${path}-wal`);
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => store.set(`key-${number}`, number)));

    expect((await countCommits(`${path}-wal`)) - before).toBe(1);
    expect(await store.keys('', 2_000)).toHaveLength(1_000);
  });

  it('are all written when they are more than one transaction takes', async () => {
    const { group, insert, numbers } = await openNumbers();
    const changes = await Promise.all(
      Array.from({ length: 2_500 }, (_, n) => group.write(() => insert(n + 1))),
    );

    expect(changes).toHaveLength(2_500);
    expect(numbers()).toHaveLength(2_500);
  });

  it('resolve only when another connection can see them', async () => {
    const { group, insert, numbers } = await openNumbers();
    const first = group.write(() => insert(1)).then(() => numbers());
    const second = group.write(() => numbers());

    expect(await first).toEqual([1]);
    expect(await second).toEqual([]);
  });

  it('fail one by one where a statement fails', async () => {
    const { group, insert, numbers } = await openNumbers();
    const outcomes = await Promise.allSettled([1, -2, 3].map((n) => group.write(() => insert(n))));

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { name: 'StorageError', kind: 'failed' } });
    expect(numbers()).toEqual([1, 3]);
  });

  it('fail together where the commit fails, and the next ones go on', async () => {
    const { group, insert, numbers } = await openNumbers();
    const outcomes = await Promise.allSettled([
      group.write(() => insert(1)),
      group.write(() => insert(2, 99)),
      group.write(() => insert(3)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(numbers()).toEqual([]);
    expect(await group.write(() => insert(4))).toBe(1);
    expect(numbers()).toEqual([4]);
  });

  it('fail together where a statement undoes the transaction', async () => {
    const { group, writer, insert, numbers } = await openNumbers();
    const outcomes = await Promise.allSettled([
      group.write(() => insert(1)),
      group.write(() => writer.exec('INSERT OR ROLLBACK INTO t (n) VALUES (1)')),
      group.write(() => insert(3)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(numbers()).toEqual([]);
  });

  it('are committed at once when drained', async () => {
    const { group, insert, numbers } = await openNumbers();
    const write = group.write(() => insert(1));
    group.drain();

    expect(numbers()).toEqual([1]);
    await write;
  });

  it('reject when the database is closed', async () => {
    const { group, writer, insert } = await openNumbers();
    const write = group.write(() => insert(1));
    writer.close();

    await expect(write).rejects.toMatchObject({ name: 'StorageError', kind: 'closed' });
  });
});
