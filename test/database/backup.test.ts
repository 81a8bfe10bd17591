import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { backUp, restoreFrom } from '../../src/database/backup.ts';
import { openDatabase } from '../../src/database/open.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { notesIn } from './notes.ts';

async function withNote<Value>(
  path: string,
  act: (notes: ReturnType<typeof notesIn>) => Promise<Value>,
): Promise<Value> {
  const database = await openDatabase(`sqlite:${path}`);
  const value = await act(notesIn(database));
  await database.close();
  return value;
}

it('keeps what each of several restores within a second put aside', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'store.db');
  const backup = join(folder, 'backup.db');
  await withNote(path, (notes) => notes.set('a', 'backed up'));
  await backUp(path, backup);
  const at = new Date('2026-03-01T12:00:00.500Z');
  const asides: string[] = [];
  for (const value of ['first', 'second', 'third']) {
    await withNote(path, (notes) => notes.set('a', value));
    asides.push((await restoreFrom(backup, path, { at, prepare: async () => undefined })) ?? '');
  }
  expect(asides).toEqual(['', '-2', '-3'].map((end) => `${path}.before-20260301T120000Z${end}`));
  const kept = await Promise.all(asides.map((aside) => withNote(aside, (notes) => notes.get('a'))));
  expect(kept).toEqual(['first', 'second', 'third']);
});

it('removes what a killed backup left a day ago, and leaves what another is making', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'store.db');
  await withNote(path, (notes) => notes.set('a', 'one'));
  const old = ['old.db~0a1b2c3d.part', 'old.db~0a1b2c3d.part-journal'];
  const kept = ['new.db~0a1b2c3d.part', 'theirs.part'];
  for (const name of [...old, ...kept]) await writeFile(join(folder, name), '');
  for (const name of [...old, 'theirs.part']) await utimes(join(folder, name), 0, 0);
  await backUp(path, join(folder, 'backup.db'));
  const left = (await readdir(folder)).filter((name) => name.includes('.part'));
  expect(left.toSorted()).toEqual(kept);
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
