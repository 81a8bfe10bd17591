import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPTIONAL_SCOPES } from '../../src/admin/checks.ts';
import { run as runManifest } from '../../src/cli/manifest.ts';
import { NEEDED_SCOPES } from '../../src/slack/setup-state.ts';
import { appsCatalog } from '../support/catalog.ts';

const text = (longest: number) => z.string().min(1).max(longest);

/** Slack's limits. Source: docs.slack.dev/reference/app-manifest. */
const Manifest = z.strictObject({
  display_information: z.strictObject({
    name: text(35),
    description: text(140),
    long_description: z.string().min(175).max(4_000),
    background_color: z.string().regex(/^#(?:[0-9a-f]{3}){1,2}$/i),
  }),
  features: z.strictObject({
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    bot_user: z.strictObject({
      display_name: text(80).regex(/^[\w. -]+$/),
      always_online: z.boolean(),
    }),
    shortcuts: z
      .array(
        z.strictObject({
          name: text(24),
          type: z.enum(['message', 'global']),
          callback_id: text(255),
          description: text(150),
        }),
      )
      .max(10),
    slash_commands: z
      .array(
        z.strictObject({
          command: text(32).regex(/^\/[a-z-]+$/),
          url: z.url(),
          description: text(2_000),
          usage_hint: text(1_000),
          should_escape: z.boolean(),
        }),
      )
      .max(50),
  }),
  oauth_config: z.strictObject({
    scopes: z.strictObject({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }),
  }),
  settings: z.strictObject({
    interactivity: z.strictObject({
      is_enabled: z.boolean(),
      request_url: z.url(),
      message_menu_options_url: z.url(),
    }),
    event_subscriptions: z.strictObject({ request_url: z.url(), bot_events: z.array(z.string()) }),
    org_deploy_enabled: z.boolean(),
    socket_mode_enabled: z.boolean(),
    token_rotation_enabled: z.boolean(),
  }),
});

const isPartOf = (all: readonly string[]) => (part: readonly string[]) =>
  part.every((one) => all.includes(one));

const file = await readFile(new URL('../../manifest.json', import.meta.url), 'utf8');
const manifest = Manifest.parse(JSON.parse(file));
const { features, oauth_config: oauth, settings } = manifest;

/** Every method of Slack's that the app calls, and the scopes it needs. Source: docs.slack.dev/reference/methods. */
const SCOPES_OF: Readonly<Record<string, readonly string[]>> = {
  'auth.teams.list': [],
  'auth.test': [],
  'users.info': ['users:read', 'users:read.email'],
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.getPermalink': [],
  'chat.update': ['chat:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history'],
  'conversations.info': ['channels:read', 'groups:read'],
  'conversations.members': ['channels:read', 'groups:read'],
  'conversations.open': ['im:write'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'views.open': [],
  'views.publish': [],
  'views.push': [],
  'views.update': [],
};
/** What is asked for by a feature and not by a method. */
const SCOPES_OF_FEATURES = ['commands'];

describe('manifest.json', async () => {
  const { commands } = await appsCatalog();

  it('asks for every scope that a feature or a called method needs, and for no other', () => {
    const needed = new Set([...Object.values(SCOPES_OF).flat(), ...SCOPES_OF_FEATURES]);
    expect(oauth.scopes.bot.toSorted()).toEqual([...needed].toSorted());
    expect(oauth.scopes.bot).toEqual(NEEDED_SCOPES);
    expect(new Set(oauth.scopes.bot).size).toBe(oauth.scopes.bot.length);
    expect(oauth.scopes.bot_optional).toEqual([...OPTIONAL_SCOPES]);
  });

  it('has a shortcut for each command that has one, and no other', () => {
    const ours = commands.flatMap(({ shortcut, globalShortcut }) => [
      ...(shortcut === undefined
        ? []
        : [{ name: shortcut.title, type: 'message', callback_id: shortcut.callbackId }]),
      ...(globalShortcut === undefined
        ? []
        : [
            {
              name: globalShortcut.press.opens?.form.title,
              type: 'global',
              callback_id: globalShortcut.callbackId,
            },
          ]),
    ]);
    const theirs = features.shortcuts.map(({ name, type, callback_id }) => ({ name, type, callback_id }));
    expect(theirs).toHaveLength(ours.length);
    expect(theirs).toEqual(expect.arrayContaining(ours));
    for (const kind of ['message', 'global'])
      expect(theirs.filter(({ type }) => type === kind).length).toBeLessThanOrEqual(5);
  });

  it('sends everything to the app’s one address', () => {
    const { interactivity, event_subscriptions: events } = settings;
    const addresses = [
      ...features.slash_commands.map(({ url }) => url),
      interactivity.request_url,
      interactivity.message_menu_options_url,
      events.request_url,
    ];
    expect(new Set(addresses).size).toBe(1);
    const url = new URL(addresses[0] ?? '');
    expect([url.protocol, url.pathname, url.search]).toEqual(['https:', '/slack/events', '']);
    expect(settings.interactivity.is_enabled).toBe(true);
  });

  it('uses neither Slack’s name nor words of surveillance', () => {
    expect(manifest.display_information.name).not.toMatch(/slack/i);
    expect(JSON.stringify(manifest)).not.toMatch(/\b(?:spy|monitor|surveil|track)/i);
  });
});

/** What `npm run manifest` prints and complains of, and whether it understands what was typed. */
function run(...args: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const isUnderstood = runManifest({
    argv: ['node', 'manifest', ...args],
    stdout: { write: (words) => (stdout += words) },
    stderr: { write: (words) => (stderr += words) },
  });
  return { isUnderstood, stdout, stderr };
}

describe('npm run manifest', () => {
  it.each([
    ['https://cobrowse.acme.example', 'https://cobrowse.acme.example'],
    ['https://acme.example/slack/app/', 'https://acme.example/slack/app'],
  ])('prints the manifest with the address %s everywhere, and nothing else changed', (address, printed) => {
    const { stdout, isUnderstood } = run(address);
    expect(Manifest.parse(JSON.parse(stdout))).toBeDefined();
    expect(stdout.replaceAll(printed, 'https://cobrowse.example.com')).toBe(
      `${JSON.stringify(JSON.parse(file), undefined, 2)}\n`,
    );
    expect(stdout).not.toContain('cobrowse.example.com');
    expect(isUnderstood).toBe(true);
  });

  it('prints one for workspaces that install the app: where Slack leads back to, and what tells of an installation', () => {
    const { stdout, isUnderstood } = run('--many', 'https://cobrowse.acme.example');
    const events = ['app_uninstalled', 'tokens_revoked'];
    expect(isUnderstood).toBe(true);
    expect(JSON.parse(stdout)).toMatchObject({
      oauth_config: {
        redirect_urls: ['https://cobrowse.acme.example/slack/oauth_redirect'],
        scopes: { bot: NEEDED_SCOPES, bot_optional: expect.toSatisfy(isPartOf(NEEDED_SCOPES)) },
      },
      settings: {
        event_subscriptions: { bot_events: [...settings.event_subscriptions.bot_events, ...events] },
      },
    });
    expect(run('--many').isUnderstood).toBe(false);
  });

  it('adds what Slackbot needs, for one workspace or many, and for nothing without an address', () => {
    const address = 'https://cobrowse.acme.example';
    for (const many of [[], ['--many']]) {
      const printed: unknown = JSON.parse(run(...many, address, '--slackbot').stdout);
      expect(printed).toMatchObject({
        oauth_config: { scopes: { bot: [...NEEDED_SCOPES, 'mcp:connect'] } },
        mcp_servers: { 'Co-browse': { url: `${address}/mcp`, auth_type: 'slack_identity_auth' } },
      });
      expect(printed).toMatchObject({ ...JSON.parse(run(...many, address).stdout), oauth_config: {} });
    }
    for (const typed of [[], ['--socket'], ['--many']])
      expect(run(...typed, '--slackbot').isUnderstood).toBe(false);
  });

  it('prints one for organizations that install the app, too, and what tells which workspaces they give it', () => {
    const { stdout, isUnderstood } = run('--organization', 'https://cobrowse.acme.example');
    const many = JSON.parse(run('--many', 'https://cobrowse.acme.example').stdout);
    const { bot_events: events } = many.settings.event_subscriptions;
    expect(isUnderstood).toBe(true);
    expect(JSON.parse(stdout)).toEqual({
      ...many,
      settings: {
        ...many.settings,
        org_deploy_enabled: true,
        event_subscriptions: {
          ...many.settings.event_subscriptions,
          bot_events: [...events, 'team_access_granted', 'team_access_revoked'],
        },
      },
    });
  });

  it('prints one for Socket Mode, without any address', () => {
    const { stdout } = run('--socket');
    expect(stdout).not.toContain('https://');
    expect(JSON.parse(stdout)).toEqual({
      ...manifest,
      features: {
        ...features,
        slash_commands: features.slash_commands.map((command) => ({ ...command, url: undefined })),
      },
      settings: {
        ...settings,
        interactivity: { is_enabled: true },
        event_subscriptions: { bot_events: settings.event_subscriptions.bot_events },
        socket_mode_enabled: true,
      },
    });
  });

  it.each([
    [[]],
    [['http://acme.example']],
    [['acme.example']],
    [['https://acme.example/?a=b']],
    [['a', 'b']],
  ])('doesn’t understand %j', (args) => {
    expect(run(...args)).toMatchObject({ isUnderstood: false, stdout: '' });
  });

  it('says why Slack can’t use an http address', () => {
    expect(run('HTTP://acme.example').stderr).toMatch(/^Slack only sends to https addresses, so /);
    expect(run('acme.example').stderr).toBe('');
  });
});

it('the Slack methods that the app calls are all listed here with their scopes', async () => {
  const folder = new URL('../../src/', import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const sources = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')));
  const calls = sources.flatMap((source) =>
    Array.from(
      source
        .replaceAll(/\s/g, '')
        .matchAll(
          /(?:\.((?:usergroups\.)?(?:auth\.teams|auth|chat|conversations|users|views|team|bots|files)\.\w+)\(|(?:ask|askSlack|paginate)\((?:[^']+,)?'([\w.]+)',)/g,
        ),
      ([, called, asked]) => called ?? asked ?? '',
    ),
  );
  expect([...new Set(calls)].toSorted()).toEqual(Object.keys(SCOPES_OF).toSorted());
});
