import { describe, expect, it, vi } from 'vitest';
import { sql } from '../../src/database/database.ts';
import type { FindPosts, Sighting } from '../../src/outbox/transport.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { engines } from '../support/engines.ts';
import { HOUR_MS, MINUTE_MS, archived, limited, lost, openStage, revoked, took } from './stage.ts';

const RANDOM = 'C0RANDOM003';

const seen =
  (...found: readonly string[]): FindPosts =>
  async ({ to }) => ({ found, channelId: to });
const seeing = (...sightings: readonly Sighting[]): FindPosts => {
  const left = [...sightings];
  return async ({ to }) => left.shift() ?? { found: [], channelId: to };
};
const never = () => new Promise<never>(() => undefined);

describe('a summary whose post got no answer', () => {
  it('is looked for, and not posted again if it is found', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({ answer: () => lost, find: seen('1.1') });
    await tell('a');
    await stage.pass(MINUTE_MS);
    expect(stage.asked).toHaveLength(1);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', post_ts: '1.1', recheck_at: null });
    expect(stage.reports).toContain('posted a was there');
  });

  it('is posted again if it isn’t found, and looked for again a minute later', async () => {
    const stage = await openStage();
    let found: readonly string[] = [];
    const { tell } = await stage.start({
      answer: (_asked, times) => (times === 0 ? lost : took()),
      find: async ({ to }) => ({ found, channelId: to }),
    });
    await tell('a');
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(2);
    found = ['1.1', '2.2'];
    await stage.pass(2 * MINUTE_MS, 1_000);
    // The first stays: somebody may have answered under it.
    expect(stage.removed).toEqual([`2.2 in ${alexInSupport.channelId}`]);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', recheck_at: null });
  });

  it('isn’t posted while nobody can check whether it is there, and nobody checks while Slack says to wait', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      answer: (_asked, times) => (times === 0 ? lost : took()),
      find: seeing({ outcome: 'later', reason: 'ratelimited', afterMs: 30_000 }),
    });
    await tell('a');
    await stage.pass(20_000, 1_000);
    // An error from reading a channel says nothing about posting there.
    await tell('b');
    await stage.pass(5_000, 1_000);
    expect(stage.asked.map((asked) => stage.sessionIn(asked))).toEqual(['a', 'b']);
    expect(stage.finds).toHaveLength(1);
    await stage.pass(MINUTE_MS, 1_000);
    expect(stage.asked.filter((asked) => stage.sessionIn(asked) === 'a')).toHaveLength(2);
  });

  it.each([
    [{ found: [], channelId: 'C1', isPartial: true } as const, 'too_much_said undefined'],
    [
      { outcome: 'never', reason: 'missing_scope', neededScope: 'channels:history' } as const,
      'missing_scope channels:history',
    ],
  ])('is posted again if not everything can be seen, and that is reported: %j', async (sighting, said) => {
    const stage = await openStage();
    const { tell } = await stage.start({
      answer: (_asked, times) => (times === 0 ? lost : took()),
      find: seeing(sighting),
    });
    await tell('a');
    await stage.pass(10_000);
    expect(stage.asked).toHaveLength(2);
    expect(stage.blind).toEqual([said]);
  });

  it('is still looked for after a clear refusal of the second post, and after Retry: the first may yet arrive', async () => {
    const stage = await openStage();
    const { tell, acts } = await stage.start({
      answer: ({ to }, times) => (to !== alexInSupport.channelId ? took() : times === 0 ? lost : archived),
    });
    await tell('a');
    await stage.pass(10_000);
    expect((await stage.summaryOf('a'))?.state).toBe('failed');
    expect(stage.finds).toHaveLength(1);
    await acts.retry(alexInSupport.workspaceId, (await stage.summaryOf('a'))?.id ?? '');
    await stage.pass(5_000);
    expect(stage.finds).toHaveLength(2);
  });

  it('isn’t looked for if every attempt before had a clear answer', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({ answer: (_asked, times) => (times < 3 ? limited(1) : took()) });
    await tell('a');
    await stage.pass(MINUTE_MS);
    expect(stage.asked).toHaveLength(4);
    expect(stage.finds).toEqual([]);
  });
});

describe('a summary whose app was killed during the post', () => {
  it('is found by the next start, and not posted again', async () => {
    const stage = await openStage();
    const killed = await stage.start({ answer: never });
    await killed.tell('a');
    await stage.settle();
    void killed.outbox.stop();
    vi.setSystemTime(Date.now() + 100);
    await stage.start({ find: seen('1.1') });
    await stage.pass(1_000);
    expect(stage.asked).toHaveLength(1);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', post_ts: '1.1' });
  });

  it('is set aside if it ends the process five times, and the others are posted', async () => {
    const stage = await openStage();
    const start = () =>
      stage.start({ answer: (asked) => (stage.sessionIn(asked) === 'deadly' ? never() : took()) });
    let last = await start();
    await last.tell('deadly');
    await last.tell('good');
    await stage.settle();
    for (let time = 0; time < 6; time += 1) {
      void last.outbox.stop();
      vi.setSystemTime(Date.now() + 100);
      last = await start();
      await stage.pass(3_000);
    }
    expect(await stage.summaryOf('deadly')).toMatchObject({ state: 'failed', reason: 'set_aside' });
    expect((await stage.summaryOf('good'))?.state).toBe('posted');
    expect(
      stage.asked.filter((asked) => stage.sessionIn(asked) === 'deadly' && asked.to !== alexInSupport.userId),
    ).toHaveLength(5);
  });
});

async function suspected(
  find: FindPosts,
  unpost?: (place: { channelId: string }, ts: string) => Promise<'gone' | 'later' | 'never'>,
) {
  const stage = await openStage();
  const process = await stage.start({ find, ...(unpost === undefined ? {} : { unpost }) });
  await process.tell('a');
  await stage.pass(2_000);
  await stage.database.write(sql`UPDATE deliveries SET recheck_at = ${Date.now() + MINUTE_MS}`);
  return { ...stage, ...process };
}

describe.each(engines)(
  'a summary that may be there twice, while Slack refuses the token, in $engine',
  ({ newUrl }) => {
    it('is looked for as soon as it’s accepted again, not before', async () => {
      let isRefused = true;
      const stage = await openStage({ url: await newUrl() });
      const { tell } = await stage.start({
        answer: (asked) => (stage.sessionIn(asked) === 'b' && isRefused ? revoked : took()),
        acceptsToken: async () => !isRefused,
        find: seen('1.1', '2.2'),
      });
      await tell('a');
      await stage.pass(2_000);
      await stage.database.write(sql`UPDATE deliveries SET recheck_at = ${Date.now() + MINUTE_MS}`);
      await tell('b', { channelId: RANDOM });
      await stage.pass(3 * HOUR_MS, MINUTE_MS);
      expect(stage.finds).toEqual([]);
      isRefused = false;
      await stage.pass(2 * MINUTE_MS, 1_000);
      expect(stage.finds).toHaveLength(1);
      expect(stage.removed).toHaveLength(1);
    });

    it('isn’t given up where looking for it is refused', async () => {
      let isRefused = true;
      const stage = await openStage({ url: await newUrl() });
      const { tell } = await stage.start({
        find: async ({ to }) =>
          isRefused
            ? { outcome: 'never', reason: 'token_revoked' }
            : { found: ['1.1', '2.2'], channelId: to },
      });
      await tell('a');
      await stage.pass(2_000);
      await stage.database.write(sql`UPDATE deliveries SET recheck_at = ${Date.now() + MINUTE_MS}`);
      await stage.pass(3 * MINUTE_MS, 1_000);
      expect(stage.finds).toHaveLength(1);
      isRefused = false;
      await stage.pass(10 * MINUTE_MS, 1_000);
      expect(stage.removed).toHaveLength(1);
      expect(stage.reports).not.toContain('recheck unknown');
    });
  },
);

describe('a summary that may be there twice', () => {
  it('is left alone if it is there once', async () => {
    const stage = await suspected(seen('1.1'));
    await stage.pass(10 * MINUTE_MS, 1_000);
    expect(stage.removed).toEqual([]);
    expect(stage.finds).toHaveLength(1);
  });

  it('is looked for by the next process after a kill', async () => {
    const stage = await suspected(seen('1.1', '2.2'));
    await stage.outbox.stop();
    await stage.start({ find: seen('1.1', '2.2') });
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(stage.removed).toHaveLength(1);
  });

  it('is looked for again if Slack doesn’t answer, as late as Slack says', async () => {
    const stage = await suspected(
      seeing(
        { outcome: 'later', reason: 'ratelimited', afterMs: 10 * MINUTE_MS },
        { found: ['1.1', '2.2'], channelId: 'C1' },
      ),
    );
    await stage.pass(10 * MINUTE_MS, 1_000);
    expect(stage.finds).toHaveLength(1);
    await stage.pass(3 * MINUTE_MS, 1_000);
    expect(stage.removed).toEqual(['2.2 in C1']);
  });

  it('waits with all others of its workspace while Slack says to wait', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      find: seeing({ outcome: 'later', reason: 'ratelimited', afterMs: 10 * MINUTE_MS }),
    });
    await tell('a');
    await tell('b', { channelId: RANDOM });
    await stage.pass(2_000);
    await stage.database.write(sql`UPDATE deliveries SET recheck_at = ${Date.now() + MINUTE_MS}`);
    await stage.pass(10 * MINUTE_MS, 1_000);
    expect(stage.finds).toHaveLength(1);
    await stage.pass(10 * MINUTE_MS, 1_000);
    expect(stage.finds).toHaveLength(3);
  });

  it('is finally removed if Slack delayed the removal', async () => {
    let times = 0;
    const stage = await suspected(seen('1.1', '2.2'), async () => ((times += 1) === 1 ? 'later' : 'gone'));
    await stage.pass(10 * MINUTE_MS, 1_000);
    expect(times).toBe(2);
    expect(stage.reports.filter((line) => line === 'recheck removed')).toHaveLength(1);
  });

  it('stays if the app isn’t allowed to look, or if looking fails for hours', async () => {
    const stage = await suspected(async () => ({ outcome: 'later', reason: 'no_answer' }));
    await stage.pass(3 * HOUR_MS, MINUTE_MS);
    expect(stage.reports.filter((line) => line === 'recheck unknown')).toHaveLength(1);
    const { finds } = stage;
    expect(finds.length).toBeGreaterThan(15);
    expect(finds.length).toBeLessThan(25);
  });
});
