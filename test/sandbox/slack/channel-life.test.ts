import { describe, expect, it } from 'vitest';
import ours from '../../../manifest.json' with { type: 'json' };
import { acme } from '../../../sandbox/slack/seed.ts';
import { ada, alex, appUser, kim, sales, sam, startBoth, support } from './tiny-app.ts';

const secrets = 'C0SECRET005';

/** With a private channel the app is in. */
const seed = {
  ...acme,
  channels: [
    ...acme.channels,
    { id: secrets, name: 'secrets', topic: 'Hush', members: [alex, ada, appUser], isPrivate: true },
  ],
};

/** Also tells of new names, which our app does not ask for. */
const subscribed = ours.settings.event_subscriptions;
const bot_events = [...subscribed.bot_events, 'channel_rename', 'group_rename'];
const manifest = {
  ...ours,
  settings: { ...ours.settings, event_subscriptions: { ...subscribed, bot_events } },
};

async function start() {
  const both = await startBoth({ seed, manifest });
  const received = () => both.app.received.map(({ payload }) => payload['event']);
  const heard = async (event: object) => {
    await expect.poll(received).toContainEqual(expect.objectContaining(event));
  };
  return { ...both, received, heard };
}

describe('a channel', () => {
  it.each([
    [support, 'channel_archive', 'channel_unarchive', { user: kim }],
    [secrets, 'group_archive', 'group_unarchive', { actor_id: kim }],
  ])('%s is archived, and comes back', async (channel, archived, unarchived, by) => {
    const { slack, heard, mismatches } = await start();
    expect(slack.archive({ channel, by: kim })).toEqual({ ok: true });
    await heard({ type: archived, channel, user: kim, is_moved: 0 });
    expect(
      await mismatches(
        ['conversations.info', { channel }, { channel: { is_archived: true, is_member: true } }],
        ['chat.postMessage', { channel, text: 'x' }, 'is_archived'],
      ),
    ).toEqual([]);
    slack.unarchive({ channel, by: kim });
    await heard({ type: unarchived, channel, ...by });
    expect(await mismatches(['chat.postMessage', { channel, text: 'x' }, { ok: true }])).toEqual([]);
  });

  it.each([
    [support, 'channel_rename', { type: 'channel_deleted', channel: support }],
    [secrets, 'group_rename', { type: 'group_deleted', channel: secrets, actor_id: ada }],
  ])('%s gets another name, and is deleted with what was said in it', async (channel, type, deleted) => {
    const { slack, heard, mismatches, seen } = await start();
    slack.rename({ channel, name: 'helping' });
    const renamed = { id: channel, name: 'helping', is_channel: channel === support };
    await heard({ type, channel: expect.objectContaining(renamed) });
    expect(await mismatches(['conversations.info', { channel }, { channel: { name: 'helping' } }])).toEqual(
      [],
    );
    slack.deleteChannel({ channel });
    await heard(deleted);
    for (const method of ['conversations.info', 'conversations.history', 'conversations.members'])
      expect(await mismatches([method, { channel }, 'channel_not_found'])).toEqual([]);
    expect(seen(alex)).not.toContain(channel);
  });

  it('gets a new id, with its people and messages', async () => {
    const { slack, post, heard, mismatches, last } = await start();
    const channel = 'C0SHARED099';
    const ts = await post('Kept', { channel: secrets });
    slack.convert({ channel: secrets, newId: channel });
    await heard({ type: 'channel_id_changed', old_channel_id: secrets, new_channel_id: channel });
    expect(
      await mismatches(
        ['chat.postMessage', { channel: secrets, text: 'x' }, 'channel_not_found'],
        ['conversations.members', { channel }, { members: [alex, ada, appUser] }],
        ['chat.update', { channel, ts, text: 'Still' }, { ok: true }],
      ),
    ).toEqual([]);
    expect(last()).toMatchObject({ channel, text: 'Still' });
  });

  it('that is private does not exist for an app outside', async () => {
    const { slack, heard, mismatches } = await start();
    slack.leave({ channel: secrets, user: appUser, by: alex });
    await heard({ type: 'group_left', channel: secrets, actor_id: alex });
    for (const method of ['info', 'members', 'history'])
      expect(
        await mismatches([`conversations.${method}`, { channel: secrets }, 'channel_not_found']),
      ).toEqual([]);
    for (const method of ['chat.postMessage', 'chat.update'])
      expect(
        await mismatches([method, { channel: secrets, ts: '1.000001', text: 'x' }, 'channel_not_found']),
      ).toEqual([]);
  });

  it('tells an app that is not in it nothing', async () => {
    const { slack, heard, received } = await start();
    slack.archive({ channel: sales });
    slack.unarchive({ channel: sales });
    slack.leave({ channel: sales, user: kim });
    slack.rename({ channel: support, name: 'helping' });
    await heard({ type: 'channel_rename' });
    expect(received()).toHaveLength(1);
  });

  it('lets nobody in while it is archived, as direct messages never do', async () => {
    const { slack } = await start();
    slack.archive({ channel: sales });
    for (const refused of [
      slack.join({ channel: sales, user: appUser }),
      slack.join({ channel: 'D0ALEX00001', user: sam }),
      slack.leave({ channel: 'C404', user: sam }),
      slack.archive({ channel: 'C404' }),
    ])
      expect(refused).toMatchObject({ ok: false });
  });
});
