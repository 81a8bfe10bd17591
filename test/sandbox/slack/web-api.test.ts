import { describe, expect, it } from 'vitest';
import {
  ada,
  alex,
  appToken,
  erin,
  guest,
  sales,
  sam,
  shared,
  startBoth,
  support,
  withScopes,
} from './tiny-app.ts';

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
        ['chat.scream', {}, 'unknown_method'],
        ['toString', {}, 'unknown_method'],
      ),
    ).toEqual([]);
  });

  it.each([
    ['chat.postMessage', { channel: support, text: 'x' }, 'chat:write'],
    ['usergroups.users.list', { usergroup: 'S0LEADS0001' }, 'usergroups:read'],
    ['conversations.history', { channel: support }, 'channels:history'],
    ['conversations.history', { channel: 'D0ALEX00001' }, 'im:history'],
    ['conversations.replies', { channel: support, ts: '1.000001' }, 'channels:history'],
    ['conversations.members', { channel: support }, 'channels:read'],
  ])('refuses %s of %o without its scope, and names it', async (method, args, needed) => {
    const bot = ['groups:history', 'groups:read', 'users:read'];
    const { mismatches, call } = await startBoth({ manifest: withScopes(...bot) });
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
  it('are described with what they may do, and their address', async () => {
    const { mismatches } = await startBoth();
    const member = { is_admin: false, is_restricted: false, is_bot: false, deleted: false };
    const profile = { email: 'alex@acme.com' };
    expect(
      await mismatches(
        ['users.info', { user: alex }, { user: { ...member, team_id: 'T0ACME00000', profile } }],
        ['users.info', { user: ada }, { user: { ...member, is_admin: true } }],
        ['users.info', { user: guest }, { user: { is_restricted: true, is_ultra_restricted: false } }],
        ['users.info', { user: 'U0COBROWSE' }, { user: { is_bot: true, is_admin: false } }],
        ['users.info', { user: 'U404' }, 'user_not_found'],
        ['usergroups.users.list', { usergroup: 'S404' }, 'no_such_subteam'],
      ),
    ).toEqual([]);
  });

  it('change while the app runs: deactivated, guest, admin', async () => {
    const { slack, mismatches } = await startBoth();
    slack.changePerson(sam, { deactivated: true });
    expect(await mismatches(['users.info', { user: sam }, { user: { deleted: true } }])).toEqual([]);
    expect((await fetch(`${slack.url}/page-api/stream?as=${sam}`)).status).toBe(404);
    slack.changePerson(sam, { deactivated: false, guest: 'one-channel', admin: true });
    const flags = { deleted: false, is_restricted: true, is_ultra_restricted: true, is_admin: true };
    expect(await mismatches(['users.info', { user: sam }, { user: flags }])).toEqual([]);
  });

  it('of another organisation are told by the team, and keep their address', async () => {
    const { slack, call, mismatches } = await startBoth();
    const { user } = await call('users.info', { user: erin });
    expect(user).toMatchObject({ team_id: globex, is_stranger: false });
    expect(user).not.toHaveProperty('profile.email');
    slack.changeChannel(shared, { hasApp: false });
    expect(await mismatches(['users.info', { user: erin }, { user: { is_stranger: true } }])).toEqual([]);
  });

  it('are in channels, page by page, also in a public one the app is not in', async () => {
    const { call, mismatches } = await startBoth();
    const read = (args: object) => call('conversations.members', { channel: sales, ...args });
    const { members: all } = await read({});
    expect(all).toHaveLength(4);
    const first = await read({ limit: 3 });
    const next = first['response_metadata'];
    expect(next).toEqual({ next_cursor: expect.stringMatching(/./) });
    const second = await read({ limit: 3, cursor: Object.values(next ?? {})[0] });
    expect([first['members'], second['members']].flat()).toEqual(all);
    expect(second).toMatchObject({ response_metadata: { next_cursor: '' } });
    expect(await mismatches(['conversations.members', { channel: 'C404' }, 'channel_not_found'])).toEqual([]);
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

describe('a channel shared with another organisation', () => {
  it('says so, and offers the other side neither commands nor shortcuts nor Home', async () => {
    const { slack, app, mismatches, last } = await startBoth();
    const isShared = { is_ext_shared: true, is_shared: true, connected_team_ids: [globex] };
    expect(
      await mismatches(
        ['conversations.info', { channel: shared }, { channel: isShared }],
        ['conversations.info', { channel: support }, { channel: { is_ext_shared: false, is_shared: false } }],
      ),
    ).toEqual([]);
    const seen = slack.snapshot(erin);
    expect(seen).toMatchObject({
      workspace: 'Globex',
      commands: [],
      shortcuts: [],
      global_shortcuts: [],
      completions: [],
      channels: [{ id: shared, shared_with: 'Acme' }],
    });
    expect(seen.users.filter(({ organisation }) => organisation !== 'Acme').map(({ id }) => id)).toEqual([
      erin,
    ]);
    expect(seen).not.toHaveProperty('home');
    await slack.command({ as: erin, channel: shared, text: '/cobrowse find jane' });
    expect(last(erin)?.text).toContain('/cobrowse is not a valid command');
    const message_ts = seen.messages[0]?.ts ?? '';
    const shortcut = { as: erin, channel: shared, message_ts, callback_id: 'find_visitor' };
    expect(await slack.shortcut(shortcut)).toMatchObject({ ok: false });
    expect(await slack.globalShortcut({ as: erin, callback_id: 'start_cobrowsing' })).toMatchObject({
      ok: false,
    });
    expect(await slack.openHome({ as: erin })).toMatchObject({ ok: false });
    expect(app.received).toEqual([]);
  });
});
