import { copyFile, rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteFile } from '../../src/database/open.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { sqlite } from '../support/engines.ts';
import { personIn, readable } from '../support/person.ts';

async function startOnFile() {
  const storeUrl = await sqlite.newUrl();
  const sandbox = await startSandbox({ paceMs: 0, storeUrl });
  onTestFinished(() => sandbox.close());
  return { sandbox, file: sqliteFile(storeUrl) ?? '' };
}

describe('the app on a SQLite file', () => {
  it('acknowledges and answers every command while another process holds the lock', async () => {
    const { sandbox, file } = await startOnFile();
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const alex = personIn(sandbox);
    const asked = Array.from({ length: 8 }, () => alex.type('/cobrowse find jane@acme.com'));
    const alive = await fetch(`${sandbox.publicUrl}/healthz`);
    const answers = await Promise.all(asked);

    expect(alive.status).toBe(200);
    expect(answers.map(({ blocks }) => readable(blocks).includes('Jane Cooper'))).toEqual(
      answers.map(() => true),
    );
    other.exec('COMMIT');
  });

  it.each([
    ['deleted', (file: string) => rm(file)],
    ['replaced', (file: string) => copyFile(file, `${file}-other`).then(() => rename(`${file}-other`, file))],
  ])('is no longer ready once its file was %s, and says so', async (_how, change) => {
    const { sandbox, file } = await startOnFile();
    const statusOf = async (path: string) => (await fetch(`${sandbox.publicUrl}${path}`)).status;
    expect(await statusOf('/readyz')).toBe(200);
    await change(file);

    expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([503, 200]);
  });
});
