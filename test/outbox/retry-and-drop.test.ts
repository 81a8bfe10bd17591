import { describe, expect, it } from 'vitest';
import { moveChannel } from '../../src/outbox/channels.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, archived, down, openStage, revoked, took, startStage, sessionIn } from './stage.ts';

const { workspaceId, channelId = '' } = alexInSupport;
const ADA = 'U0ADA000005';

/** A summary that its channel has refused, and refuses until it `isOpen`. */
async function refused(refusal = archived) {
  const stage = await openStage();
  const channel = { isOpen: false };
  const process = await stage.start({
    answer: ({ to }) => (channel.isOpen || to !== channelId ? took() : refusal),
  });
  await process.tell('a');
  await stage.pass(2_000);
  const id = (await stage.summaryOf('a'))?.id ?? '';
  const posts = () => stage.asked.filter((asked) => sessionIn(asked) === 'a' && asked.to === channelId);
  const retry = () => process.acts.retry(workspaceId, id);
  const drop = () => process.acts.drop(workspaceId, id, ADA);
  const stateNow = async () => (await stage.summaryOf('a'))?.state;
  return { ...stage, ...process, channel, id, posts, retry, drop, stateNow };
}

describe('Retry', () => {
  it('posts what failed, whole and once, even if pressed twice', async () => {
    const { pass, retry, channel, posts, stateNow } = await refused();
    channel.isOpen = true;
    expect(await Promise.all([retry(), retry()])).toEqual(['retried', 'retried']);
    await pass(3_000);
    expect(posts()).toHaveLength(2);
    expect(await stateNow()).toBe('posted');
    expect(await retry()).toBe('posted');
  });

  it('posts at its channel’s new id what was on its way when it got that', async () => {
    const { pass, retry, database, asked } = await refused();
    await database.write(...moveChannel(workspaceId, channelId, 'C0NEW', Date.now()));
    expect(await retry()).toBe('retried');
    await pass(2_000);
    expect(asked.at(-1)).toMatchObject({ to: 'C0NEW' });
  });

  it('doesn’t wait for a delivery’s time', async () => {
    const { pass, retry, channel, stateNow } = await refused(down);
    await pass(3 * MINUTE_MS);
    channel.isOpen = true;
    expect(await retry()).toBe('retried');
    await pass(1_000);
    expect(await stateNow()).toBe('posted');
  });

  it('ends the hold of a workspace whose token Slack refused', async () => {
    const { pass, retry, channel, stateNow } = await refused(revoked);
    expect(await stateNow()).toBe('waiting');
    channel.isOpen = true;
    await pass(5_000);
    expect(await stateNow()).toBe('waiting');
    expect(await retry()).toBe('retried');
    await pass(1_000);
    expect(await stateNow()).toBe('posted');
  });

  it('doesn’t shorten the pause of its channel after a post', async () => {
    const { tell, pass, settle, retry, channel, asked } = await refused();
    await pass(3_000);
    channel.isOpen = true;
    await tell('b');
    await settle();
    await retry();
    await pass(5_000);
    const [b, a] = asked.filter(({ to }) => to === channelId).slice(-2);
    expect((a?.at ?? 0) - (b?.at ?? 0)).toBe(1_000);
  });
});

describe('Drop', () => {
  it.each([
    ['waits', down],
    ['was given up', archived],
  ])('permanently removes %s', async (_, refusal) => {
    const { tell, pass, retry, drop, channel, posts, overview, stateNow } = await refused(refusal);
    const before = posts().length;
    expect(await drop()).toBe('dropped');
    channel.isOpen = true;
    await pass(5 * MINUTE_MS);
    expect(posts()).toHaveLength(before);
    expect([await drop(), await retry()]).toEqual(['dropped', 'dropped']);
    expect((await overview.list(workspaceId, 9)).entries).toEqual([]);
    expect(await stateNow()).toBe('dropped');
    expect(await tell('a')).toBe('duplicate');
  });

  it('and Retry leave a delivery that is being posted to its turn', async () => {
    const stage = await startStage({
      answer: () => new Promise((resolve) => setTimeout(() => resolve(took()), 5_000)),
    });
    await stage.tell('a');
    await stage.settle();
    const id = (await stage.summaryOf('a'))?.id ?? '';
    expect(await stage.acts.retry(workspaceId, id)).toBe('retried');
    expect(await stage.acts.drop(workspaceId, id, ADA)).toBe('busy');
    await stage.pass(20_000);
    expect(stage.asked).toHaveLength(1);
    expect(await stage.acts.drop(workspaceId, id, ADA)).toBe('posted');
  });

  it('and Retry say it isn’t known for a delivery that never existed or is another workspace’s', async () => {
    const { pass, acts, id, posts } = await refused();
    for (const [place, unknown] of [
      ['T2', id],
      [workspaceId, 'none'],
    ] as const) {
      expect(await acts.drop(place, unknown, ADA)).toBe('unknown');
      expect(await acts.retry(place, unknown)).toBe('unknown');
    }
    await pass(5_000);
    expect(posts()).toHaveLength(1);
  });
});

it('the list of deliveries in trouble shows the failed ones, then those waiting with their reason, oldest first, up to a limit, so that a retry brings up the next', async () => {
  const stage = await startStage({
    answer(asked) {
      const session = sessionIn(asked) ?? '';
      if (asked.to !== channelId) return took();
      return session.startsWith('w') ? down : session.startsWith('f') ? archived : took();
    },
  });
  for (const id of ['w1', 'f1', 'w2', 'f2', 'good']) {
    await stage.tell(id);
    await stage.pass(2_000);
  }
  const ids = async (limit: number) => {
    const { entries, more } = await stage.overview.list(workspaceId, limit);
    const sessions = new Map((await stage.deliveries()).map((one) => [one.id, one.session_id]));
    return [
      entries.map(
        ({ id, failedAt }) => `${sessions.get(id)} ${failedAt === undefined ? 'waiting' : 'failed'}`,
      ),
      more,
    ];
  };
  expect(await ids(9)).toEqual([['f1 failed', 'f2 failed', 'w1 waiting', 'w2 waiting'], 0]);
  expect(await ids(3)).toEqual([['f1 failed', 'f2 failed', 'w1 waiting'], 1]);
  const [first] = (await stage.overview.list(workspaceId, 1)).entries;
  await stage.acts.retry(workspaceId, first?.id ?? '');
  await stage.pass(2_000);
  expect(await ids(2)).toEqual([['f2 failed', 'f1 failed'], 2]);
  expect(await stage.overview.inTrouble()).toEqual({ waiting: 2, failed: 2 });
  expect((await stage.overview.list('T2', 9)).entries).toEqual([]);
  expect(await stage.overview.waiting('T2')).toBe(0);
});
