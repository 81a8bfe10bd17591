import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { startChild } from '../../support/child.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { notesIn } from '../../database/notes.ts';
import { openUntilTestEnds } from '../../support/engines.ts';

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

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

  it('leaves everything in the main file even if another program still has it open', async () => {
    const path = join(await temporaryFolder(), 'store.db');
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
    ['the file is something else', 'file', 'corrupt'],
  ])('is refused with an explanation if %s', async (_what, path, kind) => {
    const folder = await temporaryFolder();
    await writeFile(
      join(folder, 'file'),
      'not a database, but long enough to be looked at as one'.repeat(100),
    );
    const opening = openDatabase(`sqlite:${join(folder, path)}`);

    await expect(opening).rejects.toMatchObject({ name: 'DatabaseError', kind });
  });

  it('is refused with an explanation if the folder is read-only', async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o555);
    const child = startChild(new URL('./processes/open-as-nobody.ts', import.meta.url), [
      `sqlite:${join(folder, 'store.db')}`,
    ]);
    await child.ended();

    expect(child.lines().map((line) => JSON.parse(line))).toEqual([
      { name: 'DatabaseError', kind: 'no-access' },
    ]);
  });
});
