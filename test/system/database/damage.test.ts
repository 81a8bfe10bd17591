import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { damageIn } from '../../../src/database/sqlite-file.ts';
import { openForServing } from '../../../src/database/open.ts';
import { examineSettings } from '../../../src/cli/doctor.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { openRealWorld } from '../outbox/real-app.ts';
import { keptLog } from '../../support/checked-sandbox.ts';
import { ADA } from '../../admin/audit-stage.ts';
import { personIn, readable } from '../../support/person.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const PAGE = 4_096;
const Root = z.object({ rootpage: z.number() });

/** A file with the app's tables, two of them damaged as a failing disk might do it. @param bytes how large it is at least */
async function damagedFile(bytes = 0): Promise<string> {
  const path = join(await temporaryFolder(), 'store.db');
  const database = await openForServing(`sqlite:${path}`, { onWait: () => undefined, waitMs: 0 });
  await database.close();
  const connection = new DatabaseSync(path);
  connection.exec('CREATE TABLE large (words TEXT)');
  const insert = connection.prepare('INSERT INTO large VALUES (?)');
  for (let size = 0; size < bytes; size += PAGE) insert.run('x'.repeat(PAGE));
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

describe('a damaged SQLite file', () => {
  it('leaves the app running and not ready, and its log and doctor say what to do', async () => {
    const { log, lines } = keptLog();
    const sandbox = await startSandbox({ storeUrl: `sqlite:${await damagedFile()}`, log });
    onTestFinished(() => sandbox.close());
    const ready = await fetch(`${sandbox.publicUrl}/readyz`);

    expect(ready.status).toBe(503);
    expect(await ready.text()).toBe('not ready: the database is damaged, restore a backup\n');
    expect((await fetch(`${sandbox.publicUrl}/healthz`)).status).toBe(200);
    expect(lines.filter((line) => line.includes('the database file is damaged'))).toHaveLength(1);
    const found = readable((await personIn(sandbox, ADA).type('/cobrowse doctor')).blocks);
    expect(found).toContain('Its file is damaged.');
    expect(found).toContain('restore a backup: docs/operations.md');
    expect(found).not.toContain('All summaries delivered');
  });

  it('is found beside the work of a process that serves it, if it’s large', async () => {
    const path = await damagedFile(8 * 1_048_576);
    const damaged = Promise.withResolvers<Error>();
    const database = await openForServing(`sqlite:${path}`, {
      onWait: () => undefined,
      waitMs: 0,
      damaged: damaged.resolve,
    });
    onTestFinished(() => database.close());

    expect(await damaged.promise).toMatchObject({ name: 'DatabaseError', kind: 'corrupt' });
    await expect(database.check()).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('fails npm run doctor, which says nothing of summaries then', async () => {
    const world = await openRealWorld();
    const settings = { ...world.settings, STORE_URL: `sqlite:${await damagedFile()}` };
    const { says: output, code } = await examineSettings(settings);

    expect(output).toContain('failure  Database: Its file is damaged.');
    expect(output).toContain('-> Stop the app and restore a backup: docs/operations.md says how.');
    expect(output).not.toContain('Summaries:');
    expect(code).toBe(1);
  });
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

  expect(await damageIn(path)).toContain('2nd reference to page 2');
});
