import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { fullManifest } from './full-manifest.ts';
import { sales, startBoth, support } from './tiny-app.ts';

const pageSchema = z.looseObject({
  ok: z.literal(true),
  messages: z.array(z.looseObject({ ts: z.string(), text: z.string() })),
  has_more: z.boolean(),
  response_metadata: z.object({ next_cursor: z.string() }),
});

const metadata = { event_type: 'session_ended', event_payload: { delivery: 'one' } };

const words = (page: z.output<typeof pageSchema>) => page.messages.map(({ text }) => text);

/** Five messages of the app in a channel that had none of it before. */
const start = async () => {
  let now = 1_700_000_000_000;
  const both = await startBoth({ now: () => (now += 1000) });
  const times: string[] = [];
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    const posted = await both.call('chat.postMessage', { channel: support, text, metadata });
    times.push(posted.ts);
  }
  const history = async (args: object) =>
    pageSchema.parse(await both.call('conversations.history', { channel: support, ...args }));
  const said = async (args: object) => words(await history(args));
  return { ...both, times, history, said };
};

describe('conversations.history', () => {
  it('gives what lies between two times, which belong to it where asked', async () => {
    await using both = await start();
    const [, oldest, , latest] = both.times;
    expect(await both.said({ oldest, latest })).toEqual(['three']);
    expect(await both.said({ oldest, latest, inclusive: true })).toEqual(['four', 'three', 'two']);
    expect(await both.said({ oldest: latest, latest, inclusive: 'true', limit: 1 })).toEqual(['four']);
  });

  it('keeps metadata, for who asks for it', async () => {
    await using both = await start();
    const [first] = both.times;
    const one = { oldest: first, latest: first, inclusive: true };
    expect((await both.history(one)).messages[0]).not.toHaveProperty('metadata');
    const asked = { ...one, include_all_metadata: true };
    expect((await both.history(asked)).messages).toMatchObject([{ metadata, bot_id: 'B0COBROWSE' }]);
    const changed = { event_type: 'session_ended', event_payload: { delivery: 'two' } };
    await both.call('chat.update', { channel: support, ts: first, text: 'one' });
    expect((await both.history(asked)).messages).toMatchObject([{ metadata }]);
    await both.call('chat.update', { channel: support, ts: first, text: 'one', metadata: changed });
    expect((await both.history(asked)).messages).toMatchObject([{ metadata: changed }]);
  });

  it.each([
    ['an unknown channel', { channel: 'C404' }, 'channel_not_found'],
    ['a channel the app is not in', { channel: sales }, 'not_in_channel'],
    ['a time that is none', { channel: support, oldest: 'yesterday' }, 'invalid_ts_oldest'],
    ['an end that is none', { channel: support, latest: 'now' }, 'invalid_ts_latest'],
    ['a page of nothing', { channel: support, limit: 0 }, 'invalid_limit'],
    ['a cursor of its own', { channel: support, cursor: 'abc' }, 'invalid_cursor'],
  ])('refuses %s', async (_name, args, error) => {
    await using both = await startBoth();
    expect(await both.call('conversations.history', args)).toMatchObject({ ok: false, error });
  });

  it.each([
    ['conversations.history', support, 'channels:history'],
    ['conversations.history', 'D0ALEX00001', 'im:history'],
    ['conversations.replies', support, 'channels:history'],
    ['conversations.members', support, 'channels:read'],
  ])('needs for %s of %s the scope of its kind', async (method, channel, needed) => {
    const bot = ['groups:history', 'groups:read'];
    await using both = await startBoth({ manifest: { ...fullManifest, oauth_config: { scopes: { bot } } } });
    expect(await both.call(method, { channel, ts: '1.000001' })).toMatchObject({
      error: 'missing_scope',
      needed,
    });
  });
});

describe('conversations.replies', () => {
  it('gives the message that the thread hangs on, then its replies, the oldest first', async () => {
    await using both = await start();
    const ts = both.times[0];
    const replies: string[] = [];
    for (const text of ['a', 'b', 'c']) {
      const posted = await both.call('chat.postMessage', { channel: support, text, thread_ts: ts, metadata });
      replies.push(posted.ts);
    }
    const read = async (args: object) =>
      pageSchema.parse(await both.call('conversations.replies', { channel: support, ts, ...args }));
    const all = await read({ include_all_metadata: true });
    expect(words(all)).toEqual(['one', 'a', 'b', 'c']);
    expect(all.messages[1]).toMatchObject({ thread_ts: ts, metadata });
    expect(words(await read({ ts: replies[1] }))).toEqual(words(all));
    expect(words(await read({ oldest: replies[0] }))).toEqual(['one', 'b', 'c']);
    const first = await read({ limit: 3 });
    expect([words(first), first.has_more]).toEqual([['one', 'a', 'b'], true]);
    expect(words(await read({ limit: 3, cursor: first.response_metadata.next_cursor }))).toEqual(['c']);
  });
});

describe('conversations.members', () => {
  it('lists people and bots, page by page, also of a public channel the app is not in', async () => {
    await using both = await startBoth();
    const membersSchema = z.looseObject({
      members: z.array(z.string()),
      response_metadata: z.object({ next_cursor: z.string() }),
    });
    const read = async (args: object) =>
      membersSchema.parse(await both.call('conversations.members', { channel: sales, ...args }));
    const all = (await read({})).members;
    expect(all).toHaveLength(4);
    const first = await read({ limit: 3 });
    const second = await read({ limit: 3, cursor: first.response_metadata.next_cursor });
    expect([...first.members, ...second.members]).toEqual(all);
    expect(second.response_metadata.next_cursor).toBe('');
    expect(await both.call('conversations.members', { channel: 'C404' })).toMatchObject({
      error: 'channel_not_found',
    });
  });
});

describe('metadata', () => {
  it('has a type and a payload', async () => {
    await using both = await startBoth();
    for (const bad of [{ event_type: 'x' }, 'text', { event_type: '', event_payload: {} }]) {
      expect(
        await both.call('chat.postMessage', { channel: support, text: 'x', metadata: bad }),
      ).toMatchObject({
        error: 'invalid_metadata_format',
      });
    }
  });
});
