import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDoubles } from '../../src/session-end/doubles.ts';
import type { FindPosts, Unpost } from '../../src/session-end/post.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openDamageable } from '../storage/damage.ts';
import { pass } from './courier-stage.ts';

const MINUTE_MS = 60_000;
const where = { workspaceId: 'T1', to: 'C1', begunAt: 0 };

interface Answers {
  readonly find?: FindPosts;
  readonly unpost?: Unpost;
}

async function openDoublesStage() {
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const storage = await openStorage('memory:', { now: Date.now });
  onTestFinished(async () => {
    vi.useRealTimers();
    await storage.close();
  });
  const store = storage.store('doubles');
  const reports: string[] = [];
  const removed: string[] = [];
  let looks = 0;
  const doublesThat = ({ find, unpost }: Answers = {}) =>
    createDoubles({
      store,
      now: Date.now,
      find: async (...given) => {
        looks += 1;
        return find?.(...given) ?? { found: ['1.1', '1.2'], channelId: 'D9' };
      },
      async unpost(place, ts) {
        removed.push(`${ts} in ${place.channelId}`);
        return unpost?.(place, ts) ?? 'gone';
      },
      report: (outcome, id) => void reports.push(`${outcome} ${id}`),
      broken: (id) => void reports.push(`broken ${id}`),
    });
  return { store, reports, removed, doublesThat, looks: () => looks };
}

describe('a summary that may be there twice', () => {
  it('is looked for after a minute, and the later one is removed', async () => {
    const { doublesThat, removed, reports, store, looks } = await openDoublesStage();
    const doubles = doublesThat();
    await doubles.suspect('a', where);
    await pass(MINUTE_MS - 1);
    expect(looks()).toBe(0);
    await pass(1_000);
    expect(removed).toEqual(['1.2 in D9']);
    expect(reports).toEqual(['removed a']);
    expect(await store.keys('', 9)).toEqual([]);
    await pass(60 * MINUTE_MS, MINUTE_MS);
    expect(looks()).toBe(1);
  });

  it('is left alone where it is there once', async () => {
    const { doublesThat, removed, reports, looks } = await openDoublesStage();
    await doublesThat({ find: async () => ({ found: ['1.1'], channelId: 'C1' }) }).suspect('a', where);
    await pass(10 * MINUTE_MS, MINUTE_MS);
    expect([removed, reports, looks()]).toEqual([[], [], 1]);
  });

  it.each([
    [['1.1'], ['unknown a']],
    [['1.1', '1.2'], ['removed a']],
  ])('is unknown to be there once where not all could be looked through: %j', async (found, told) => {
    const { doublesThat, reports, looks } = await openDoublesStage();
    const find: FindPosts = async () => ({ found, channelId: 'C1', isPartial: true });
    await doublesThat({ find }).suspect('a', where);
    await pass(10 * MINUTE_MS, MINUTE_MS);
    expect([reports, looks()]).toEqual([told, 1]);
  });

  it('is looked for by the process that comes after a kill', async () => {
    const { doublesThat, removed } = await openDoublesStage();
    const first = doublesThat();
    await first.suspect('a', where);
    await first.stop();
    await pass(10 * MINUTE_MS, MINUTE_MS);
    expect(removed).toEqual([]);
    await doublesThat().start();
    await pass(1_000);
    expect(removed).toEqual(['1.2 in D9']);
  });

  it('is looked for again where Slack does not answer, and as late as Slack says', async () => {
    const { doublesThat, removed, looks } = await openDoublesStage();
    const answers: Awaited<ReturnType<FindPosts>>[] = [
      { outcome: 'later', reason: 'no_answer' },
      { outcome: 'later', reason: 'ratelimited', afterMs: 20 * MINUTE_MS },
    ];
    const find: FindPosts = async () => answers.shift() ?? { found: ['1.1', '1.2'], channelId: 'C1' };
    await doublesThat({ find }).suspect('a', where);
    await pass(25 * MINUTE_MS, MINUTE_MS);
    expect([looks(), removed]).toEqual([2, []]);
    await pass(2 * MINUTE_MS, MINUTE_MS);
    expect([looks(), removed]).toEqual([3, ['1.2 in C1']]);
  });

  it('is removed at last where Slack put the removal off, once', async () => {
    const { doublesThat, reports } = await openDoublesStage();
    const removals: Awaited<ReturnType<Unpost>>[] = ['later'];
    await doublesThat({ unpost: async () => removals.shift() ?? 'gone' }).suspect('a', where);
    await pass(30 * MINUTE_MS, MINUTE_MS);
    expect(reports).toEqual(['removed a']);
  });

  it('stays as it is where the app may not look, and where looking fails for hours', async () => {
    const { doublesThat, reports, store } = await openDoublesStage();
    const doubles = doublesThat({
      find: async (_place, id) =>
        id === 'blind'
          ? { outcome: 'never', reason: 'missing_scope' }
          : { outcome: 'later', reason: 'no_answer' },
    });
    await doubles.suspect('blind', where);
    await doubles.suspect('hours', where);
    await pass(3 * 60 * MINUTE_MS, MINUTE_MS);
    expect(reports).toEqual(['unknown blind', 'unknown hours']);
    expect(await store.keys('', 9)).toEqual([]);
  });

  it('keeps no other from being looked for where looking breaks', async () => {
    const { doublesThat, reports } = await openDoublesStage();
    const doubles = doublesThat({
      async find(_place, id) {
        if (id === 'a') throw new TypeError('not expected');
        return { found: ['1.1', '1.2'], channelId: 'C1' };
      },
    });
    await doubles.suspect('a', where);
    await doubles.suspect('b', where);
    await pass(2 * MINUTE_MS);
    expect(reports).toEqual(['broken a', 'removed b']);
    await doubles.stop();
  });
});

async function openDamagedStage() {
  vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { storage, damage } = await openDamageable();
  const looked: string[] = [];
  const doubles = () =>
    createDoubles({
      store: storage.store('doubles'),
      now: Date.now,
      async find(_place, id) {
        looked.push(id);
        return { found: ['1.1'], channelId: 'C1' };
      },
      unpost: async () => 'gone',
      report: () => undefined,
      broken: (id) => void looked.push(`broken ${id}`),
    });
  const first = doubles();
  await first.suspect('a', where);
  await first.suspect('b', where);
  damage('doubles', 'a');
  return { first, doubles, looked };
}

describe('a damaged record of a summary that may be there twice', () => {
  it('keeps neither the app from starting nor the others from being looked for', async () => {
    const { first, doubles, looked } = await openDamagedStage();
    await first.stop();
    await doubles().start();
    await pass(2 * MINUTE_MS);
    expect(looked).toEqual(['b']);
  });

  it('is given up where it was damaged after the start', async () => {
    const { looked } = await openDamagedStage();
    await pass(20 * MINUTE_MS, MINUTE_MS);
    expect(looked).toEqual(['b']);
  });
});
