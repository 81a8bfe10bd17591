import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../src/database/database.ts';
import { createGroupCommit } from '../../src/database/sqlite.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { notesIn } from './notes.ts';
import { openUntilTestEnds } from '../support/engines.ts';

const changesNothing = () => ({ changed: 0, returned: [] });

async function openNotes() {
  const path = join(await temporaryFolder(), 'store.db');
  const database = await openUntilTestEnds(`sqlite:${path}`);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return { path, database, store: notesIn(database), other };
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
    const { path, store } = await openNotes();
    const before = await countCommits(`${path}-wal`);
    await Promise.all(Array.from({ length: 1_000 }, (_, number) => store.set(`key-${number}`, number)));

    expect((await countCommits(`${path}-wal`)) - before).toBe(1);
    expect(await store.keys()).toHaveLength(1_000);
  });

  it('resolve only once another connection can see them, even if they changed nothing', async () => {
    const { database, store, other } = await openNotes();
    const seen = () => other.prepare('SELECT id FROM presses').all();
    const first = store.set('a', 1).then(seen);
    const nothing = database.writeIf(sql`DELETE FROM presses WHERE id = 'b'`, sql`SELECT 1`).then(seen);

    expect(await Promise.all([first, nothing])).toEqual([[{ id: 'a' }], [{ id: 'a' }]]);
  });

  it('fail together if the commit fails, and the next ones work', async () => {
    const { database, store } = await openNotes();
    await database.write(sql`CREATE TABLE parts (
      n INTEGER PRIMARY KEY, whole INTEGER REFERENCES parts (n) DEFERRABLE INITIALLY DEFERRED)`);
    const orphan = database.write(sql`INSERT INTO parts VALUES (1, 99)`);
    const outcomes = await Promise.allSettled([store.set('a', 1), orphan]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await store.set('b', 2);
    expect(await store.keys()).toEqual(['b']);
  });

  it('wait for another connection’s lock by a timer, while everything else goes on', async () => {
    const { store, other } = await openNotes();
    other.exec('BEGIN IMMEDIATE');
    const begun = [store.set('a', 1), store.set('b', 2)];
    // The loop goes on meanwhile: were the lock waited for inside SQLite, these turns would not come.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    other.exec('COMMIT');
    await Promise.all(begun);

    expect(await store.keys()).toEqual(['a', 'b']);
  });

  it('give up with an explanation if the lock stays, and work again once it is gone', async () => {
    const { path, other } = await openNotes();
    const connection = new DatabaseSync(path, { timeout: 0 });
    onTestFinished(() => connection.close());
    const impatient = createGroupCommit(connection, changesNothing, { lockedForMs: 200, betweenTriesMs: 5 });
    other.exec('BEGIN IMMEDIATE');

    await expect(impatient.write([sql`SELECT 1`])).rejects.toMatchObject({
      name: 'DatabaseError',
      kind: 'locked',
    });
    other.exec('COMMIT');
    expect(await impatient.write([sql`SELECT 1`])).toHaveLength(1);
  });
});
