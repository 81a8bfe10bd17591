import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { NEEDED_SCOPES } from '../../src/slack/scopes.ts';
import { ON_TEST_CLOCK, testClockSetting } from '../support/child-clock.ts';
import { SUPPORT, personIn } from '../support/person.ts';
import { SECRETS, openRealWorld } from '../deliveries/processes/real-app.ts';

const DOCTOR = fileURLToPath(new URL('../../src/doctor.ts', import.meta.url));

/** Runs the program beside the app, with these over the app's settings. */
async function examine(
  { settings }: { readonly settings: Readonly<Record<string, string>> },
  more: Readonly<Record<string, string>> = {},
) {
  const child = spawn(process.execPath, [...ON_TEST_CLOCK, DOCTOR], {
    env: { ...settings, ...more, ...testClockSetting() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(complaints).toBe('');
  for (const secret of [
    SECRETS.botToken,
    SECRETS.appToken,
    SECRETS.signingSecret,
    SECRETS.apiKey,
    ...SECRETS.secretKeys,
  ]) {
    expect(output).not.toContain(secret);
  }
  return { code: child.exitCode, output };
}

describe('npm run doctor', () => {
  it('finds all well, and says so with exit code 0', async () => {
    const world = await openRealWorld();
    await world.start();
    const { code, output } = await examine(world);
    expect(output).toContain('ok       Slack token: Slack takes it.');
    expect(output).toContain(`ok       Slack scopes: All ${NEEDED_SCOPES.length} are granted.`);
    expect(output).toContain('ok       Visitors of the service: It answers, and takes the key of this app.');
    // Beside other work the clocks of two processes of a test go apart: see clock.ts.
    expect(output).toMatch(
      /^ok {7}Clock: This machine's clock and Slack's clock are (?:the same|\d+ seconds? apart)\.$/m,
    );
    expect(output).toContain(
      'ok       Public address: A webhook sent to it reached an app with these SECRET_KEYS, and was stored.',
    );
    expect(output).toContain('ok       Store: A record was written to its file and read back.');
    expect(output).not.toContain('failure ');
    expect(code).toBe(0);
  });

  it('names what does not run, what to do, and exits with 1', async () => {
    const world = await openRealWorld();
    const { code, output } = await examine(world);
    expect(output).toContain(
      'failure  Public address: It cannot be reached from this machine (ECONNREFUSED).',
    );
    expect(output).toContain('-> Look at PUBLIC_URL');
    expect(code).toBe(1);
  });

  it('tells another app at the public address from this one', async () => {
    const world = await openRealWorld();
    await world.start();
    const { code, output } = await examine(world, { SECRET_KEYS: 'keys that the running app does not have' });
    expect(output).toContain('Something answers there, but not this app with these SECRET_KEYS.');
    expect(code).toBe(1);
  });

  it('names a refused key, a refused token, and a channel without the app', async () => {
    const world = await openRealWorld();
    await world.start();
    const { output } = await examine(world, {
      COBROWSE_API_KEY: 'another-key',
      SUMMARY_CHANNEL: 'C0NOWHERE01',
    });
    expect(output).toMatch(/failure {2}Visitors of the service: .*refused the key/);
    expect(output).toContain('Look at COBROWSE_API_KEY');
    expect(output).toContain('failure  Channel: C0NOWHERE01 The app cannot see it');
    expect(output).toContain('-> Type /invite @Co-browse there.');
    const refused = await examine(world, { SLACK_BOT_TOKEN: 'xoxb-somebody-else' });
    expect(refused.output).toContain('failure  Slack token: Slack refuses it (invalid_auth).');
    expect(refused.code).toBe(1);
  });

  it('tells in Socket Mode whether Slack takes the app token', async () => {
    const world = await openRealWorld({ slack: { appToken: SECRETS.appToken } });
    const inSocketMode = {
      settings: { ...world.settings, PUBLIC_URL: '', SLACK_APP_TOKEN: SECRETS.appToken },
    };
    const good = await examine(inSocketMode);
    expect(good.output).toContain('ok       Slack app token: Slack takes it for Socket Mode.');
    expect(good.code).toBe(0);
    const { code, output } = await examine(inSocketMode, { SLACK_APP_TOKEN: 'xapp-revoked' });
    expect(output).toContain('failure  Slack app token: Slack refuses it (invalid_auth).');
    expect(output).toContain('-> Copy an app-level token with the scope connections:write');
    expect(code).toBe(1);
    world.slack.fail('apps.connections.open', 'ratelimited', 1);
    expect((await examine(inSocketMode)).output).toContain(
      'failure  Slack app token: Slack could not be asked.',
    );
  });

  it('looks at the channels that summaries are subscribed to', async () => {
    const world = await openRealWorld();
    await world.start();
    const answer = await personIn(world).type('/cobrowse subscribe');
    expect(answer.text).toContain('summaries');
    const { output } = await examine(world);
    expect(output).toContain(`ok       Channel: ${SUPPORT} The app is in it.`);
    world.slack.changeChannel(SUPPORT, { hasApp: false });
    expect((await examine(world)).output).toContain(`failure  Channel: ${SUPPORT} The app is not in it.`);
  });

  it('tells of a subscription that cannot be read', async () => {
    const world = await openRealWorld();
    await world.start();
    await personIn(world).type('/cobrowse subscribe');
    const store = new DatabaseSync(world.settings.STORE_URL.slice('sqlite:'.length), { timeout: 5_000 });
    store.exec("UPDATE subscriptions SET filter = 'damaged'");
    store.close();
    const { code, output } = await examine(world);
    expect(output).toContain('failure  Subscriptions: 1 of them cannot be read, so nothing is sent for it.');
    expect(output).not.toContain('No channel is set up');
    expect(code).toBe(1);
  });

  it('names the scopes that are missing after an upgrade', async () => {
    const older = {
      ...manifest,
      oauth_config: { scopes: { bot: ['commands', 'chat:write', 'users:read'] } },
    };
    const world = await openRealWorld({ slack: { manifest: older } });
    await world.start();
    const { code, output } = await examine(world);
    expect(output).toContain(
      'failure  Slack scopes: Missing: users:read.email, usergroups:read, channels:read',
    );
    expect(output).toContain('press Reinstall');
    expect(code).toBe(1);
  });

  it('warns of a store that forgets, with exit code 0', async () => {
    const world = await openRealWorld();
    await world.start();
    const { code, output } = await examine(world, { STORE_URL: 'memory:' });
    expect(output).toContain('warning  Store: It is in memory');
    expect(output).toContain('-> Set STORE_URL=sqlite:data/cobrowse.db.');
    expect(code).toBe(0);
  });

  it('finds a store that cannot be opened', async () => {
    const world = await openRealWorld();
    const { code, output } = await examine(world, { STORE_URL: 'sqlite:/dev/null/store.db' });
    expect(output).toContain('failure  Store: A record could not be written and read back.');
    expect(code).toBe(1);
  });

  it('says which stores there are where STORE_URL names another kind, without its password', async () => {
    const world = await openRealWorld();
    const { code, output } = await examine(world, { STORE_URL: 'redis://user:hunter2@localhost' });
    expect(output).toContain(
      'failure  Settings: STORE_URL names a Redis server, which can’t hold the tables. Supported: sqlite:',
    );
    expect(output).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('warns of a store that was not there, as where its path is mistyped', async () => {
    const world = await openRealWorld();
    await world.start();
    expect((await examine(world)).output).toContain('ok       Store: A record was written to its file');
    const { code, output } = await examine(world, { STORE_URL: `sqlite:${world.folder}/typo/other.db` });
    expect(output).toContain('warning  Store: Its file was not there: a new and empty one was made.');
    expect(output).toContain('look at the path in STORE_URL');
    expect(code).toBe(0);
  });

  it('lists every complaint about the settings', async () => {
    const { code, output } = await examine({ settings: { PORT: 'x' } });
    expect(output).toContain('failure  Settings: PORT must be a port number.');
    expect(output).toContain('failure  Settings: SLACK_BOT_TOKEN is missing.');
    expect(code).toBe(1);
  });
});
