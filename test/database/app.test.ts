import { rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteFile } from '../../src/database/open.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { engines } from '../support/engines.ts';
import { personIn, readable } from '../support/person.ts';

async function startOnFile() {
  const [sqlite] = engines;
  const storeUrl = (await sqlite?.newUrl()) ?? '';
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

  it('is no longer ready once its file was deleted, and says so', async () => {
    const { sandbox, file } = await startOnFile();
    expect((await fetch(`${sandbox.publicUrl}/readyz`)).status).toBe(200);
    await rm(file);

    expect((await fetch(`${sandbox.publicUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${sandbox.publicUrl}/healthz`)).status).toBe(200);
  });
});
