import { describe, expect, it } from 'vitest';
import type { PostOutcome } from '../../src/outbox/transport.ts';
import { engines } from '../support/engines.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, openStage, revoked, sessionIn } from './stage.ts';

const postgres = engines.filter(({ engine }) => engine === 'PostgreSQL');

describe.each(postgres)('two processes on $engine', ({ newUrl }) => {
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

  it('record nothing once they have lost their turn', async () => {
    const stage = await open();
    const { promise, resolve: answer } = Promise.withResolvers<PostOutcome>();
    const slow = await stage.start({
      name: 'slow',
      answer: () => promise,
    });
    await slow.tell('a');
    await stage.pass(0);
    void slow.outbox.stop();
    await stage.start({ name: 'living', find: async ({ to }) => ({ found: ['1.1'], channelId: to }) });
    await stage.pass(MINUTE_MS, 1_000);
    expect((await stage.summaryOf('a'))?.post_ts).toBe('1.1');
    answer({ outcome: 'never', reason: 'is_archived' });
    await stage.pass(1_000);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', post_ts: '1.1' });
    expect(stage.asked).toHaveLength(1);
  });

  it('ask only once a minute together whether Slack accepts a refused token again', async () => {
    const stage = await open();
    let questions = 0;
    const acceptsToken = async () => {
      questions += 1;
      return false;
    };
    const options = { answer: () => revoked, acceptsToken };
    const one = await stage.start({ name: 'one', ...options });
    await stage.start({ name: 'two', ...options });
    for (let index = 0; index < 6; index += 1) await one.tell(`s${index}`, { channelId: `C${index}` });
    await stage.pass(5 * MINUTE_MS, 1_000);
    expect(questions).toBeGreaterThanOrEqual(4);
    expect(questions).toBeLessThanOrEqual(5);
  });

  it('end in one of the two if Retry and Drop come together', async () => {
    const stage = await open();
    const one = await stage.start({
      name: 'one',
      answer: () => ({ outcome: 'never', reason: 'is_archived' }),
    });
    const two = stage.processOver({ name: 'two' });
    const { workspaceId } = alexInSupport;
    await one.tell('a');
    await stage.pass(1_000);
    const id = (await stage.summaryOf('a'))?.id ?? '';
    await one.outbox.stop();
    const [retried, dropped] = await Promise.all([
      one.acts.retry(workspaceId, id),
      two.acts.drop(workspaceId, id, 'U1'),
    ]);
    const state = (await stage.summaryOf('a'))?.state;
    expect([
      ['retried', 'dropped', 'dropped'],
      ['dropped', 'dropped', 'dropped'],
      ['retried', 'busy', 'waiting'],
    ]).toContainEqual([retried, dropped, state]);
  });
});
