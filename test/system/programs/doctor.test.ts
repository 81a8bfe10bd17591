import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examineSettings } from '../../../src/cli/doctor.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { NEEDED_SCOPES } from '../../../src/slack/setup-state.ts';
import { installsOn } from '../../../src/cli/store-program.ts';
import { openUntilTestEnds } from '../../support/engines.ts';
import { FORM, signedHeaders } from '../../support/signed.ts';
import { START } from '../../support/app-process.ts';
import { ON_TEST_CLOCK, settingsOfChild } from '../../support/child-clock.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { anInstall } from '../../workspaces/an-install.ts';
import { SECRETS, openRealWorld } from '../outbox/real-app.ts';
import { runNode } from './run-program.ts';

type Settings = Readonly<Record<string, string>>;

function expectNoSecrets(output: string): void {
  const { secretKeys, ...others } = SECRETS;
  for (const secret of [...Object.values(others), ...secretKeys]) expect(output).not.toContain(secret);
}

/** What the program prints beside the app, with these over the app's settings. */
async function examine({ settings }: { readonly settings: Settings }, more: Settings = {}) {
  const { says: output, code } = await examineSettings({ ...settings, ...more });
  expectNoSecrets(output);
  return { code, output };
}

/** Runs the program itself. */
async function runDoctor({ settings }: { readonly settings: Settings }) {
  const env = { ...settings, ...settingsOfChild() };
  const { code, stdout: output, stderr } = await runNode([...ON_TEST_CLOCK, START, 'doctor'], { env });
  expect(stderr).toBe('');
  expectNoSecrets(output);
  return { code, output };
}

/** The app's tables, all of which can still be read: pages are theirs, and on the list of free ones. */
async function damagedFile(): Promise<string> {
  const path = join(await temporaryFolder(), 'store.db');
  await (await openDatabase(`sqlite:${path}`)).close();
  const file = await open(path, 'r+');
  // The first page of the free list, and how many there are. Source: sqlite.org/fileformat2.html#the_database_header
  await file.write(Buffer.from([0, 0, 0, 2, 0, 0, 0, 1]), 0, 8, 32);
  await file.close();
  return path;
}

describe('npm run doctor', () => {
  it('finds everything fine, and exits with 0', async () => {
    const world = await openRealWorld();
    await world.start();
    const { code, output } = await runDoctor(world);
    for (const found of [
      'Slack token: valid',
      `Slack scopes: all ${NEEDED_SCOPES.length} present`,
      'Visitor list: reachable, key valid',
      'Public address: A test webhook reached an app with these SECRET_KEYS and was stored.',
      'Database: writable',
    ])
      expect(output).toContain(`ok       ${found}`);
    // Beside other work the clocks of two processes of a test go apart: see clock.ts.
    expect(output).toMatch(
      /^ok {7}Clock: This machine’s clock and Slack’s clock are (?:the same|\d+ seconds? apart)\.$/m,
    );
    expect(output).not.toContain('failure ');
    expect(code).toBe(0);
  });

  it('needs no token where workspaces bring their own, counts them, and names a key that some need', async () => {
    const world = await openRealWorld();
    const database = await openUntilTestEnds(world.settings['STORE_URL'] ?? '');
    const known: [string, ...string[]] = [...SECRETS.secretKeys];
    for (const [id, keys] of [
      ['T0ACME00000', known],
      ['T0UMBRELLA0', ['a key that was removed, which is long enough']],
    ] as const)
      await installsOn(database, { secretKeys: [...keys] }).record(anInstall(id));
    const { output } = await examine(world, {
      SLACK_BOT_TOKEN: '',
      SLACK_CLIENT_ID: '1.2',
      SLACK_CLIENT_SECRET: 'client-secret',
      ALLOWED_WORKSPACES: 'T0ACME00000 T0UMBRELLA0',
    });
    expect(output).toContain('ok       Workspaces: 2 installed');
    expect(output).toMatch(
      /failure {2}Workspaces: 1 workspace can’t be served: the key [0-9a-f]{8} isn’t in SECRET_KEYS\.\n +-> Put it back/,
    );
    expect(output).not.toContain('Slack token');
    expect(output).not.toContain('token of T0');
  });

  it('names what doesn’t work with a setting, and what to do', async () => {
    const world = await openRealWorld();
    await world.start();
    const damaged = await damagedFile();
    const cases: readonly [Settings, RegExp, number][] = [
      [
        { PUBLIC_URL: 'http://127.0.0.1:9' },
        /failure {2}Public address: It can’t be reached from this machine \(ECONNREFUSED\)[^]*-> Check PUBLIC_URL/,
        1,
      ],
      [{ COBROWSE_API_KEY: 'another-key' }, /refused this app’s key[^]*check the key: COBROWSE_API_KEY/, 1],
      [
        { SUMMARY_CHANNEL: 'C0NOWHERE01' },
        /failure {2}Channel: C0NOWHERE01 The app can’t see this channel[^]*-> Type \/invite @Co-browse there\./,
        1,
      ],
      [
        { STORE_URL: 'memory:' },
        /Database: It’s in memory[^]*-> Set STORE_URL=sqlite:data\/cobrowse\.db\./,
        0,
      ],
      [{ STORE_URL: 'sqlite:/dev/null/store.db' }, /failure {2}Database: The app can’t write to it\./, 1],
      [
        { STORE_URL: `sqlite:${damaged}` },
        /failure {2}Database: Its file is damaged\.\n +-> Stop the app and restore a backup: docs\/operations\.md/,
        1,
      ],
      [
        { STORE_URL: `sqlite:${world.folder}/typo/other.db` },
        /warning {2}Database: Its file didn’t exist, so a new, empty one was created\.[^]*check the path in STORE_URL/,
        0,
      ],
    ];
    for (const [setting, words, expected] of cases) {
      const { code, output } = await examine(world, setting);
      expect(output).toMatch(words);
      expect([setting, code]).toEqual([setting, expected]);
    }
  });

  it('says in Socket Mode whether Slack accepts the app token', async () => {
    const world = await openRealWorld({ slack: { appToken: SECRETS.appToken } });
    const inSocketMode = {
      settings: { ...world.settings, PUBLIC_URL: '', SLACK_APP_TOKEN: SECRETS.appToken },
    };
    const good = await examine(inSocketMode);
    expect(good.output).toContain('ok       Slack app token: valid for Socket Mode');
    expect(good.code).toBe(0);
    const { code, output } = await examine(inSocketMode, { SLACK_APP_TOKEN: 'xapp-revoked' });
    expect(output).toContain('failure  Slack app token: Slack refused it (invalid_auth).');
    expect(output).toContain('-> Copy an app-level token with the scope connections:write');
    expect(code).toBe(1);
    world.slack.fail('apps.connections.open', 'ratelimited', 1);
    expect((await examine(inSocketMode)).output).toContain(
      'failure  Slack app token: The app can’t reach Slack.',
    );
  });

  it('says since when no request fits the signing secret, until one does', async () => {
    const world = await openRealWorld();
    await world.start();
    const send = async (secret: string) => {
      const body = 'ssl_check=1';
      const headers = { ...signedHeaders(secret, body), 'content-type': FORM };
      const url = `http://127.0.0.1:${world.settings['PORT']}/slack/events`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    expect(await send('another')).toBe(401);
    await expect
      .poll(async () => (await examine(world)).output)
      .toMatch(
        /^failure {2}Signing secret: No request from Slack has fitted it since 20[\d-]+ \d\d:\d\d UTC\.$/m,
      );
    expect(await send(SECRETS.signingSecret)).toBe(200);
    await expect
      .poll(async () => (await examine(world)).output)
      .toMatch(/^ok {7}Signing secret: No request/m);
  });
});
