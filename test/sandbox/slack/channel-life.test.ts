import { describe, expect, it } from 'vitest';

import ours from '../../../manifest.json' with { type: 'json' };
import { acme } from '../../../sandbox/slack/seed.ts';
import { alex, button, sales, sam, section, startBoth, support } from './tiny-app.ts';

const app = 'U0COBROWSE';
const ada = 'U0ADA000005';
const kim = 'U0KIM000003';
const guest = 'U0GUEST0004';
const secrets = 'C0SECRET005';

/** With a private channel the app is in. */
const seed = {
  ...acme,
  channels: [
    ...acme.channels,
    { id: secrets, name: 'secrets', topic: 'Hush', members: [alex, ada, app], isPrivate: true },
  ],
};

/** Also tells of new names, which our app does not ask for. */
const manifest = {
  ...ours,
  settings: {
    ...ours.settings,
    event_subscriptions: {
      ...ours.settings.event_subscriptions,
      bot_events: [...ours.settings.event_subscriptions.bot_events, 'channel_rename', 'group_rename'],
    },
  },
};

const start = async () => {
  const both = await startBoth({ seed, manifest });
  const received = () => both.app.received.map(({ payload }) => payload['event']);
  const heard = async (event: object) => {
    await expect.poll(received).toContainEqual(expect.objectContaining(event));
  };
  return { ...both, received, heard };
};

describe('a channel', () => {
  it.each([
    [support, 'channel_archive', 'channel_unarchive', { user: kim }],
    [secrets, 'group_archive', 'group_unarchive', { actor_id: kim }],
  ])('%s is archived, and comes back', async (channel, archived, unarchived, by) => {
    await using both = await start();
    expect(both.slack.archive({ channel, by: kim })).toEqual({ ok: true });
    await both.heard({ type: archived, channel, user: kim, is_moved: 0 });
    expect(await both.call('conversations.info', { channel })).toMatchObject({
      channel: { is_archived: true, is_member: true },
    });
    expect(await both.call('chat.postMessage', { channel, text: 'x' })).toMatchObject({
      error: 'is_archived',
    });
    both.slack.unarchive({ channel, by: kim });
    await both.heard({ type: unarchived, channel, ...by });
    expect(await both.call('chat.postMessage', { channel, text: 'x' })).toMatchObject({ ok: true });
  });

  it.each([
    [support, 'channel_rename', true],
    [secrets, 'group_rename', false],
  ])('%s gets another name', async (channel, type, isChannel) => {
    await using both = await start();
    both.slack.rename({ channel, name: 'helping' });
    await both.heard({
      type,
      channel: expect.objectContaining({ id: channel, name: 'helping', is_channel: isChannel }),
    });
    expect(await both.call('conversations.info', { channel })).toMatchObject({
      channel: { name: 'helping' },
    });
  });

  it.each([
    [support, { type: 'channel_deleted', channel: support }],
    [secrets, { type: 'group_deleted', channel: secrets, actor_id: ada }],
  ])('%s is deleted with what was said in it', async (channel, event) => {
    await using both = await start();
    both.slack.deleteChannel({ channel });
    await both.heard(event);
    for (const method of ['conversations.info', 'conversations.history', 'conversations.members']) {
      expect(await both.call(method, { channel })).toMatchObject({ error: 'channel_not_found' });
    }
    expect(JSON.stringify(both.slack.snapshot(alex))).not.toContain(channel);
  });

  it('gets a new id, with its people and messages', async () => {
    await using both = await start();
    const newId = 'C0SHARED099';
    const { ts } = await both.call('chat.postMessage', { channel: secrets, text: 'Kept' });
    both.slack.convert({ channel: secrets, newId });
    await both.heard({ type: 'channel_id_changed', old_channel_id: secrets, new_channel_id: newId });
    expect(await both.call('chat.postMessage', { channel: secrets, text: 'x' })).toMatchObject({
      error: 'channel_not_found',
    });
    expect(await both.call('conversations.members', { channel: newId })).toMatchObject({
      members: [alex, ada, app],
    });
    expect(await both.call('chat.update', { channel: newId, ts, text: 'Still' })).toMatchObject({ ok: true });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ channel: newId, text: 'Still' });
  });

  it('that is private does not exist for an app outside', async () => {
    await using both = await start();
    both.slack.leave({ channel: secrets, user: app, by: alex });
    await both.heard({ type: 'group_left', channel: secrets, actor_id: alex });
    const calls = [
      ['conversations.info', {}],
      ['conversations.members', {}],
      ['conversations.history', {}],
      ['chat.postMessage', { text: 'x' }],
      ['chat.update', { ts: '1.000001', text: 'x' }],
    ] as const;
    for (const [method, args] of calls) {
      expect(await both.call(method, { channel: secrets, ...args })).toMatchObject({
        error: 'channel_not_found',
      });
    }
  });

  it('tells an app that is not in it nothing', async () => {
    await using both = await start();
    both.slack.archive({ channel: sales });
    both.slack.unarchive({ channel: sales });
    both.slack.leave({ channel: sales, user: kim });
    both.slack.rename({ channel: support, name: 'helping' });
    await both.heard({ type: 'channel_rename' });
    expect(both.received()).toHaveLength(1);
  });
});

describe('people and the app in a channel', () => {
  it('cannot come into an archived channel, nor into direct messages', async () => {
    await using both = await start();
    both.slack.archive({ channel: sales });
    expect(both.slack.join({ channel: sales, user: app })).toMatchObject({ ok: false });
    expect(both.slack.join({ channel: 'D0ALEX00001', user: sam })).toMatchObject({ ok: false });
    expect(both.slack.leave({ channel: 'C404', user: sam })).toMatchObject({ ok: false });
    expect(both.slack.archive({ channel: 'C404' })).toMatchObject({ ok: false });
  });

  it('change while the app runs: deactivated, guest, admin', async () => {
    await using both = await start();
    both.slack.changePerson(sam, { deactivated: true });
    expect(await both.call('users.info', { user: sam })).toMatchObject({ user: { deleted: true } });
    expect(await both.call('users.lookupByEmail', { email: 'sam@acme.com' })).toMatchObject({
      error: 'users_not_found',
    });
    expect((await fetch(`${both.slack.url}/page-api/stream?as=${sam}`)).status).toBe(404);
    both.slack.changePerson(sam, { deactivated: false, guest: 'one-channel', admin: true });
    expect(await both.call('users.info', { user: sam })).toMatchObject({
      user: { deleted: false, is_restricted: true, is_ultra_restricted: true, is_admin: true },
    });
    both.slack.changePerson(guest, { guest: false });
    expect(await both.call('users.info', { user: guest })).toMatchObject({ user: { is_restricted: false } });
  });
});

describe('a person whose client loses the presses of link buttons', () => {
  it('sends those of others', async () => {
    await using both = await start();
    const blocks = [
      section('Jane', button('watch', { url: 'https://app.example' })),
      section('Joe', button('stop')),
    ];
    const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Two', blocks });
    const pressed = { as: alex, source: { type: 'message', channel: support, ts } } as const;
    both.slack.changePerson(alex, { losesLinkPresses: true });
    const watch = { ...pressed, block_id: 'block-Jane', action_id: 'watch' };
    expect(await both.slack.press(watch)).toEqual({ ok: true });
    expect(both.app.received).toEqual([]);
    await both.slack.press({ ...pressed, block_id: 'block-Joe', action_id: 'stop' });
    expect(both.app.received).toHaveLength(1);
    both.slack.changePerson(alex, { losesLinkPresses: false });
    await both.slack.press(watch);
    expect(both.app.received).toHaveLength(2);
  });
});
