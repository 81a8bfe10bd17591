import { describe, expect, it } from 'vitest';
import { openCourierStage, pass } from './courier-stage.ts';
import { deliveryOf } from './ended-session.ts';

const RANDOM = 'C0RANDOM003';
const MINUTE_MS = 60_000;

describe('summaries on their way', () => {
  it('are posted in the order of their acceptance, a second apart in each channel', async () => {
    const { courierThat, order, reports } = await openCourierStage();
    const courier = courierThat();
    for (const id of ['a', 'b', 'c']) await courier.accept(id, deliveryOf(id));
    await courier.accept('d', deliveryOf('d', { to: RANDOM }));
    expect(courier.waiting()).toBeGreaterThanOrEqual(3);
    await pass(10_000);
    expect(order()).toEqual(['a at 0', 'd at 0', 'b at 1000', 'c at 2000']);
    expect(reports).toEqual(['posted a', 'posted d', 'posted b', 'posted c']);
    expect(courier.waiting()).toBe(0);
  });

  it('are kept with how they ended', async () => {
    const { courierThat, outbox, stores } = await openCourierStage();
    await courierThat().accept('a', deliveryOf('a'));
    await pass(3_000);
    expect(await outbox.settlement('a')).toEqual({
      outcome: 'posted',
      to: 'C0SUPPORT01',
      ts: '1700000000.000100',
      settledAt: 0,
    });
    expect(await stores.waiting.keys('', 10)).toEqual([]);
    expect(await stores.claims.keys('', 10)).toEqual([]);
  });

  it('wait as long as Slack says, with all of their channel and no other', async () => {
    const { courierThat, order, reports } = await openCourierStage();
    const courier = courierThat(({ id }, times) =>
      id === 'a' && times === 0
        ? { outcome: 'later', reason: 'ratelimited', afterMs: 30_000 }
        : { outcome: 'posted', ts: '1.2' },
    );
    await courier.accept('a', deliveryOf('a'));
    await courier.accept('b', deliveryOf('b'));
    await courier.accept('c', deliveryOf('c', { to: RANDOM }));
    await courier.accept('d', deliveryOf('d', { to: RANDOM }));
    await pass(MINUTE_MS);
    expect(order()).toEqual(['a at 0', 'c at 0', 'd at 1000', 'a at 30000', 'b at 31000']);
    expect(reports[0]).toBe('later a ratelimited');
  });

  it('are tried again after waits that double, up to five minutes', async () => {
    const { courierThat, asked } = await openCourierStage();
    const courier = courierThat(() => ({ outcome: 'later', reason: 'no_answer' }));
    await courier.accept('a', deliveryOf('a'));
    await pass(25 * MINUTE_MS);
    const waits = asked.slice(1).map(({ at }, index) => (at - (asked[index]?.at ?? 0)) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    await courier.stop();
  });

  it('are not held up by one that has to be tried again', async () => {
    const { courierThat, reports } = await openCourierStage();
    const courier = courierThat(({ id }, times) =>
      id === 'a' && times < 3 ? { outcome: 'later', reason: 'http_500' } : { outcome: 'posted', ts: '1.2' },
    );
    for (const id of ['a', 'b', 'c']) await courier.accept(id, deliveryOf(id));
    await pass(MINUTE_MS);
    expect(reports.filter((line) => line.startsWith('posted'))).toEqual(['posted b', 'posted c', 'posted a']);
  });

  it('are finished where one is under way, and kept for the next start, when the app stops', async () => {
    const { courierThat, asked } = await openCourierStage();
    const { promise, resolve } = Promise.withResolvers<{ outcome: 'posted'; ts: string }>();
    const first = courierThat(() => promise);
    await first.accept('a', deliveryOf('a'));
    await first.accept('b', deliveryOf('b', { acceptedAt: 1 }));
    await pass(1_000);
    let hasStopped = false;
    const stopping = first.stop().then(() => (hasStopped = true));
    await pass(5_000);
    expect(hasStopped).toBe(false);
    resolve({ outcome: 'posted', ts: '1.2' });
    await pass(0);
    await stopping;
    await pass(MINUTE_MS);
    expect(asked.map(({ id }) => id)).toEqual(['a']);
    await courierThat().start();
    await pass(MINUTE_MS);
    expect(asked.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('go out oldest first at the next start, whatever their ids', async () => {
    const { courierThat, outbox, asked } = await openCourierStage();
    const ids = ['z', 'm', 'a', 'k'];
    for (const [index, id] of ids.entries()) await outbox.accept(id, deliveryOf(id, { acceptedAt: index }));
    await courierThat().start();
    await pass(10_000);
    expect(asked.map(({ id }) => id)).toEqual(ids);
  });

  it('name the visitor by its id where it cannot be looked up', async () => {
    const { courierThat, asked } = await openCourierStage();
    await courierThat().accept('a', deliveryOf('a'));
    await pass(0);
    expect(asked[0]?.text).toContain('Visitor: jane4821');
  });
});
