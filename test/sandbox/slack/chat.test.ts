import { describe, expect, it } from 'vitest';

import { alex, sales, sam, section, startBoth, support } from './tiny-app.ts';

const guest = 'U0GUEST0004';

describe('chat.postMessage', () => {
  it.each([
    ['an unknown channel', { channel: 'C404', text: 'x' }, 'channel_not_found'],
    ['an unknown user', { channel: 'U404', text: 'x' }, 'channel_not_found'],
    ['a bot', { channel: 'U0HELPDESK', text: 'x' }, 'cannot_dm_bot'],
    ['a channel the app is not in', { channel: sales, text: 'x' }, 'not_in_channel'],
    ['no text', { channel: support }, 'no_text'],
    ['too long a text', { channel: support, text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['blocks that are no list', { channel: support, text: 'x', blocks: {} }, 'invalid_blocks_format'],
    ['an unknown thread', { channel: support, text: 'x', thread_ts: '1.000001' }, 'thread_not_found'],
    ['no channel', { text: 'x' }, 'invalid_arguments'],
  ])('refuses %s', async (_name, args, error) => {
    await using both = await startBoth();
    expect(await both.call('chat.postMessage', args)).toMatchObject({ ok: false, error });
    expect(both.slack.calls.at(-1)).toMatchObject({ method: 'chat.postMessage', error });
  });

  it('says what is wrong with blocks', async () => {
    await using both = await startBoth();
    const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }];
    expect(await both.call('chat.postMessage', { channel: support, text: 'x', blocks })).toMatchObject({
      error: 'invalid_blocks',
      response_metadata: {
        messages: ['[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]'],
      },
    });
  });

  it('gives every message a greater timestamp, also within a millisecond', async () => {
    await using both = await startBoth({ now: () => 1_700_000_000_000 });
    const times: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      times.push((await both.call('chat.postMessage', { channel: support, text })).ts);
    }
    expect(times).toEqual(['1700000000.000000', '1700000000.000001', '1700000000.000002']);
  });
});

describe('chat.postEphemeral', () => {
  it('is seen by one person, who must be in the channel', async () => {
    await using both = await startBoth();
    await both.call('chat.postEphemeral', { channel: support, user: alex, text: 'Psst' });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ text: 'Psst', ephemeral: true });
    expect(JSON.stringify(both.slack.snapshot(sam))).not.toContain('Psst');
    const random = 'C0RANDOM003';
    expect(await both.call('chat.postEphemeral', { channel: random, user: guest, text: 'x' })).toMatchObject({
      error: 'user_not_in_channel',
    });
  });

  it('is gone when the page is loaded again', async () => {
    await using both = await startBoth();
    await both.call('chat.postEphemeral', { channel: support, user: alex, text: 'Psst' });
    await both.call('chat.postEphemeral', { channel: support, user: sam, text: 'For Sam' });
    both.slack.reload({ as: alex });
    expect(JSON.stringify(both.slack.snapshot(alex))).not.toContain('Psst');
    expect(JSON.stringify(both.slack.snapshot(sam))).toContain('For Sam');
  });
});

describe('chat.update and chat.delete', () => {
  it("change and remove the app's own messages", async () => {
    await using both = await startBoth();
    const { ts } = await both.call('chat.postMessage', { channel: support, text: 'First' });
    await both.call('chat.update', { channel: support, ts, text: 'Second', blocks: [section('Second')] });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ ts, text: 'Second', edited: true });
    expect(await both.call('chat.update', { channel: support, ts, text: 'x'.repeat(4001) })).toMatchObject({
      error: 'msg_too_long',
    });
    await both.call('chat.delete', { channel: support, ts });
    expect(await both.call('chat.delete', { channel: support, ts })).toMatchObject({
      error: 'message_not_found',
    });
  });

  it("leave other people's messages and ephemeral ones alone", async () => {
    await using both = await startBoth();
    const channel = support;
    const theirs = both.slack.snapshot(alex).messages.find((message) => message.channel === support);
    const ts = theirs?.ts ?? '';
    expect(await both.call('chat.update', { channel, ts, text: 'x' })).toMatchObject({
      error: 'cant_update_message',
    });
    expect(await both.call('chat.delete', { channel, ts })).toMatchObject({ error: 'cant_delete_message' });
    await both.call('chat.postEphemeral', { channel, user: alex, text: 'Psst' });
    const whispered = both.slack.snapshot(alex).messages.at(-1)?.ts;
    expect(await both.call('chat.update', { channel, ts: whispered, text: 'x' })).toMatchObject({
      error: 'message_not_found',
    });
  });
});

const startThread = async () => {
  const both = await startBoth();
  const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Card' });
  const after = await both.call('chat.postMessage', { channel: support, text: 'Later' });
  await both.slack.message({ as: sam, channel: support, text: 'Nice', thread_ts: ts });
  const inChannel = () => both.slack.snapshot(alex).messages.slice(-3);
  return { ...both, ts, later: after.ts, inChannel };
};

describe('a thread', () => {
  it('takes replies of people, wherever in it they answer', async () => {
    await using both = await startThread();
    const reply = both.inChannel().at(-1);
    expect(reply).toMatchObject({ text: 'Nice', user: sam, thread_ts: both.ts });
    await both.slack.message({ as: alex, channel: support, text: 'Yes', thread_ts: reply?.ts ?? '' });
    expect(both.inChannel().at(-1)).toMatchObject({ text: 'Yes', thread_ts: both.ts });
    await both.call('chat.postMessage', { channel: support, text: 'Ended', thread_ts: reply?.ts });
    expect(both.inChannel().at(-1)).toMatchObject({ text: 'Ended', thread_ts: both.ts });
  });
});

describe('chat.getPermalink', () => {
  it("leads to the message on the stand-in's own page", async () => {
    await using both = await startBoth();
    const { ts } = await both.call('chat.postMessage', { channel: support, text: 'Card' });
    const answer = await both.call('chat.getPermalink', { channel: support, message_ts: ts });
    const permalink = `${both.slack.url}/archives/${support}/p${ts.replace('.', '')}`;
    expect(answer).toMatchObject({ ok: true, channel: support, permalink });
    expect(both.slack.snapshot(alex).messages.at(-1)).toMatchObject({ ts, permalink });
    const led = await fetch(permalink, { redirect: 'manual' });
    expect([led.status, led.headers.get('location')]).toEqual([302, `/#${support}/${ts}`]);
  });

  it('is for messages the app can see', async () => {
    await using both = await startBoth();
    const first = both.slack.snapshot(alex).messages.find(({ channel }) => channel === sales);
    await both.call('chat.postEphemeral', { channel: support, user: alex, text: 'Psst' });
    const whispered = both.slack.snapshot(alex).messages.at(-1);
    expect(whispered).not.toHaveProperty('permalink');
    const link = (channel: string, message_ts: string | undefined) =>
      both.call('chat.getPermalink', { channel, message_ts });
    expect(await link(sales, first?.ts)).toMatchObject({ error: 'channel_not_found' });
    expect(await link(support, whispered?.ts)).toMatchObject({ error: 'message_not_found' });
    expect(await link(support, '1.000001')).toMatchObject({ error: 'message_not_found' });
  });
});
