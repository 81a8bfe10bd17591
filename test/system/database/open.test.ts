import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeChecks } from '../../../src/admin/check-operator.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { startChild } from '../../support/child.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { notesIn } from '../../database/notes.ts';
import { openUntilTestEnds } from '../../support/engines.ts';

const newPath = async () => join(await temporaryFolder(), 'store.db');
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('STORE_URL', () => {
  it('creates the file and its folders for this user only', async () => {
    const folder = join(await temporaryFolder(), 'deep', 'data');
    const path = join(folder, 'store.db');
    const database = await openUntilTestEnds(`sqlite:${path}`);
    await database.check();

    expect(await modeOf(folder)).toBe(0o700);
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(`${path}-wal`)).toBe(0o600);
  });

  it('makes files private that others can open, which the doctor reports before', async () => {
    const path = await newPath();
    await (await openDatabase(`sqlite:${path}`)).close();
    const files = [path, `${path}-wal`, `${path}-shm`];
    for (const file of files.slice(1)) await writeFile(file, '');
    for (const file of files) await chmod(file, 0o644);
    const checks = storeChecks({ check: async () => undefined, storeUrl: `sqlite:${path}`, isNew: false });
    const examined = async () => (await checks.find(({ about }) => about === 'Database file')?.run())?.[0];
    expect(await examined()).toMatchObject({
      state: 'warning',
      says: 'Other users of this machine can open it (mode 644).',
    });
    await openUntilTestEnds(`sqlite:${path}`);
    for (const file of files) expect(await modeOf(file)).toBe(0o600);
    expect(await examined()).toMatchObject({ state: 'ok' });
  });

  it('leaves everything in the main file even if another program still has it open', async () => {
    const path = await newPath();
    const database = await openDatabase(`sqlite:${path}`);
    await notesIn(database).set('a', 'kept in the main file');
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('SELECT * FROM presses');
    await database.close();

    expect((await readFile(path)).includes('kept in the main file')).toBe(true);
  });

  it.each(['redis:', 'rediss:', 'mysql:'])('is refused as %s, without its password', async (scheme) => {
    const failure: unknown = await openDatabase(`${scheme}//user:hunter2@host/db`).catch((error) => error);

    expect(failure).toMatchObject({
      name: 'DatabaseUrlError',
      message: expect.stringMatching(/sqlite:<path of a file>, postgres:/),
    });
    expect(String(failure)).not.toContain('hunter2');
  });

  it.each([
    ['there is a file where the folder should be', 'file/store.db', 'no-access'],
    ['there is a folder where the file should be', '.', 'no-access'],
    ['its folder takes no files', '/sys/store.db', 'no-access'],
    ['the file is something else', 'file', 'corrupt'],
  ])('is refused with an explanation if %s', async (_what, path, kind) => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'file'),
      'not a database, but long enough to be looked at as one'.repeat(100),
    );
    const opening = openDatabase(`sqlite:${resolve(folder, path)}`);

    await expect(opening).rejects.toMatchObject({ name: 'DatabaseError', kind });
  });
});

describe('a SQLite file', () => {
  it.each([1, 16])(
    'has everything that a process confirmed before it was killed with SIGKILL, %d at a time',
    async (atOnce) => {
      const url = `sqlite:${await newPath()}`;
      const script = new URL('./processes/write-forever.ts', import.meta.url);
      const writer = startChild(script, [url, String(atOnce)]);
      await writer.printed(400);
      writer.process.kill('SIGKILL');
      await writer.ended();
      const notes = notesIn(await openUntilTestEnds(url));

      expect(writer.process.signalCode).toBe('SIGKILL');
      for (const key of writer.lines()) expect(await notes.get(key)).toEqual({ key });
    },
  );
});
