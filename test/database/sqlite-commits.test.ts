import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql, writeIfWith } from '../../src/database/database.ts';
import type { Sql, Written } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createGroupCommit } from '../../src/database/sqlite.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { notesIn } from './notes.ts';

/** A file with a table `t` that accepts each positive number once, and checks `parent` only at COMMIT. */
async function openNumbers({ lockedForMs = 45_000 } = {}) {
  const path = join(await temporaryFolder(), 'numbers.db');
  const writer = new DatabaseSync(path);
  const reader = new DatabaseSync(path);
  onTestFinished(() => {
    if (writer.isOpen) writer.close();
    reader.close();
  });
  writer.exec(`PRAGMA journal_mode = WAL; CREATE TABLE t (
    n INTEGER PRIMARY KEY CHECK (n > 0), parent INTEGER REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)`);
  const run = ({ words, values }: Sql): Written => ({
    changed: Number(writer.prepare(words.join('?')).run(...values).changes),
    returned: [],
  });
  const group = createGroupCommit(writer, run, { lockedForMs, betweenTriesMs: 5 });
  return {
    writer,
    write: (...statements: readonly Sql[]) => group.write(statements),
    writeIf: writeIfWith((statements, next) => group.write(statements, next)),
    finish: () => group.finish(),
    insert: (n: number, parent: number | null = null) =>
      sql`INSERT INTO t (n, parent) VALUES (${n}, ${parent})`,
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
  it('are one commit, even a thousand of them', async () => {
    const path = join(await temporaryFolder(), 'store.db');
    const database = await openDatabase(`sqlite:${path}`);
    onTestFinished(() => database.close());
    const store = notesIn(database);
    const before = await countCommits(`${path}-wal`);
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => store.set(`key-${number}`, number)));

    expect((await countCommits(`${path}-wal`)) - before).toBe(1);
    expect(await store.keys()).toHaveLength(1_000);
  });

  it('resolve only once another connection can see them, even if they changed nothing', async () => {
    const { write, writeIf, insert, numbers } = await openNumbers();
    const first = write(insert(1)).then(() => numbers());
    const nothing = writeIf(sql`UPDATE t SET n = 5 WHERE n = 7`, insert(2)).then((written) => [
      written,
      numbers(),
    ]);

    expect(await first).toEqual([1]);
    expect(await nothing).toEqual([undefined, [1]]);
  });

  it('fail one by one if a statement fails', async () => {
    const { write, insert, numbers } = await openNumbers();
    const outcomes = await Promise.allSettled([
      write(insert(1)),
      write(insert(2), insert(-2)),
      write(insert(3)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { name: 'DatabaseError', kind: 'failed' } });
    expect(numbers()).toEqual([1, 3]);
  });

  it('fail together if the commit fails, and the next ones work', async () => {
    const { write, insert, numbers } = await openNumbers();
    const outcomes = await Promise.allSettled([write(insert(1)), write(insert(2, 99)), write(insert(3))]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(numbers()).toEqual([]);
    await write(insert(4));
    expect(numbers()).toEqual([4]);
  });

  it('fail together if a statement undoes the transaction', async () => {
    const { write, insert, numbers } = await openNumbers();
    const undoing = sql`INSERT OR ROLLBACK INTO t (n) VALUES (1)`;
    const outcomes = await Promise.allSettled([write(insert(1)), write(undoing), write(insert(3))]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(numbers()).toEqual([]);
  });

  it('wait for another connection’s lock by a timer, while everything else goes on', async () => {
    const { write, writer, insert, numbers } = await openNumbers();
    const other = new DatabaseSync(writer.location() ?? '');
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const begun = write(insert(1));
    const second = write(insert(2));
    // The loop goes on meanwhile: were the lock waited for inside SQLite, these turns would not come.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    other.exec('COMMIT');
    await Promise.all([begun, second]);

    expect(numbers()).toEqual([1, 2]);
  });

  it('give up with an explanation if the lock stays, and work again once it is gone', async () => {
    const { write, finish, writer, insert, numbers } = await openNumbers({ lockedForMs: 200 });
    const other = new DatabaseSync(writer.location() ?? '');
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');

    await expect(write(insert(1))).rejects.toMatchObject({ name: 'DatabaseError', kind: 'locked' });
    other.exec('COMMIT');
    await write(insert(2));
    await finish();
    expect(numbers()).toEqual([2]);
  });
});
