import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Attempt } from '../../src/session-end/lanes.ts';
import { again, done, lanesThat, random, support } from './lanes-stage.ts';

const HOUR_MS = 60 * 60 * 1_000;

describe('the queue of one channel', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('goes in order, one at a time, a rest apart', async () => {
    const { lanes, order } = lanesThat();
    for (const id of ['a', 'b', 'c']) lanes.add(support, id, 0);
    expect(lanes.size()).toBe(3);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'b at 1000', 'c at 2000']);
    expect(lanes.size()).toBe(0);
  });

  // An entry that looked at all the others would make this take more than a minute.
  it('takes in a hundred thousand that wait, and goes on in order', async () => {
    const { lanes, order } = lanesThat();
    for (let entry = 0; entry < 100_000; entry += 1) lanes.add(support, `entry ${entry}`, 0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(order()).toEqual(['entry 0 at 0', 'entry 1 at 1000']);
    expect(lanes.size()).toBe(99_998);
    await lanes.stop();
  });

  it('keeps the rest for what comes after the queue was empty', async () => {
    const { lanes, order } = lanesThat();
    lanes.add(support, 'a', 0);
    await vi.advanceTimersByTimeAsync(400);
    lanes.add(support, 'b', 0);
    await vi.advanceTimersByTimeAsync(10_000);
    lanes.add(support, 'c', 0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'b at 1000', 'c at 10400']);
  });

  it('begins the rest when the attempt is over, not when it began', async () => {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const { lanes, order } = lanesThat({ a: () => promise });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'b', 0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order()).toEqual(['a at 0']);
    resolve(done);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'b at 6000']);
  });

  it('begins the rest when the post set out, where that is known', async () => {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const { lanes, order } = lanesThat({ a: () => promise });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'b', 0);
    await vi.advanceTimersByTimeAsync(600);
    resolve({ next: 'done', sentAt: 200 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'b at 1200']);
  });

  it('begins the rest then, too, where Slack told to come later: what is written down meanwhile costs nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const { lanes, order } = lanesThat({ a: (attempts) => (attempts === 0 ? promise : done) });
    lanes.add(support, 'a', 0);
    await vi.advanceTimersByTimeAsync(600);
    resolve({ ...again(1_100, true), sentAt: 0 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'a at 1100']);
  });

  it('rests no longer where the clock was put back meanwhile', async () => {
    const { lanes, order } = lanesThat({ a: async () => ({ next: 'done', sentAt: 90_000 }) });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'b', 0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'b at 1000']);
  });

  it('is not slowed by another channel, held or not', async () => {
    const { lanes, order } = lanesThat({ a: (attempts) => (attempts === 0 ? again(60_000, true) : done) });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'b', 0);
    lanes.add(random, 'c', 0);
    lanes.add(random, 'd', 0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(order()).toEqual(['a at 0', 'c at 0', 'd at 1000']);
  });

  it('waits as a whole where it is held, and then goes on in order', async () => {
    const { lanes, order } = lanesThat({ a: (attempts) => (attempts === 0 ? again(30_000, true) : done) });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'b', 0);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(order()).toEqual(['a at 0']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'a at 30000', 'b at 31000']);
  });

  it('lets others pass one entry that waits by itself', async () => {
    const { lanes, order } = lanesThat({ a: (attempts) => (attempts === 0 ? again(5_000) : done) });
    for (const id of ['a', 'b', 'c']) lanes.add(support, id, 0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order()).toEqual(['a at 0', 'b at 1000', 'c at 2000', 'a at 5000']);
  });

  it('lets none wait for hundreds that fail again and again', async () => {
    const { lanes, order } = lanesThat(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, entry) => [`bad ${entry}`, () => again(Date.now() + 60_000)]),
      ),
    );
    for (let entry = 0; entry < 300; entry += 1) lanes.add(support, `bad ${entry}`, 0);
    await vi.advanceTimersByTimeAsync(600_500);
    lanes.add(support, 'good', 0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(order().at(-1)).toBe('good at 601000');
    await lanes.stop();
  });

  it('tries what failed in the order in which it is due, and what only had to wait before what came later', async () => {
    const { lanes, order } = lanesThat({
      a: (attempts) => (attempts === 0 ? again(4_000) : done),
      b: (attempts) => (attempts === 0 ? again(3_500) : done),
      c: (attempts) => (attempts === 0 ? { ...again(4_000), keepsTurn: true } : done),
    });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) lanes.add(support, id, 0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(order().slice(3)).toEqual([
      'd at 3000',
      'c at 4000',
      'e at 5000',
      'f at 6000',
      'b at 7000',
      'a at 8000',
    ]);
  });

  it.each([
    ['by itself', false],
    ['as a whole', true],
  ])(
    'waits no longer than a minute more where the clock is put back while it waits %s',
    async (_how, hold) => {
      vi.setSystemTime(10 * HOUR_MS);
      const { lanes, order } = lanesThat({
        a: (attempts) => (attempts === 0 ? again(Date.now() + 5_000, hold) : done),
      });
      lanes.add(support, 'a', 0);
      lanes.add(support, 'b', 0);
      await vi.advanceTimersByTimeAsync(0);
      vi.setSystemTime(8 * HOUR_MS);
      await vi.advanceTimersByTimeAsync(62_000);
      expect(order().map((line) => line.slice(0, 1))).toEqual(hold ? ['a', 'a', 'b'] : ['a', 'b', 'a']);
    },
  );

  it('counts the attempts of an entry', async () => {
    const { lanes, attempted } = lanesThat({
      a: (attempts) => (attempts < 3 ? again(Date.now() + 10) : done),
    });
    lanes.add(support, 'a', 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempted.map(({ attempts }) => attempts)).toEqual([0, 1, 2, 3]);
  });

  it('takes an entry once, however often it is added', async () => {
    const { lanes, order } = lanesThat({ a: (attempts) => (attempts === 0 ? again(5_000) : done) });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'a', 0);
    await vi.advanceTimersByTimeAsync(2_000);
    lanes.add(support, 'a', 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(order()).toEqual(['a at 0', 'a at 5000']);
  });

  it('sleeps through a wait that is longer than any timer', async () => {
    const twoMonths = 60 * 24 * 60 * 60 * 1_000;
    const { lanes, order } = lanesThat({ a: (attempts) => (attempts === 0 ? again(twoMonths, true) : done) });
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    lanes.add(support, 'a', 0);
    await vi.advanceTimersByTimeAsync(1_000);
    // Node fires a timer of more than 2^31 - 1 ms at once: the lane would turn without end.
    expect(setTimer.mock.calls.every(([, ms = 0]) => ms < 2 ** 31)).toBe(true);
    await vi.advanceTimersByTimeAsync(twoMonths);
    expect(order()).toEqual(['a at 0', `a at ${twoMonths}`]);
    setTimer.mockRestore();
  });

  it('stops after the attempt under way, and begins no other', async () => {
    const { promise, resolve } = Promise.withResolvers<Attempt>();
    const { lanes, order } = lanesThat({ a: () => promise });
    lanes.add(support, 'a', 0);
    lanes.add(support, 'b', 0);
    let stopped = false;
    const stopping = lanes.stop().then(() => (stopped = true));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stopped).toBe(false);
    resolve(done);
    await stopping;
    lanes.add(support, 'c', 0);
    lanes.add(random, 'd', 0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(order()).toEqual(['a at 0']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
