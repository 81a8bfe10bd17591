import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backUp } from '../../src/database/backup.ts';
import { sql } from '../../src/database/database.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { notesIn } from './notes.ts';
import { openUntilTestEnds } from '../support/engines.ts';

async function openNotes() {
  const path = join(await temporaryFolder(), 'store.db');
  const database = await openUntilTestEnds(`sqlite:${path}`);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return { database, store: notesIn(database), other };
}

describe('a write to SQLite', () => {
  it('is undone if its commit fails, and those beside it are kept', async () => {
    const { database, store } = await openNotes();
    await database.write(sql`CREATE TABLE parts (
      n INTEGER PRIMARY KEY, whole INTEGER REFERENCES parts (n) DEFERRABLE INITIALLY DEFERRED)`);
    const orphan = database.write(sql`INSERT INTO parts VALUES (1, 99)`);
    const outcomes = await Promise.allSettled([store.set('a', 1), orphan, store.set('b', 2)]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.keys()).toEqual(['a', 'b']);
  });

  it('is given up with an explanation while another connection writes, and works again afterwards', async () => {
    const { store, other } = await openNotes();
    other.exec('BEGIN IMMEDIATE');
    await expect(store.set('a', 1)).rejects.toMatchObject({ name: 'DatabaseError', kind: 'locked' });
    other.exec('COMMIT');
    await store.set('b', 2);
    expect(await store.keys()).toEqual(['b']);
  });
});

it('a copy that SQLite makes and then finds damaged isn’t kept as a backup', async () => {
  const [from, to] = [await temporaryFolder(), await temporaryFolder()];
  const path = join(from, 'store.db');
  const database = new DatabaseSync(path, { defensive: false });
  database.exec(`CREATE TABLE notes (word TEXT); INSERT INTO notes VALUES (NULL); PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE TABLE notes (word TEXT NOT NULL)'`);
  database.close();
  await expect(backUp(path, join(to, 'backup.db'))).rejects.toThrow(/^The copy is damaged.*\nNULL value in/u);
  expect(await readdir(to)).toEqual([]);
});
