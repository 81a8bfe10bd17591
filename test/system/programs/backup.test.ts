import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startApp } from '../../../src/app.ts';
import type { AppOptions } from '../../../src/services.ts';
import { AnyRow, sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createWebhookSecret } from '../../../src/webhooks/sign.ts';
import { ADA } from '../../home/at-home.ts';
import { endedSession } from '../../sessions/ended-session.ts';
import { summariesSeenBy, webhooksOf } from '../../sessions/webhook-stage.ts';
import { builtStart } from '../../support/app-process.ts';
import { checkedSandbox, keptLog } from '../../support/checked-sandbox.ts';
import { engines, sqlite, openUntilTestEnds } from '../../support/engines.ts';
import { notesIn } from '../../database/notes.ts';
import { overHttp } from '../../support/settings.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { runNode } from './run-program.ts';

const BUILT = await builtStart();
const pathOf = (url: string) => url.replace('sqlite:', '');

/** Runs one of the app's programs. */
async function run(STORE_URL: string, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runNode([BUILT, ...words], { env: { ...overHttp, STORE_URL } });
  return { code, says: stdout + stderr };
}

/** Runs a command of docs/operations.md, as whoever read it there would. */
function runDocumented(STORE_URL: string, line: string, FILE: string): void {
  expect(readFileSync('docs/operations.md', 'utf8')).toContain(line);
  const env = { PATH: process.env.PATH, STORE_URL, FILE };
  const { status, stderr } = spawnSync('sh', ['-c', line.replace('FILE', '"$FILE"')], {
    encoding: 'utf8',
    env,
  });
  expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: '' });
}

/** How many deliveries have no outcome yet. */
async function unsettledIn(storeUrl: string): Promise<number> {
  const database = await openDatabase(storeUrl);
  const unsettled = sql`SELECT 1 FROM deliveries WHERE state IN ('waiting', 'sending')`;
  const rows = await database.read(unsettled, AnyRow);
  await database.close();
  return rows.length;
}

describe('a backup that is restored once', () => {
  const { sandbox } = checkedSandbox();

  it.each(engines)(
    'goes on, and posts nothing twice, in $engine',
    async ({ engine, newUrl, newEmptyUrl }) => {
      const { config, publicUrl, slack, receiver } = sandbox();
      const { address, send } = webhooksOf(sandbox());
      const isPostgres = engine === 'PostgreSQL';
      const named = (what: string) => `${what} in ${engine}`;
      const [old, since, fresh] = ['posted', 'posted since', 'new'].map(named);
      const addresses = new Map([old, since, fresh].map((id) => [id, address()]));
      const seen = () => summariesSeenBy(slack).flatMap(({ id }) => (addresses.has(id) ? [id] : []));
      /** The ids of the webhooks that said that a session ended. */
      const webhooksOn = (session = '') =>
        receiver
          .arrived()
          .filter(({ body }) => body.includes(JSON.stringify(session)))
          .map(({ id }) => id);
      async function start(storeUrl: string, more: Partial<AppOptions> = {}) {
        const app = await startApp(
          { ...config, storeUrl, port: 0 },
          { log: keptLog().log, paceMs: 0, ...more },
        );
        let stopped: Promise<void> | undefined;
        const stop = () => (stopped ??= app.stop());
        onTestFinished(stop);
        async function tell(id = ''): Promise<void> {
          const to = (addresses.get(id) ?? '').replace(publicUrl, `http://127.0.0.1:${app.port}`);
          await send(endedSession(id, { ended_at: new Date().toISOString() }), { to });
          await expect.poll(seen).toContain(id);
          await expect.poll(() => webhooksOn(id)).not.toEqual([]);
        }
        return { tell, stop };
      }
      const file = join(await temporaryFolder(), 'a backup of O’Neil’s');
      const before = await newUrl();
      const webhook = {
        by: { workspaceId: 'T0ACME00000', userId: ADA },
        url: new URL(receiver.address),
        secret: createWebhookSecret(),
        events: ['session.ended'],
        filters: { agents: [], groups: [], tags: [] },
        hasNames: false,
      };
      const app = await start(before, { webhook });
      await app.tell(old);
      // What arrived and isn't recorded yet would come again after the restore.
      await expect.poll(() => unsettledIn(before)).toBe(0);

      // While it serves.
      const saysKeys = { code: 0, says: expect.stringMatching(/SECRET_KEYS.*: [0-9a-f]{8}\.\n$/) };
      const elsewhere = { code: 1, says: expect.stringContaining('docs/operations.md') };
      expect(await run(before, 'backup', file)).toEqual(isPostgres ? elsewhere : saysKeys);
      if (isPostgres) runDocumented(before, 'pg_dump -Fc --file FILE --dbname "$STORE_URL"', file);
      await app.tell(since);
      const tooSoon = { code: 1, says: expect.stringMatching(/Stop it/) };
      expect(await run(before, 'restore', file)).toEqual(isPostgres ? elsewhere : tooSoon);
      await app.stop();

      // All is lost.
      const after = await newEmptyUrl();
      const pgRestore = 'pg_restore --no-owner --single-transaction --dbname "$STORE_URL" FILE';
      if (isPostgres) runDocumented(after, pgRestore, file);
      const restored = await run(after, 'restore', isPostgres ? '--mark' : file);
      expect(restored).toEqual({ code: 0, says: expect.stringContaining('Start the app') });
      const again = await start(after);
      for (const id of [old, since, fresh]) await again.tell(id);
      await expect.poll(() => webhooksOn(since).length).toBe(2);
      await again.stop();
      // What the backup doesn't know of comes again, with its id.
      expect(new Set(webhooksOn(since)).size).toBe(1);
      expect([old, fresh].map((id) => webhooksOn(id).length)).toEqual([1, 1]);
      expect(seen().toSorted()).toEqual([fresh, old, since]);
    },
  );
});

/** A SQLite database that an app has left, with a note in it. */
async function aDatabase() {
  const storeUrl = await sqlite.newUrl();
  const database = await openDatabase(storeUrl);
  await notesIn(database).add('before', true);
  await database.close();
  const path = pathOf(storeUrl);
  const files = async () => (await readdir(dirname(path))).toSorted();
  async function notes(): Promise<readonly string[]> {
    const opened = await openDatabase(storeUrl);
    const keys = await notesIn(opened).keys();
    await opened.close();
    return keys;
  }
  return { storeUrl, path, files, notes, backup: join(await temporaryFolder(), 'backup.db') };
}

describe('a backup of a SQLite file', () => {
  it.each([
    ['another file has its name', ['taken.db'], 'exists already'],
    ['there is no folder for it', ['no/such/backup.db'], 'There is no folder '],
    ['it has no name', [], 'cobrowse-for-slack backup FILE'],
    ['it’s asked for what there isn’t', ['--all'], 'cobrowse-for-slack backup FILE'],
  ])('isn’t made where %s, in words', async (_why, typed, words) => {
    const { storeUrl, backup } = await aDatabase();
    const taken = join(dirname(backup), 'taken.db');
    await writeFile(taken, 'precious');
    const { code, says } = await run(
      storeUrl,
      'backup',
      ...typed.map((one) => one.replace('taken.db', taken)),
    );
    expect(code).toBeGreaterThan(0);
    expect(says).toContain(words);
    expect(await readFile(taken, 'utf8')).toBe('precious');
  });

  it('isn’t made of a damaged database, or of none', async () => {
    const { storeUrl, path, backup } = await aDatabase();
    await truncate(path, (await stat(path)).size - 4_096);
    expect(await run(storeUrl, 'backup', backup)).toEqual({
      code: 1,
      says: expect.stringContaining('damaged'),
    });
    expect(await run(`${storeUrl}-none`, 'backup', backup)).toEqual({
      code: 1,
      says: expect.stringContaining('There is no database'),
    });
    expect(await readdir(dirname(backup))).toEqual([]);
  });
});

describe('a restore of a SQLite file', () => {
  it('reads nothing into it that a database which was taken away left beside its place', async () => {
    const { storeUrl, path, backup, notes } = await aDatabase();
    expect((await run(storeUrl, 'backup', backup)).code).toBe(0);
    const database = await openDatabase(storeUrl);
    for (let at = 0; at < 200; at += 1) await notesIn(database).add(`since ${at}`, true);
    await copyFile(`${path}-wal`, `${path}.killed`);
    await database.close();
    await rm(path);
    await copyFile(`${path}.killed`, `${path}-wal`);
    expect((await run(storeUrl, 'restore', backup)).code).toBe(0);
    expect(await notes()).toEqual(['before']);
  });

  it('keeps what was there, and marks what it puts in its place', async () => {
    const { storeUrl, path, backup, notes, files } = await aDatabase();
    expect((await run(storeUrl, 'backup', backup)).code).toBe(0);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(backup))).toEqual(['backup.db']);
    const database = await openDatabase(storeUrl);
    await notesIn(database).add('since', true);
    // As a kill leaves it: what was written last is in the file beside it.
    const killed = `${path}.killed`;
    for (const end of ['', '-wal']) await copyFile(path + end, killed + end);
    await database.close();
    for (const end of ['', '-wal']) await copyFile(killed + end, path + end);

    const { code, says } = await run(storeUrl, 'restore', backup);
    expect({ code, says }).toEqual({ code: 0, says: expect.stringContaining('is restored') });
    expect(await notes()).toEqual(['before']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const aside = /is in (\S+)\.\n/u.exec(says)?.[1] ?? '';
    const kept = await openUntilTestEnds(`sqlite:${aside}`);
    expect((await notesIn(kept).keys()).toSorted()).toEqual(['before', 'since']);
    expect((await files()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it.each([
    ['is no database', (file: string) => writeFile(file, 'no database'), 'file is not a database'],
    [
      'is another program’s',
      async (file: string) => new DatabaseSync(file).exec('CREATE TABLE theirs (id)'),
      'isn’t a database of this app',
    ],
    [
      'is damaged',
      async (file: string) => truncate(file, (await stat(file)).size - 4_096),
      'is damaged, so nothing was changed',
    ],
    [
      'is a newer version’s',
      async (file: string) => new DatabaseSync(file).exec('UPDATE schema_version SET oldest_program = 1000'),
      'made by another version',
    ],
  ])('changes nothing where the backup %s', async (what, spoil, words) => {
    const { storeUrl, backup, notes, files } = await aDatabase();
    if (/damaged|newer/u.test(what)) await run(storeUrl, 'backup', backup);
    await spoil(backup);
    const before = await files();
    expect(await run(storeUrl, 'restore', backup)).toEqual({ code: 1, says: expect.stringContaining(words) });
    expect(await files()).toEqual([...new Set([...before, 'store.db-lock'])].toSorted());
    expect(await notes()).toEqual(['before']);
  });
});
