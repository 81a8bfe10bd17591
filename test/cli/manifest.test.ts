import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../../manifest.json' with { type: 'json' };
import { OPTIONAL_SCOPES } from '../../src/admin/checks.ts';
import { run as runManifest } from '../../src/cli/manifest.ts';
import { NEEDED_SCOPES } from '../../src/slack/setup-state.ts';
import { appsCatalog } from '../support/catalog.ts';

const text = (longest: number) => z.string().min(1).max(longest);

/** Slack's limits. Source: docs.slack.dev/reference/app-manifest. */
const Limits = z.looseObject({
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
});

const isPartOf = (all: readonly string[]) => (part: readonly string[]) =>
  part.every((one) => all.includes(one));

const file = await readFile(new URL('../../manifest.json', import.meta.url), 'utf8');
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
    const ours = commands
      .flatMap(({ shortcut, globalShortcut }) => [
        shortcut && [shortcut.title, 'message', shortcut.callbackId],
        globalShortcut && [globalShortcut.press.opens?.form.title, 'global', globalShortcut.callbackId],
      ])
      .filter((one) => one !== undefined);
    const theirs = features.shortcuts.map(({ name, type, callback_id }) => [name, type, callback_id]);
    expect(theirs).toHaveLength(ours.length);
    expect(theirs).toEqual(expect.arrayContaining(ours));
  });

  it('sends everything to the app’s one address', () => {
    const addresses = new Set(file.match(/\bhttps?:[^"]+/g));
    expect([...addresses]).toEqual(['https://cobrowse.example.com/slack/events']);
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

const ADDRESS = 'https://cobrowse.acme.example';
const printed = (...args: readonly string[]) => JSON.parse(run(...args).stdout);

describe('npm run manifest', () => {
  it.each([
    [ADDRESS, ADDRESS],
    ['https://acme.example/slack/app/', 'https://acme.example/slack/app'],
  ])('prints the manifest with the address %s everywhere, and nothing else changed', (typed, address) => {
    const { stdout, isUnderstood } = run(typed);
    expect(Limits.safeParse(JSON.parse(stdout)).error).toBeUndefined();
    expect(stdout.replaceAll(address, 'https://cobrowse.example.com')).toBe(
      `${JSON.stringify(JSON.parse(file), undefined, 2)}\n`,
    );
    expect(stdout).not.toContain('cobrowse.example.com');
    expect(isUnderstood).toBe(true);
  });

  it('prints one for workspaces or organizations that install the app: where Slack leads back to, and what tells of an installation', () => {
    const many = printed('--many', ADDRESS);
    const { event_subscriptions: events } = settings;
    const ofMany = [...events.bot_events, 'app_uninstalled', 'tokens_revoked'];
    expect(many).toMatchObject({
      oauth_config: {
        redirect_urls: [`${ADDRESS}/slack/oauth_redirect`],
        scopes: { bot: NEEDED_SCOPES, bot_optional: expect.toSatisfy(isPartOf(NEEDED_SCOPES)) },
      },
      settings: { event_subscriptions: { bot_events: ofMany } },
    });
    expect(printed('--organization', ADDRESS)).toEqual({
      ...many,
      settings: {
        ...many.settings,
        org_deploy_enabled: true,
        event_subscriptions: {
          ...many.settings.event_subscriptions,
          bot_events: [...ofMany, 'team_access_granted', 'team_access_revoked'],
        },
      },
    });
  });

  it('adds what Slackbot needs, for one workspace or many', () => {
    for (const many of [[], ['--many']]) {
      const withSlackbot = printed(...many, ADDRESS, '--slackbot');
      expect(withSlackbot).toMatchObject({
        oauth_config: { scopes: { bot: [...NEEDED_SCOPES, 'mcp:connect'] } },
        mcp_servers: { 'Co-browse': { url: `${ADDRESS}/mcp`, auth_type: 'slack_identity_auth' } },
      });
      expect(withSlackbot).toMatchObject({ ...printed(...many, ADDRESS), oauth_config: {} });
    }
  });

  it('prints one for Socket Mode, without any address', () => {
    expect(run('--socket').stdout).not.toContain('https://');
    expect(printed('--socket')).toEqual({
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
    '',
    'acme.example',
    'https://acme.example/?a=b',
    'a b',
    '--many',
    '--slackbot',
    '--socket --slackbot',
    '--many --slackbot',
  ])('doesn’t understand “%s”', (typed) => {
    const args = typed.split(' ').filter((one) => one !== '');
    expect(run(...args)).toEqual({ isUnderstood: false, stdout: '', stderr: '' });
  });

  it('says why Slack can’t use an http address', () => {
    const stderr = expect.stringMatching(/^Slack only sends to https addresses, so /);
    expect(run('HTTP://acme.example')).toEqual({ isUnderstood: false, stdout: '', stderr });
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
