import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLanes } from '../../src/session-end/lanes.ts';
import type { Attempt } from '../../src/session-end/lanes.ts';
import { PACE_MS, again, done, lanesThat, random, support } from './lanes-stage.ts';

describe('the queues of many channels', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('have at most fifty attempts under way, and none is passed over', async () => {
    const order: string[] = [];
    let underWay = 0;
    let most = 0;
    const lanes = createLanes({
      paceMs: PACE_MS,
      now: Date.now,
      async attempt(id) {
        underWay += 1;
        most = Math.max(most, underWay);
        order.push(id);
        await new Promise((resolve) => setTimeout(resolve, 100));
        underWay -= 1;
        return done;
      },
    });
    // One channel with a thousand that came first, and two hundred channels with two each.
    for (let entry = 0; entry < 1_000; entry += 1) lanes.add(support, `flood ${entry}`, 0);
    for (let channel = 0; channel < 200; channel += 1) {
      for (const name of ['first', 'second']) {
        lanes.add({ workspaceId: 'T1', to: `C-${channel}` }, `${name} ${channel}`, 0);
      }
    }
    expect(lanes.size()).toBe(1_400);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(most).toBe(50);
    const firsts = order.filter((id) => id.startsWith('first'));
    expect(new Set(firsts).size).toBe(200);
    // The other channels are through in three seconds; the flood keeps its own pace.
    expect(order.filter((id) => id.startsWith('second'))).toHaveLength(200);
    expect(order.filter((id) => id.startsWith('flood')).length).toBeLessThanOrEqual(3);
    await lanes.stop();
  });

  it('say which entry waits longest, and whether it only waits for its turn', async () => {
    const { lanes } = lanesThat({ a: () => again(60_000, true), b: () => again(60_000) });
    expect(lanes.oldest()).toBeUndefined();
    lanes.add(random, 'c', 30);
    lanes.add(random, 'd', 40);
    await vi.advanceTimersByTimeAsync(0);
    expect(lanes.oldest()).toEqual({ id: 'd', since: 40, isInTurn: true });
    lanes.add(support, 'b', 10);
    await vi.advanceTimersByTimeAsync(0);
    expect(lanes.oldest()).toEqual({ id: 'b', since: 10, isInTurn: false });
    lanes.add({ workspaceId: 'T2', to: 'C1' }, 'a', 5);
    lanes.add({ workspaceId: 'T2', to: 'C1' }, 'e', 6);
    await vi.advanceTimersByTimeAsync(0);
    expect(lanes.oldest()).toMatchObject({ id: 'a', isInTurn: false });
    expect(lanes.oldest('T1')).toMatchObject({ id: 'b' });
    expect([lanes.size('T1'), lanes.size('T2'), lanes.size()]).toEqual([2, 2, 4]);
    await lanes.stop();
  });

  it('try one at once that is hurried, but not past the hold of its channel', async () => {
    const { lanes, order } = lanesThat({
      a: (attempts) => (attempts === 0 ? again(60_000) : done),
      b: (attempts) => (attempts === 0 ? again(60_000, true) : done),
    });
    lanes.add(support, 'a', 0);
    lanes.add(random, 'b', 0);
    await vi.advanceTimersByTimeAsync(5_000);
    lanes.hurry(support, 'a', 0);
    lanes.hurry(random, 'b', 0);
    lanes.hurry(random, 'unknown before', 0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order()).toEqual(['a at 0', 'b at 0', 'a at 5000']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(order().slice(3)).toEqual(['b at 60000', 'unknown before at 61000']);
    expect(lanes.size()).toBe(0);
  });

  it('try one once more that is hurried while it is tried, whatever came of that', async () => {
    const answers = { a: Promise.withResolvers<Attempt>(), b: Promise.withResolvers<Attempt>() };
    const { lanes, order } = lanesThat({
      a: (attempts) => (attempts === 0 ? answers.a.promise : done),
      // An entry that is done was put back on its way, as one that was given up: nothing was attempted of it.
      b: () => (order().length < 3 ? answers.b.promise : done),
    });
    lanes.add(support, 'a', 0);
    lanes.add(random, 'b', 0);
    await vi.advanceTimersByTimeAsync(0);
    expect([lanes.isUnderWay('a'), lanes.isUnderWay('b')]).toEqual([true, true]);
    lanes.hurry(support, 'a', 0);
    lanes.hurry(random, 'b', 0);
    answers.a.resolve(again(60_000));
    answers.b.resolve(done);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(order()).toEqual(['a at 0', 'b at 0', 'a at 1000', 'b at 1000']);
    expect([lanes.size(), lanes.has('a'), lanes.isUnderWay('a')]).toEqual([0, false, false]);
  });
});
