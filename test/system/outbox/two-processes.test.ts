import { describe, expect, it } from 'vitest';
import type { PostOutcome } from '../../../src/outbox/transport.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import type { Outbox } from '../../../src/outbox/outbox.ts';
import {
  MINUTE_MS,
  archived,
  openStage,
  sessionIn,
  took,
  type Answer,
  type Watched,
} from '../../outbox/stage.ts';

/** The process asks for nothing, as if it were stopped where it is. */
function putToSleep({ watched }: { readonly watched: Watched }) {
  watched.fail = () => {
    throw new Error('asleep');
  };
  return { wake: () => void (watched.fail = () => undefined) };
}

/** Takes long enough that more waits before it has answered. */
const slowly: Answer = () => new Promise((resolve) => setTimeout(() => resolve(took()), 200));

describe.skipIf(!hasPostgres).each([postgresql])('two processes on $engine', ({ newUrl }) => {
  const open = async () => openStage({ url: await newUrl(), isShared: true });

  it('post each delivery once, in order in each channel, at its pace', async () => {
    const stage = await open();
    const one = await stage.start({ name: 'one' });
    const two = await stage.start({ name: 'two' });
    const channels = ['C1', 'C2', 'C3'];
    for (let index = 0; index < 12; index += 1) {
      await (index % 2 === 0 ? one : two).tell(`s${index}`, { channelId: channels[index % 3] ?? '' });
      // Within one millisecond, nobody knows which came first.
      await stage.pass(2);
    }
    await stage.pass(15_000);
    expect(stage.asked).toHaveLength(12);
    expect(new Set(stage.asked.map(({ id }) => id)).size).toBe(12);
    for (const channel of channels) {
      const there = stage.asked.filter(({ to }) => to === channel);
      const numbers = there.map((asked) => Number(sessionIn(asked)?.slice(1)));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      const rests = there.slice(1).map(({ at }, index) => at - (there[index]?.at ?? 0));
      expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
    }
  });

  it.each([
    ['is asleep', putToSleep],
    ['stops', ({ outbox }: { readonly outbox: Outbox }) => void outbox.stop()],
  ])('go on in a channel once it has rested, where the one that went through it %s', async (_, end) => {
    const stage = await open();
    const first = await stage.start({ name: 'first', answer: slowly });
    await first.tell('a');
    await stage.pass(100);
    await first.tell('b');
    await stage.pass(400);
    end(first);
    await stage.start({ name: 'living' });
    await stage.pass(10_000);
    expect(stage.asked.map((asked) => [sessionIn(asked), asked.by])).toEqual([
      ['a', 'first'],
      ['b', 'living'],
    ]);
    expect(stage.asked[1]?.at).toBeGreaterThanOrEqual(1_000);
    expect(stage.asked[1]?.at).toBeLessThan(2_000);
    // Nobody has to look whether it was posted.
    expect(stage.finds).toEqual([]);
  });

  it('go on within a minute in the channels of one that ended, which records nothing any more', async () => {
    const stage = await open();
    const { promise, resolve: answer } = Promise.withResolvers<PostOutcome>();
    const slow = await stage.start({ name: 'slow', answer: () => promise });
    await slow.tell('a');
    await stage.pass(0);
    void slow.outbox.stop();
    await stage.start({ name: 'living', find: async ({ to }) => ({ found: ['1.1'], channelId: to }) });
    await stage.pass(MINUTE_MS);
    expect((await stage.summaryOf('a'))?.post_ts).toBe('1.1');
    answer(archived);
    await stage.pass(1_000);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', post_ts: '1.1' });
    expect(stage.asked).toHaveLength(1);
  });
});
