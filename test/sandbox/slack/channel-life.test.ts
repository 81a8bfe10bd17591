import { describe, expect, it } from 'vitest';
import { acme } from '../../../sandbox/slack/seed.ts';
import { ada, alex, appUser, kim, sales, startBoth, support } from './tiny-app.ts';

const secrets = 'C0SECRET005';

/** With a private channel the app is in. */
const seed = {
  ...acme,
  channels: [
    ...acme.channels,
    { id: secrets, name: 'secrets', topic: 'Hush', members: [alex, ada, appUser], isPrivate: true },
  ],
};

async function start() {
  const both = await startBoth({ seed });
  const received = () => both.app.received.map(({ payload }) => payload['event']);
  const heard = async (event: object) => {
    await expect.poll(received).toContainEqual(expect.objectContaining(event));
  };
  return { ...both, received, heard };
}

describe('a channel', () => {
  it('that is private does not exist for an app outside', async () => {
    const { slack, heard, mismatches } = await start();
    slack.leave({ channel: secrets, user: appUser, by: alex });
    await heard({ type: 'group_left', channel: secrets, actor_id: alex });
    const args = { channel: secrets, ts: '1.000001', text: 'x' };
    const reads = ['info', 'members', 'history'].map((name) => `conversations.${name}`);
    for (const method of [...reads, 'chat.postMessage', 'chat.update'])
      expect(await mismatches([method, args, 'channel_not_found'])).toEqual([]);
  });

  it('tells an app that is not in it nothing', async () => {
    const { slack, heard, received } = await start();
    slack.archive({ channel: sales });
    slack.unarchive({ channel: sales });
    slack.leave({ channel: sales, user: kim });
    slack.archive({ channel: support });
    await heard({ type: 'channel_archive', channel: support });
    expect(received()).toHaveLength(1);
  });

  it('lets nobody in while it is archived, and takes no message', async () => {
    const { slack, mismatches } = await start();
    slack.archive({ channel: support });
    const args = { channel: support, text: 'x' };
    expect(await mismatches(['chat.postMessage', args, 'is_archived'])).toEqual([]);
    expect(slack.join({ channel: support, user: kim })).toMatchObject({ ok: false });
  });
});
