import { describe, expect, it } from 'vitest';

import { fullManifest } from './full-manifest.ts';
import { alex, button, modal, sam, section, startBoth, support } from './tiny-app.ts';

const ada = 'U0ADA000005';
const erin = 'U0ERIN00006';
const guest = 'U0GUEST0004';
const shared = 'C0SHARED004';
const globex = 'T0GLOBEX000';

describe('users.info', () => {
  it.each([
    ['a workspace admin', ada, { is_admin: true, is_restricted: false, is_bot: false, deleted: false }],
    ['a member', alex, { is_admin: false, is_restricted: false, team_id: 'T0ACME00000' }],
    ['a guest', guest, { is_admin: false, is_restricted: true, is_ultra_restricted: false }],
    ['a bot', 'U0COBROWSE', { is_bot: true, is_admin: false }],
  ])('describes %s', async (_name, user, flags) => {
    await using both = await startBoth();
    const answer = await both.call('users.info', { user });
    expect(answer).toMatchObject({ user: flags });
    expect(answer['user']).not.toHaveProperty('is_stranger');
  });

  it('tells a person of another organisation by the team, and keeps the address', async () => {
    await using both = await startBoth();
    const { user } = await both.call('users.info', { user: erin });
    expect(user).toMatchObject({ team_id: globex, is_stranger: false });
    expect(user).not.toHaveProperty('profile.email');
    expect(await both.call('users.lookupByEmail', { email: 'erin@globex.example' })).toMatchObject({
      error: 'users_not_found',
    });
    both.slack.changeChannel(shared, { hasApp: false });
    expect(await both.call('users.info', { user: erin })).toMatchObject({ user: { is_stranger: true } });
  });
});

describe('user groups', () => {
  it('are listed, with their people where asked', async () => {
    await using both = await startBoth({ manifest: fullManifest });
    const leads = { id: 'S0LEADS0001', name: 'Support leads', handle: 'support-leads', user_count: 1 };
    const { usergroups } = await both.call('usergroups.list', {});
    expect(usergroups).toMatchObject([leads]);
    expect(JSON.stringify(usergroups)).not.toContain(sam);
    expect(await both.call('usergroups.list', { include_users: 'true' })).toMatchObject({
      usergroups: [{ ...leads, users: [sam] }],
    });
    expect(await both.call('usergroups.users.list', { usergroup: 'S0LEADS0001' })).toMatchObject({
      users: [sam],
    });
    expect(await both.call('usergroups.users.list', { usergroup: 'S404' })).toMatchObject({
      error: 'no_such_subteam',
    });
  });

  it('need usergroups:read', async () => {
    await using both = await startBoth({
      manifest: { ...fullManifest, oauth_config: { scopes: { bot: ['commands'] } } },
    });
    const missing = { error: 'missing_scope', needed: 'usergroups:read' };
    expect(await both.call('usergroups.list', {})).toMatchObject(missing);
    expect(await both.call('usergroups.users.list', { usergroup: 'S0LEADS0001' })).toMatchObject(missing);
  });
});

describe('a channel shared with another organisation', () => {
  it('says so', async () => {
    await using both = await startBoth({ manifest: fullManifest });
    expect(await both.call('conversations.info', { channel: shared })).toMatchObject({
      channel: { is_ext_shared: true, is_shared: true, connected_team_ids: [globex] },
    });
    expect(await both.call('conversations.info', { channel: support })).toMatchObject({
      channel: { is_ext_shared: false, is_shared: false },
    });
    const channels = both.slack
      .snapshot(alex)
      .channels.filter(({ shared_with: other }) => other !== undefined);
    expect(channels).toMatchObject([{ id: shared, shared_with: 'Globex' }]);
  });

  it('lets the other side press, under their own organisation', async () => {
    await using both = await startBoth();
    const blocks = [section('Jane', button('watch'))];
    const { ts } = await both.call('chat.postMessage', { channel: shared, text: 'Jane', blocks });
    const source = { type: 'message', channel: shared, ts } as const;
    const pressed = { as: erin, source, block_id: 'block-Jane', action_id: 'watch' };
    expect(await both.slack.press(pressed)).toEqual({ ok: true });
    expect(both.app.last().payload).toMatchObject({
      user: { id: erin, team_id: globex },
      team: { id: 'T0ACME00000', domain: 'acme' },
    });
    const { trigger_id } = both.app.last().payload;
    const opened = await both.call('views.open', { trigger_id, view: modal({ notify_on_close: true }) });
    await both.slack.closeView({ as: erin, view_id: opened.view?.id ?? '' });
    expect(both.app.last().payload).toMatchObject({
      type: 'view_closed',
      team: { id: globex, domain: 'globex' },
      view: { app_installed_team_id: 'T0ACME00000' },
    });
  });

  it('offers the other side neither commands nor shortcuts nor Home', async () => {
    await using both = await startBoth({ manifest: fullManifest });
    const seen = both.slack.snapshot(erin);
    expect(seen).toMatchObject({
      workspace: 'Globex',
      commands: [],
      shortcuts: [],
      global_shortcuts: [],
      completions: [],
      channels: [{ id: shared, shared_with: 'Acme' }],
    });
    const organisations = seen.users.filter(({ organisation }) => organisation !== 'Acme');
    expect(organisations.map(({ id }) => id)).toEqual([erin]);
    expect(seen).not.toHaveProperty('home');
    await both.slack.command({ as: erin, channel: shared, text: '/cobrowse find jane' });
    expect(both.slack.snapshot(erin).messages.at(-1)?.text).toContain('/cobrowse is not a valid command');
    const message_ts = seen.messages[0]?.ts ?? '';
    const shortcut = { as: erin, channel: shared, message_ts, callback_id: 'find_visitor' };
    expect(await both.slack.shortcut(shortcut)).toMatchObject({ ok: false });
    expect(await both.slack.openHome({ as: erin })).toMatchObject({ ok: false });
    expect(both.app.received).toEqual([]);
  });
});
