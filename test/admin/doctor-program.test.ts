import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../manifest.json' with { type: 'json' };
import { examineSettings } from '../../src/config/examine-settings.ts';
import { NEEDED_SCOPES } from '../../src/slack/scopes.ts';
import { ON_TEST_CLOCK, settingsOfChild } from '../support/child-clock.ts';
import { SUPPORT, personIn } from '../support/person.ts';
import { SECRETS, openRealWorld } from '../outbox/processes/real-app.ts';

const DOCTOR = fileURLToPath(new URL('../../src/doctor.ts', import.meta.url));

type Settings = Readonly<Record<string, string>>;

function expectNoSecrets(output: string): void {
  for (const secret of [
    SECRETS.botToken,
    SECRETS.appToken,
    SECRETS.signingSecret,
    SECRETS.apiKey,
    ...SECRETS.secretKeys,
  ]) {
    expect(output).not.toContain(secret);
  }
}

/** What the program prints beside the app, with these over the app's settings. */
async function examine({ settings }: { readonly settings: Settings }, more: Settings = {}) {
  const examined = await examineSettings({ ...settings, ...more });
  expectNoSecrets(examined.output);
  return examined;
}

/** Runs the program itself. */
async function runDoctor({ settings }: { readonly settings: Settings }) {
  const child = spawn(process.execPath, [...ON_TEST_CLOCK, DOCTOR], {
    env: { ...settings, ...settingsOfChild() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(complaints).toBe('');
  expectNoSecrets(output);
  return { code: child.exitCode, output };
}

describe('npm run doctor', () => {
  it('finds everything fine, and exits with 0', async () => {
    const world = await openRealWorld();
    await world.start();
    const { code, output } = await runDoctor(world);
    expect(output).toContain('ok       Slack token: valid');
    expect(output).toContain(`ok       Slack scopes: all ${NEEDED_SCOPES.length} present`);
    expect(output).toContain('ok       Visitor list: reachable, key valid');
    // Beside other work the clocks of two processes of a test go apart: see clock.ts.
    expect(output).toMatch(
      /^ok {7}Clock: This machine’s clock and Slack’s clock are (?:the same|\d+ seconds? apart)\.$/m,
    );
    expect(output).toContain(
      'ok       Public address: A test webhook reached an app with these SECRET_KEYS and was stored.',
    );
    expect(output).toContain('ok       Database: writable');
    expect(output).not.toContain('failure ');
    expect(code).toBe(0);
  });

  it('names what doesn’t work, what to do, and exits with 1', async () => {
    const world = await openRealWorld();
    const { code, output } = await runDoctor(world);
    expect(output).toContain(
      'failure  Public address: It can’t be reached from this machine (ECONNREFUSED).',
    );
    expect(output).toContain('-> Check PUBLIC_URL');
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
    expect(output).toMatch(/failure {2}Visitor list: .*refused this app’s key/);
    expect(output).toContain('Check COBROWSE_API_KEY');
    expect(output).toContain('failure  Channel: C0NOWHERE01 The app can’t see this channel');
    expect(output).toContain('-> Type /invite @Co-browse there.');
    const refused = await examine(world, { SLACK_BOT_TOKEN: 'xoxb-somebody-else' });
    expect(refused.output).toContain('failure  Slack token: Slack refused it (invalid_auth).');
    expect(refused.code).toBe(1);
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

  it('checks the channels that summaries are subscribed to', async () => {
    const world = await openRealWorld();
    await world.start();
    const answer = await personIn(world).type('/cobrowse subscribe all');
    expect(answer.text).toContain('summaries');
    const { output } = await examine(world);
    expect(output).toContain(`ok       Channel: ${SUPPORT} The app is in this channel.`);
    world.slack.changeChannel(SUPPORT, { hasApp: false });
    expect((await examine(world)).output).toContain(
      `failure  Channel: ${SUPPORT} The app isn’t in this channel.`,
    );
  });

  it('reports a subscription that can’t be read', async () => {
    const world = await openRealWorld();
    await world.start();
    await personIn(world).type('/cobrowse subscribe all');
    const store = new DatabaseSync(world.settings.STORE_URL.slice('sqlite:'.length), { timeout: 5_000 });
    store.exec("UPDATE subscriptions SET filter = 'damaged'");
    store.close();
    const { code, output } = await examine(world);
    expect(output).toContain(
      'failure  Subscriptions: 1 subscription record can’t be read, so nothing is sent for it.',
    );
    expect(output).not.toContain('No channel has a subscription');
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

  it('warns about a database in memory, and exits with 0', async () => {
    const world = await openRealWorld();
    await world.start();
    const { code, output } = await examine(world, { STORE_URL: 'memory:' });
    expect(output).toContain('warning  Database: It’s in memory');
    expect(output).toContain('-> Set STORE_URL=sqlite:data/cobrowse.db.');
    expect(code).toBe(0);
  });

  it('reports a database that can’t be opened', async () => {
    const world = await openRealWorld();
    const { code, output } = await examine(world, { STORE_URL: 'sqlite:/dev/null/store.db' });
    expect(output).toContain('failure  Database: The app can’t write to it.');
    expect(code).toBe(1);
  });

  it('says which databases are supported if STORE_URL names another kind, without its password', async () => {
    const world = await openRealWorld();
    const { code, output } = await examine(world, { STORE_URL: 'redis://user:hunter2@localhost' });
    expect(output).toContain(
      'failure  Settings: STORE_URL names a Redis server, which can’t hold the tables. Supported: sqlite:',
    );
    expect(output).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('warns about a database that didn’t exist, for example because its path is mistyped', async () => {
    const world = await openRealWorld();
    await world.start();
    expect((await examine(world)).output).toContain('ok       Database: writable');
    const { code, output } = await examine(world, { STORE_URL: `sqlite:${world.folder}/typo/other.db` });
    expect(output).toContain('warning  Database: Its file didn’t exist, so a new, empty one was created.');
    expect(output).toContain('check the path in STORE_URL');
    expect(code).toBe(0);
  });

  it('lists every complaint about the settings', async () => {
    const { code, output } = await examine({ settings: { PORT: 'x' } });
    expect(output).toContain('failure  Settings: PORT must be a port number.');
    expect(output).toContain('failure  Settings: SLACK_BOT_TOKEN is missing.');
    expect(code).toBe(1);
  });
});
