import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import {
  LONGEST_WAIT_MS,
  channelNow,
  moveChannel,
  queuedAll,
  wakeWorkers,
} from '../../src/outbox/channels.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, down, limited, openStage, sessionIn, startStage, took, type Answer } from './stage.ts';

const SALES = 'C0SALES0002';

/** Refuses a delivery so many times. */
const refusing =
  (refusal: ReturnType<Answer>, times: number): Answer =>
  (_asked, before) =>
    before < times ? refusal : took();

const deliveryTo = (channelId: string) =>
  ({
    id: `to ${channelId}`,
    workspaceId: 'T1',
    key: channelId,
    kind: 'k',
    channelId,
    acceptedAt: 0,
  }) as const;

it('several in one write wake their channels in one order: two writes that wait for each other cost PostgreSQL a second', () => {
  const woken = queuedAll(['C3', 'C1', 'C2'].map(deliveryTo)).filter(({ sql: text }) =>
    text.includes('INTO channels'),
  );
  expect(woken.flatMap(({ values }) => values)).toEqual(['to C1', 'to C2', 'to C3']);
});

describe('summaries on their way', () => {
  it('are posted in the order they were accepted, a second apart in each channel', async () => {
    const stage = await startStage();
    for (const id of ['a', 'b', 'c']) expect(await stage.tell(id)).toBe('accepted');
    await stage.tell('d', { channelId: SALES });
    await stage.settle();
    expect(await stage.overview.oldest()).toMatchObject({ isInTurn: true });
    expect(await stage.overview.waiting(alexInSupport.workspaceId)).toBe(2);
    await stage.pass(5_000);
    expect(stage.order().toSorted()).toEqual(['a at 0', 'b at 1000', 'c at 2000', 'd at 0']);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(Array(4).fill('posted'));
  });

  it.each([
    ['even if nothing waited when it was over', 0, 400],
    ['counted from its answer: until that, nobody knows when it arrived', 700, 0],
  ])('keep the pause after a post, %s', async (_how, takesMs, laterMs) => {
    const stage = await startStage({
      answer: () => new Promise((resolve) => setTimeout(() => resolve(took()), takesMs)),
    });
    await stage.tell('a');
    await stage.pass(laterMs);
    await stage.tell('b');
    await stage.pass(5_000);
    expect(stage.order()).toEqual(['a at 0', `b at ${takesMs + 1_000}`]);
  });

  it('wait as long as Slack says, with their whole channel and no other', async () => {
    const stage = await startStage({
      answer: ({ to }, times) => (to === alexInSupport.channelId && times === 0 ? limited(30) : took()),
    });
    await stage.tell('a');
    await stage.tell('b');
    await stage.tell('elsewhere', { channelId: SALES });
    await stage.pass(29_000);
    expect(stage.order().toSorted()).toEqual(['a at 0', 'elsewhere at 0']);
    await stage.tell('c');
    await stage.pass(MINUTE_MS);
    // Each of b and c is also told to wait once.
    expect(stage.order()[2]).toBe('a at 30000');
    expect(stage.order()[3]).toBe('b at 31000');
  });

  it('wait a quarter of an hour at most, whatever Slack says', async () => {
    const stage = await startStage({ answer: refusing(limited(24 * 3_600), 1) });
    await stage.tell('a');
    await stage.pass(LONGEST_WAIT_MS + MINUTE_MS);
    expect(stage.asked.map(({ at }) => at)).toEqual([0, LONGEST_WAIT_MS]);
  });

  it('fall behind if they fail, and are tried again after waits that double, up to five minutes', async () => {
    const stage = await startStage({
      answer: (asked) => (sessionIn(asked) === 'a' ? down : took()),
    });
    await stage.tell('a');
    await stage.tell('b');
    await stage.pass(30 * MINUTE_MS);
    expect(stage.order().slice(0, 3)).toEqual(['a at 0', 'b at 1000', 'a at 2000']);
    const times = stage.asked.filter((asked) => sessionIn(asked) === 'a').map(({ at }) => at);
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(waits.slice(1, 8)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000]);
    expect(Math.max(...waits)).toBe(5 * MINUTE_MS);
    expect(await stage.overview.oldest()).toMatchObject({ isInTurn: false });
    expect(await stage.overview.waiting()).toBe(1);
  });

  it('go out oldest first at the next start, and none is skipped', async () => {
    const stage = await openStage();
    const closed = stage.processOver();
    for (let index = 0; index < 120; index += 1) {
      await closed.tell(`s${index}`, { channelId: `C${index % 60}` });
      vi.setSystemTime(Date.now() + 1);
    }
    await stage.start();
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(120);
    for (const channel of [0, 59]) {
      const there = stage.asked.filter(({ to }) => to === `C${channel}`).map(sessionIn);
      expect(there).toEqual([`s${channel}`, `s${channel + 60}`]);
    }
  });

  it('are not settled by a process that lost its turn to another meanwhile', async () => {
    const taken = sql`UPDATE deliveries SET claim = 'another'`;
    const stage = await startStage({
      async answer() {
        await stage.database.write(taken, sql`UPDATE channels SET claim = 'another'`);
        return down;
      },
    });
    await stage.tell('a');
    await stage.pass(2_000);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'sending', reason: null });
    const Claim = z.object({ claim: z.string().nullable() });
    expect(await stage.database.read(sql`SELECT claim FROM channels`, Claim)).toEqual([{ claim: 'another' }]);
  });

  it('of one workspace whose Slack doesn’t answer leave room for those of all others', async () => {
    const SLOW = 'T0SLOW00000';
    const stage = await startStage({
      answer: ({ workspaceId }) => (workspaceId === SLOW ? new Promise<never>(() => undefined) : took()),
    });
    for (let index = 0; index < 200; index += 1)
      await stage.tell(`slow ${index}`, { workspaceId: SLOW, channelId: `C${index}` });
    await stage.pass(5_000);
    expect(stage.asked.length).toBeGreaterThanOrEqual(40);
    expect(stage.asked.length).toBeLessThanOrEqual(50);
    const before = stage.asked.length;
    for (let index = 0; index < 30; index += 1)
      await stage.tell(`good ${index}`, { workspaceId: `T${index}`, channelId: 'C1' });
    await stage.pass(100);
    expect(stage.asked.length - before).toBe(30);
  });
});

describe('a channel that got another id', () => {
  it('gets what waited for it, in order, and what comes for its old id', async () => {
    const stage = await startStage({
      answer: ({ to }) => (to === 'C0OLD' ? { outcome: 'never', reason: 'channel_not_found' } : took()),
    });
    const held = { channelId: 'C0OLD' };
    // Between the change in Slack and the news of it.
    await stage.database.write(...moveChannel(alexInSupport.workspaceId, 'C0OLD', 'C0MIDDLE', Date.now()));
    await stage.database.write(...moveChannel(alexInSupport.workspaceId, 'C0MIDDLE', 'C0NEW', Date.now()));
    wakeWorkers(stage.database);
    await stage.tell('a', held);
    await stage.tell('b', held);
    await stage.pass(5_000);
    expect(stage.asked.map((asked) => [sessionIn(asked), asked.to])).toEqual([
      ['a', 'C0NEW'],
      ['b', 'C0NEW'],
    ]);
  });

  it('has its card changed if the change was on its way to the old id', async () => {
    const { workspaceId, channelId = '' } = alexInSupport;
    const stage = await startStage({
      async answer({ to, replaces }) {
        if (to !== channelId || replaces === undefined) return took();
        await stage.database.write(...moveChannel(workspaceId, channelId, 'C0NEW', Date.now()));
        return { outcome: 'never', reason: 'channel_not_found' };
      },
    });
    await stage.announce(alexInSupport);
    await stage.pass(2_000);
    await stage.conclude(alexInSupport);
    await stage.pass(5_000);
    expect(stage.asked.map(({ to }) => to)).toEqual([channelId, channelId, 'C0NEW']);
    expect(stage.asked.at(-1)?.replaces).toBe(stage.asked[1]?.replaces);
    expect(new Set((await stage.deliveries()).map(({ state }) => state))).toEqual(new Set(['posted']));
  });

  it('is known by each of its ids if it got its old one back', async () => {
    const { database } = await openStage();
    const names = ['C1', 'C2', 'C3', 'C1'];
    await database.write(...moveChannel('T1', 'C8', 'C9', 0), ...moveChannel('T2', 'C8', 'C2', 0));
    for (const [index, to] of names.slice(1).entries())
      await database.write(...moveChannel('T1', names[index] ?? '', to, index));
    const nowOf = (workspaceId: string, channelId: string) =>
      channelNow(database, { workspaceId, channelId });
    for (const id of names) expect(await nowOf('T1', id)).toBe('C1');
    // Neither another channel nor another workspace has moved with it.
    expect(await nowOf('T1', 'C8')).toBe('C9');
    expect([await nowOf('T2', 'C2'), await nowOf('T2', 'C8')]).toEqual(['C2', 'C2']);
  });
});
