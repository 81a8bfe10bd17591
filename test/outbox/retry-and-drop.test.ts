import { describe, expect, it } from 'vitest';
import { moveChannel } from '../../src/outbox/channels.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { MINUTE_MS, archived, down, openStage, took, startStage, sessionIn } from './stage.ts';

const { workspaceId, channelId = '' } = alexInSupport;
const ADA = 'U0ADA000005';

/** A process whose channel refuses until it `isOpen`. */
async function refusing(refusal = archived) {
  const stage = await openStage();
  const channel = { isOpen: false };
  const process = await stage.start({
    answer: ({ to }) => (channel.isOpen || to !== channelId ? took() : refusal),
  });
  const idOf = async (session: string) => (await stage.summaryOf(session))?.id ?? '';
  const postsOf = (session: string) =>
    stage.asked.filter((asked) => sessionIn(asked) === session && asked.to === channelId).length;
  return { ...stage, ...process, channel, idOf, postsOf };
}

describe('Retry', () => {
  it('posts what failed, whole and once, even if pressed twice', async () => {
    const { tell, pass, acts, idOf, channel, postsOf, summaryOf } = await refusing();
    await tell('a');
    await pass(2_000);
    channel.isOpen = true;
    const id = await idOf('a');
    expect(await Promise.all([acts.retry(workspaceId, id), acts.retry(workspaceId, id)])).toEqual([
      'retried',
      'retried',
    ]);
    await pass(3_000);
    expect(postsOf('a')).toBe(2);
    expect((await summaryOf('a'))?.state).toBe('posted');
    expect(await acts.retry(workspaceId, id)).toBe('posted');
  });

  it('posts at its channel’s new id what was on its way when it got that', async () => {
    const { tell, pass, acts, idOf, database, asked } = await refusing();
    await tell('a');
    await pass(2_000);
    await database.write(...moveChannel(workspaceId, channelId, 'C0NEW', Date.now()));
    expect(await acts.retry(workspaceId, await idOf('a'))).toBe('retried');
    await pass(2_000);
    expect(asked.at(-1)).toMatchObject({ to: 'C0NEW' });
  });

  it('doesn’t wait for a delivery’s time', async () => {
    const { tell, pass, acts, idOf, channel, summaryOf } = await refusing(down);
    await tell('a');
    await pass(3 * MINUTE_MS);
    channel.isOpen = true;
    expect(await acts.retry(workspaceId, await idOf('a'))).toBe('retried');
    await pass(1_000);
    expect((await summaryOf('a'))?.state).toBe('posted');
  });

  it('doesn’t shorten the pause of its channel after a post', async () => {
    const stage = await refusing();
    const { tell, pass, acts, idOf, channel, asked } = stage;
    await tell('a');
    await pass(5_000);
    channel.isOpen = true;
    await tell('b');
    await stage.settle();
    await acts.retry(workspaceId, await idOf('a'));
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
    const { tell, pass, acts, idOf, channel, postsOf, overview, deliveries } = await refusing(refusal);
    await tell('a');
    await pass(2_000);
    const before = postsOf('a');
    const id = await idOf('a');
    expect(await acts.drop(workspaceId, id, ADA)).toBe('dropped');
    channel.isOpen = true;
    await pass(5 * MINUTE_MS);
    expect(postsOf('a')).toBe(before);
    expect([await acts.drop(workspaceId, id, ADA), await acts.retry(workspaceId, id)]).toEqual([
      'dropped',
      'dropped',
    ]);
    expect((await overview.list(workspaceId, 9)).entries).toEqual([]);
    expect((await deliveries()).find((one) => one.id === id)?.state).toBe('dropped');
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
    const { tell, pass, acts, idOf, postsOf } = await refusing();
    await tell('a');
    await pass(2_000);
    for (const [place, id] of [
      ['T2', await idOf('a')],
      [workspaceId, 'none'],
    ] as const)
      expect([await acts.drop(place, id, ADA), await acts.retry(place, id)]).toEqual(['unknown', 'unknown']);
    await pass(5_000);
    expect(postsOf('a')).toBe(1);
  });
});

it('the list of deliveries in trouble shows the waiting ones with their reason, oldest first, then the failed ones, newest first, up to a limit', async () => {
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
  expect(await ids(9)).toEqual([['w1 waiting', 'w2 waiting', 'f2 failed', 'f1 failed'], 0]);
  expect(await ids(3)).toEqual([['w1 waiting', 'w2 waiting', 'f2 failed'], 1]);
  expect(await stage.overview.inTrouble()).toEqual({ waiting: 2, failed: 2 });
  expect((await stage.overview.list('T2', 9)).entries).toEqual([]);
  expect(await stage.overview.waiting('T2')).toBe(0);
});
