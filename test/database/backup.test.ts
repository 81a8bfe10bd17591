import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { backUp } from '../../src/database/backup.ts';
import { temporaryFolder } from '../support/temporary.ts';

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
