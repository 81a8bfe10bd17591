import { describe, expect, it } from 'vitest';
import manifest from '../../../manifest.json' with { type: 'json' };
import { alex, appToken, erin, sales, shared, startBoth, support } from './tiny-app.ts';

const globex = 'T0GLOBEX000';

describe('the Web API', () => {
  it('checks the token, and knows no other methods', async () => {
    const { call, mismatches } = await startBoth({ appToken });
    for (const [token, error] of [
      ['', 'not_authed'],
      ['xoxb-other', 'invalid_auth'],
      [appToken, 'not_allowed_token_type'],
    ])
      expect(await call('auth.test', {}, token)).toMatchObject({ ok: false, error });
    expect(
      await mismatches(
        ['apps.connections.open', {}, 'not_allowed_token_type'],
        ['toString', {}, 'unknown_method'],
      ),
    ).toEqual([]);
  });

  it.each([
    ['chat.postMessage', { channel: support, text: 'x' }, 'chat:write'],
    ['usergroups.users.list', { usergroup: 'S0LEADS0001' }, 'usergroups:read'],
    ['conversations.history', { channel: 'D0ALEX00001' }, 'im:history'],
    ['conversations.members', { channel: support }, 'channels:read'],
  ])('refuses %s of %o without its scope, and names it', async (method, args, needed) => {
    const bot = ['groups:history', 'groups:read', 'users:read'];
    const { mismatches, call } = await startBoth({
      manifest: { ...manifest, oauth_config: { scopes: { bot } } },
    });
    expect(
      await mismatches([method, args, { error: 'missing_scope', needed, provided: bot.join(',') }]),
    ).toEqual([]);
    expect(JSON.stringify(await call('users.info', { user: alex }))).not.toContain('alex@acme.com');
  });

  it('accepts so many calls a minute, each method its own', async () => {
    let now = 1_700_000_000_000;
    const { slack, call } = await startBoth({ now: () => now, methodLimits: { 'auth.test': 2 } });
    const test = () => fetch(`${slack.apiUrl}auth.test`, { method: 'POST' });
    await call('auth.test', {});
    now += 20_000;
    await call('auth.test', {});
    const limited = await test();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '40']);
    expect(await call('users.info', { user: alex })).toMatchObject({ ok: true });
    now += 40_000;
    expect((await test()).status).toBe(200);
  });
});

describe('people', () => {
  it('of another organization are told by the team, and keep their address', async () => {
    const { slack, call, mismatches } = await startBoth();
    const { user } = await call('users.info', { user: erin });
    expect(user).toMatchObject({ team_id: globex, is_stranger: false });
    expect(user).not.toHaveProperty('profile.email');
    slack.changeChannel(shared, { hasApp: false });
    expect(await mismatches(['users.info', { user: erin }, { user: { is_stranger: true } }])).toEqual([]);
  });

  it('are in channels, page by page, also in a public one the app is not in', async () => {
    const { call } = await startBoth();
    const read = (args: object) => call('conversations.members', { channel: sales, ...args });
    const first = await read({ limit: 3 });
    const cursor = Object.values(first['response_metadata'] ?? {})[0];
    const second = await read({ limit: 3, cursor });
    expect([first['members'], second['members']].flat()).toEqual((await read({})).members);
    expect(second).toMatchObject({ response_metadata: { next_cursor: '' } });
  });

  it('have conversations, of which the app sees those that it’s in itself', async () => {
    const { call } = await startBoth();
    const ids = async (args: object) =>
      JSON.stringify(await call('users.conversations', { user: alex, ...args }));
    expect(await ids({})).toContain(support);
    expect(await ids({})).not.toContain(sales);
    expect(await ids({ types: 'private_channel' })).not.toContain(support);
  });
});

it('a channel shared with another organization offers the other side neither commands nor shortcuts nor Home', async () => {
  const { slack, app, mismatches, last } = await startBoth();
  const isShared = { is_ext_shared: true, is_shared: true, connected_team_ids: [globex] };
  expect(await mismatches(['conversations.info', { channel: shared }, { channel: isShared }])).toEqual([]);
  const seen = slack.snapshot(erin);
  const none = { commands: [], shortcuts: [], global_shortcuts: [], completions: [] };
  const channels = [{ id: shared, shared_with: 'Acme' }];
  expect(seen).toMatchObject({ workspace: 'Globex', ...none, channels });
  expect(seen).not.toHaveProperty('home');
  await slack.command({ as: erin, channel: shared, text: '/cobrowse find jane' });
  expect(last(erin)?.text).toContain('/cobrowse is not a valid command');
  const message_ts = seen.messages[0]?.ts ?? '';
  for (const refused of [
    slack.shortcut({ as: erin, channel: shared, message_ts, callback_id: 'find_visitor' }),
    slack.globalShortcut({ as: erin, callback_id: 'start_cobrowsing' }),
    slack.openHome({ as: erin }),
  ])
    expect(await refused).toMatchObject({ ok: false });
  expect(app.received).toEqual([]);
});
