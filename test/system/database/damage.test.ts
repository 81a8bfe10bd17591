import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkFile } from '../../../src/database/sqlite-file.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { examineSettings } from '../../../src/cli/doctor.ts';
import { openRealWorld } from '../outbox/real-app.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const PAGE = 4_096;
const Root = z.object({ rootpage: z.number() });

/** A file with the app's tables, two of them damaged as a failing disk might do it. */
async function damagedFile(): Promise<string> {
  const path = join(await temporaryFolder(), 'store.db');
  await (await openDatabase(`sqlite:${path}`)).close();
  const connection = new DatabaseSync(path);
  // All of it in the file itself, and not in the one beside it.
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const roots = connection
    .prepare(`SELECT rootpage FROM sqlite_master WHERE name IN ('online_requests', 'greetings')`)
    .all()
    .map((row) => Root.parse(row).rootpage);
  connection.close();
  const file = await open(path, 'r+');
  for (const root of roots) await file.write(randomBytes(PAGE), 0, PAGE, (root - 1) * PAGE);
  await file.close();
  return path;
}

it('a damaged SQLite file fails npm run doctor, which says nothing of summaries then', async () => {
  const world = await openRealWorld();
  const settings = { ...world.settings, STORE_URL: `sqlite:${await damagedFile()}` };
  const { says: output, code } = await examineSettings(settings);

  expect(output).toContain('failure  Database: Its file is damaged.');
  expect(output).toContain('-> Stop the app and restore a backup: docs/operations.md says how.');
  expect(output).not.toContain('Summaries:');
  expect(code).toBe(1);
});

it('is damage, too, where everything can still be read: pages that a table and the free list both claim', async () => {
  const path = join(await temporaryFolder(), 'store.db');
  const connection = new DatabaseSync(path);
  connection.exec('CREATE TABLE small (words TEXT)');
  connection.close();
  const file = await open(path, 'r+');
  // The first page of the free list, and how many there are. Source: sqlite.org/fileformat2.html#the_database_header
  await file.write(Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]), 0, 8, 32);
  await file.close();

  expect(checkFile(path)).toContain('2nd reference to page 2');
});
