import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { alex, guest, sales, sam, startBoth, support } from './tiny-app.ts';

const firstIn = ({ slack }: Awaited<ReturnType<typeof startBoth>>, channel: string) =>
  slack.snapshot(alex).messages.find((message) => message.channel === channel)?.ts;

describe('chat.postMessage', () => {
  it.each([
    ['an unknown channel', { channel: 'C404', text: 'x' }, 'channel_not_found'],
    ['a bot', { channel: 'U0HELPDESK', text: 'x' }, 'cannot_dm_bot'],
    ['a channel the app is not in', { channel: sales, text: 'x' }, 'not_in_channel'],
    ['no text', { channel: support }, 'no_text'],
    ['too long a text', { channel: support, text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['blocks that Slack can’t show', { channel: support, text: 'x', blocks: [{}] }, 'invalid_blocks'],
    ['an unknown thread', { channel: support, text: 'x', thread_ts: '1.000001' }, 'thread_not_found'],
    [
      'metadata without content',
      { channel: support, text: 'x', metadata: { event_type: 'x' } },
      'invalid_metadata_format',
    ],
  ])('refuses %s', async (_name, args, error) => {
    const { slack, mismatches } = await startBoth();
    expect(await mismatches(['chat.postMessage', args, error])).toEqual([]);
    expect(slack.calls.at(-1)).toMatchObject({ method: 'chat.postMessage', error });
  });

  it('gives every message a greater timestamp, also within a millisecond', async () => {
    const { post } = await startBoth({ now: () => 1_700_000_000_000 });
    expect([await post('one'), await post('two')]).toEqual(['1700000000.000000', '1700000000.000001']);
  });
});

describe('chat.postEphemeral', () => {
  it('is seen by one person, who must be in the channel, until they load the page again', async () => {
    const { slack, whisper, last, seen, mismatches } = await startBoth();
    await whisper('For Sam', { user: sam });
    await whisper('Psst');
    expect(last()).toMatchObject({ text: 'Psst', ephemeral: true });
    expect(last()).not.toHaveProperty('permalink');
    expect(seen(sam)).not.toContain('Psst');
    const elsewhere = { channel: 'C0RANDOM003', user: guest, text: 'x' };
    expect(await mismatches(['chat.postEphemeral', elsewhere, 'user_not_in_channel'])).toEqual([]);
    slack.reload({ as: alex });
    expect(seen(alex)).not.toContain('Psst');
    expect(seen(sam)).toContain('For Sam');
  });
});

const linkTo = ({ channel, ts }: { readonly channel: string; readonly ts: string | undefined }) => ({
  channel,
  message_ts: ts,
});

it('chat.update, chat.delete and chat.getPermalink are for the app’s own messages and those it sees', async () => {
  const both = await startBoth();
  const own = { channel: support, ts: await both.post('First') };
  const theirs = { channel: support, ts: firstIn(both, support) };
  const whispered = { channel: support, ts: await both.whisper('Psst') };
  expect(
    await both.mismatches(
      ['chat.update', { ...own, text: 'x'.repeat(4001) }, 'msg_too_long'],
      ['chat.update', { ...theirs, text: 'x' }, 'cant_update_message'],
      ['chat.delete', theirs, 'cant_delete_message'],
      ['chat.update', { ...whispered, text: 'x' }, 'message_not_found'],
      ['chat.delete', whispered, 'message_not_found'],
      ['chat.getPermalink', linkTo(whispered), 'message_not_found'],
      ['chat.getPermalink', linkTo({ channel: sales, ts: firstIn(both, sales) }), 'channel_not_found'],
      ['chat.delete', own, { ok: true }],
      ['chat.delete', own, 'message_not_found'],
      ['chat.getPermalink', linkTo(own), 'message_not_found'],
    ),
  ).toEqual([]);
});

const pageSchema = z.looseObject({
  messages: z.array(z.looseObject({ text: z.string() })),
  response_metadata: z.object({ next_cursor: z.string() }),
});
const words = (page: z.output<typeof pageSchema>) => page.messages.map(({ text }) => text);
const metadata = { event_type: 'session_ended', event_payload: { delivery: 'one' } };

/** Five messages of the app in a channel that had none of it before, and what the app reads of them. */
async function startWithFive() {
  let now = 1_700_000_000_000;
  const both = await startBoth({ now: () => (now += 1000) });
  const times: string[] = [];
  for (const text of ['one', 'two', 'three', 'four', 'five']) times.push(await both.post(text, { metadata }));
  const reading = (method: string) => async (args: object) =>
    pageSchema.parse(await both.call(method, { channel: support, ...args }));
  return {
    ...both,
    times,
    history: reading('conversations.history'),
    replies: reading('conversations.replies'),
  };
}

describe('conversations.history', () => {
  it('gives what lies between two times, which belong to it where asked', async () => {
    const { times, history } = await startWithFive();
    const [, oldest, , latest] = times;
    expect(words(await history({ oldest, latest }))).toEqual(['three']);
    expect(words(await history({ oldest, latest, inclusive: true }))).toEqual(['four', 'three', 'two']);
  });

  it('keeps metadata, for who asks for it', async () => {
    const { times, history, call } = await startWithFive();
    const [ts] = times;
    const one = { oldest: ts, latest: ts, inclusive: true };
    const asked = async () => (await history({ ...one, include_all_metadata: true })).messages;
    expect((await history(one)).messages[0]).not.toHaveProperty('metadata');
    expect(await asked()).toMatchObject([{ metadata, bot_id: 'B0COBROWSE' }]);
    await call('chat.update', { channel: support, ts, text: 'one' });
    expect(await asked()).toMatchObject([{ metadata }]);
    const changed = { ...metadata, event_payload: { delivery: 'two' } };
    await call('chat.update', { channel: support, ts, text: 'one', metadata: changed });
    expect(await asked()).toMatchObject([{ metadata: changed }]);
  });

  it('refuses what it cannot read', async () => {
    const { mismatches } = await startBoth();
    expect(
      await mismatches(
        ['conversations.history', { channel: 'C404' }, 'channel_not_found'],
        ['conversations.history', { channel: sales }, 'not_in_channel'],
        ['conversations.history', { channel: support, oldest: 'yesterday' }, 'invalid_ts_oldest'],
        ['conversations.history', { channel: support, cursor: 'abc' }, 'invalid_cursor'],
      ),
    ).toEqual([]);
  });
});

it('conversations.replies gives the message that the thread hangs on, then its replies, page by page', async () => {
  const { times, post, replies: read } = await startWithFive();
  const [ts] = times;
  const replies: string[] = [];
  for (const text of ['a', 'b', 'c']) replies.push(await post(text, { thread_ts: ts, metadata }));
  const all = await read({ ts, include_all_metadata: true });
  expect(words(all)).toEqual(['one', 'a', 'b', 'c']);
  expect(all.messages[1]).toMatchObject({ thread_ts: ts, metadata });
  expect(words(await read({ ts: replies[1] }))).toEqual(words(all));
  expect(words(await read({ ts, oldest: replies[0] }))).toEqual(['one', 'b', 'c']);
  const first = await read({ ts, limit: 3 });
  expect(words(first)).toEqual(['one', 'a', 'b']);
  const cursor = first.response_metadata.next_cursor;
  const last = await read({ ts, limit: 3, cursor });
  expect([words(last), last.response_metadata.next_cursor]).toEqual([['c'], '']);
});
