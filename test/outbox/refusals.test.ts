import { describe, expect, it, vi } from 'vitest';
import type { PostOutcome } from '../../src/outbox/transport.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  archived,
  down,
  openStage,
  revoked,
  took,
  startStage,
  sessionIn,
  type Asked,
} from './stage.ts';

const { workspaceId, userId, channelId = '' } = alexInSupport;
const tooLong: PostOutcome = { outcome: 'never', reason: 'msg_too_long' };
const toChannel = ({ to }: Pick<Asked, 'to'>) => to === channelId;

describe('a summary that its channel will never accept', () => {
  it('fails if the agent can’t be reached either, and goes to nobody else', async () => {
    const stage = await startStage({ answer: () => ({ outcome: 'never', reason: 'cannot_dm_bot' }) });
    await stage.tell('a');
    await stage.tell('direct', { channelId: undefined, threadTs: '17.1' });
    await stage.pass(5_000);
    expect(stage.asked.map(({ to }) => to).toSorted()).toEqual([channelId, userId, userId]);
    expect(stage.asked.map(({ threadTs }) => threadTs)).not.toContain('17.1');
    expect((await stage.deliveries()).map(({ kind, state }) => `${kind} ${state}`).toSorted()).toEqual([
      'notice skipped',
      'summary failed',
      'summary failed',
    ]);
  });

  it('fails at once if Slack names a thread that it isn’t in', async () => {
    const stage = await startStage({
      answer: (asked) => (toChannel(asked) ? { outcome: 'never', reason: 'thread_not_found' } : took()),
    });
    await stage.tell('a');
    await stage.pass(5_000);
    expect(stage.asked.filter(toChannel)).toHaveLength(1);
    expect((await stage.summaryOf('a'))?.state).toBe('failed');
  });

  it('isn’t posted by a repeated webhook, and goes to its agent once even if it fails again', async () => {
    const stage = await startStage({ answer: (asked) => (toChannel(asked) ? archived : took()) });
    await stage.tell('a');
    await stage.pass(2_000);
    expect(await stage.tell('a')).toBe('duplicate');
    expect(await stage.acts.retry(workspaceId, (await stage.summaryOf('a'))?.id ?? '')).toBe('retried');
    await stage.pass(5_000);
    expect(stage.asked.map(({ to }) => to)).toEqual([channelId, userId, channelId]);
    expect((await stage.summaryOf('a'))?.state).toBe('failed');
  });
});

it('a card that the app lacks a scope for is tried again until it has it, since nobody is asked to press Retry', async () => {
  let isMissing = true;
  const stage = await startStage({
    answer: () => (isMissing ? { outcome: 'never', reason: 'missing_scope' } : took()),
  });
  await stage.announce(alexInSupport);
  await stage.pass(10_000);
  expect(await stage.deliveries()).toMatchObject([{ state: 'waiting', reason: 'missing_scope' }]);
  isMissing = false;
  await stage.pass(MINUTE_MS);
  expect(await stage.deliveries()).toMatchObject([{ kind: 'card', state: 'posted' }]);
});

describe('a summary that Slack keeps delaying', () => {
  it('fails after three days, and then goes to the agent with the reason', async () => {
    const stage = await startStage({ answer: (asked) => (toChannel(asked) ? down : took()) });
    await stage.tell('a');
    await stage.pass(3 * DAY_MS - HOUR_MS, 30 * MINUTE_MS);
    expect((await stage.summaryOf('a'))?.state).toBe('waiting');
    await stage.pass(2 * HOUR_MS, 5 * MINUTE_MS);
    expect((await stage.summaryOf('a'))?.state).toBe('failed');
    expect(stage.asked.at(-1)).toMatchObject({ to: userId });
    expect(stage.asked.at(-1)?.text).toContain('The app tried for three days.');
  });

  it.each([
    ['of a refused token', revoked],
    ['in which the app was down', undefined],
  ])('doesn’t fail at the first such answer after days %s', async (_, before) => {
    const stage = await openStage();
    let answer = before ?? down;
    const first = await stage.start({ answer: () => answer });
    await first.tell('a');
    await stage.pass(MINUTE_MS);
    if (before === undefined) {
      await first.outbox.stop();
      vi.setSystemTime(Date.now() + 4 * DAY_MS);
      await stage.start({ answer: () => answer });
    } else await stage.pass(4 * DAY_MS, HOUR_MS);
    answer = down;
    await stage.pass(10 * MINUTE_MS, MINUTE_MS);
    expect((await stage.summaryOf('a'))?.state).toBe('waiting');
  });
});

it('a workspace whose token Slack refuses is asked about once a minute, keeps everything, in its order, meanwhile, and holds up no other workspace', async () => {
  let isRefused = true;
  let questions = 0;
  const stage = await startStage({
    answer: (asked) => (isRefused && asked.workspaceId !== 'T2' ? revoked : took()),
    async acceptsToken() {
      questions += 1;
      return !isRefused;
    },
  });
  await stage.tell('a');
  await stage.pass(2_000);
  await stage.tell('b');
  for (let index = 0; index < 10; index += 1) await stage.tell(`s${index}`, { channelId: `C${index}` });
  await stage.tell('other', { workspaceId: 'T2' });
  await stage.pass(5 * MINUTE_MS);
  expect(stage.asked.map((asked) => asked.workspaceId)).toEqual([workspaceId, 'T2']);
  expect(questions).toBe(5);
  expect(await stage.overview.list(workspaceId, 9)).toMatchObject({
    entries: [{ trouble: { kind: 'refused-token' } }],
  });
  isRefused = false;
  await stage.pass(2 * MINUTE_MS);
  expect(stage.asked.filter(toChannel).slice(-2).map(sessionIn)).toEqual(['a', 'b']);
  expect(new Set((await stage.deliveries()).map(({ state }) => state))).toEqual(new Set(['posted']));
});

it('a summary that Slack finds too long is posted in its words alone, and fails if they’re too long, too', async () => {
  const stage = await startStage({
    answer: (asked) => (toChannel(asked) && (!asked.isBare || sessionIn(asked) === 'b') ? tooLong : took()),
  });
  await stage.tell('a');
  await stage.tell('b');
  await stage.pass(5_000);
  expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted' });
  expect(await stage.summaryOf('b')).toMatchObject({ state: 'failed', reason: 'msg_too_long' });
});
