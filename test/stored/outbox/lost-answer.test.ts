import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import type { FindPosts, Sighting, Unpost } from '../../../src/outbox/transport.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { engines } from '../../support/engines.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  archived,
  down,
  limited,
  lost,
  openStage,
  revoked,
  took,
  startStage,
  sessionIn,
} from '../../outbox/stage.ts';

const RANDOM = 'C0RANDOM003';

const seen =
  (...found: readonly string[]): FindPosts =>
  async ({ to }) => ({ found, channelId: to });
const seeing = (...sightings: readonly Sighting[]): FindPosts => {
  const left = [...sightings];
  return async ({ to }) => left.shift() ?? { found: [], channelId: to };
};
const never = () => new Promise<never>(() => undefined);
const inSupport = ({ to }: { readonly to: string }) => to === alexInSupport.channelId;

/** A summary whose first post got no answer. @param next what Slack says to all others */
async function lostOnce(find: FindPosts, { next = took, url = 'memory:' } = {}) {
  const stage = await startStage({
    url,
    answer: (asked, times) => (!inSupport(asked) ? took() : times === 0 ? lost : next()),
    find,
  });
  await stage.tell('a');
  await stage.pass(10_000);
  return stage;
}

describe('a summary whose post got no answer', () => {
  it.each(engines)(
    'is posted again if it isn’t found, and is the first of two that are seen later, wherever it’s linked or changed, in $engine',
    async ({ newUrl }) => {
      let found: readonly string[] = [];
      const find: FindPosts = async ({ to }) => ({ found, channelId: to });
      const { asked, database, pass, removed, summaryOf } = await lostOnce(find, { url: await newUrl() });
      expect(asked).toHaveLength(2);
      found = ['0.5', '0.6'];
      await pass(2 * MINUTE_MS);
      // The first stays: somebody may have answered under it.
      expect(removed).toEqual([`0.6 in ${alexInSupport.channelId}`]);
      expect(await summaryOf('a')).toMatchObject({ state: 'posted', post_ts: '0.5', recheck_at: null });
      const linked = await database.read(
        sql`SELECT summary_ts FROM session_ends`,
        z.object({ summary_ts: z.string() }),
      );
      expect(linked).toEqual([{ summary_ts: '0.5' }]);
    },
  );

  it('isn’t posted while nobody can check whether it is there, and nobody checks while Slack says to wait', async () => {
    const stage = await lostOnce(seeing({ outcome: 'later', reason: 'ratelimited', afterMs: 30_000 }));
    // An error from reading a channel says nothing about posting there.
    await stage.tell('b');
    await stage.pass(15_000);
    expect(stage.asked.map(sessionIn)).toEqual(['a', 'b']);
    expect(stage.finds).toHaveLength(1);
    await stage.pass(MINUTE_MS);
    expect(stage.asked.filter((asked) => sessionIn(asked) === 'a')).toHaveLength(2);
  });

  it('is posted again if not everything can be seen, and that is reported', async () => {
    const stage = await lostOnce(seeing({ found: [], channelId: 'C1', isPartial: true }));
    expect(stage.asked).toHaveLength(2);
    expect(stage.blind).toEqual(['too_much_said undefined']);
  });

  it('isn’t posted again where the app isn’t in the channel to look, though it may be back a moment later', async () => {
    const stage = await lostOnce(async () => ({ outcome: 'never', reason: 'not_in_channel' }));
    expect(stage.asked.filter(inSupport)).toHaveLength(1);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'failed', reason: 'not_in_channel' });
    expect(stage.blind).toEqual([]);
  });

  it('is still looked for after a clear refusal of the second post, and after Retry: the first may yet arrive', async () => {
    const stage = await lostOnce(seen(), { next: () => archived });
    const { id = '', state } = (await stage.summaryOf('a')) ?? {};
    expect(state).toBe('failed');
    expect(stage.finds).toHaveLength(1);
    await stage.acts.retry(alexInSupport.workspaceId, id);
    await stage.pass(5_000);
    expect(stage.finds).toHaveLength(2);
  });

  it('isn’t looked for if every attempt before had a clear answer', async () => {
    const stage = await startStage({ answer: (_asked, times) => (times < 3 ? limited(1) : took()) });
    await stage.tell('a');
    await stage.pass(MINUTE_MS);
    expect(stage.asked).toHaveLength(4);
    expect(stage.finds).toEqual([]);
  });
});

const isDeadly = (asked: { readonly text: string }) => sessionIn(asked) === 'deadly';

describe('a summary whose app ended during the post', () => {
  it.each([
    ['was killed', never],
    // As its answer would be once its time is over.
    ['stopped after an error that nobody caught', async () => down],
  ])('is set aside before the third try, and looked for before a Retry: it %s', async (_how, cutOff) => {
    const stage = await openStage();
    const posts = () => stage.asked.filter((asked) => isDeadly(asked) && inSupport(asked));
    let isMended = false;
    async function start() {
      const crash = Promise.withResolvers<() => void>();
      const process = await stage.start({
        async answer(asked) {
          if (!isDeadly(asked) || !inSupport(asked) || isMended) return took();
          (await crash.promise)();
          return cutOff();
        },
        find: seen(),
      });
      crash.resolve(() => void process.outbox.crashed());
      return process;
    }
    let last = await start();
    await last.tell('deadly');
    await last.tell('good');
    await stage.settle();
    for (let time = 0; time < 4; time += 1) {
      void last.outbox.stop();
      vi.setSystemTime(Date.now() + 100);
      last = await start();
      await stage.pass(3_000);
    }
    expect((await stage.summaryOf('good'))?.state).toBe('posted');
    expect(posts()).toHaveLength(2);
    expect(await stage.summaryOf('deadly')).toMatchObject({ state: 'failed', reason: 'set_aside' });

    isMended = true;
    const looked = stage.finds.length;
    const { id = '' } = (await stage.summaryOf('deadly')) ?? {};
    await last.acts.retry(alexInSupport.workspaceId, id);
    await stage.pass(3_000);
    expect(stage.finds.length).toBeGreaterThan(looked);
    expect(await stage.summaryOf('deadly')).toMatchObject({ state: 'posted' });
  });
});

type Options = Parameters<Awaited<ReturnType<typeof openStage>>['start']>[0];

/** A process with a summary that may be there twice, to be looked for a minute later. */
async function suspected(options: Options, url?: string) {
  const stage = await openStage(url === undefined ? {} : { url });
  const process = await stage.start(options);
  await process.tell('a');
  await stage.pass(2_000);
  await stage.database.write(sql`UPDATE deliveries SET recheck_at = ${Date.now() + MINUTE_MS}`);
  return { ...stage, ...process };
}

const twice = seen('1.1', '2.2');
const refusedToken: Sighting = { outcome: 'never', reason: 'token_revoked' };

describe.each(engines)('a summary that may be there twice, in $engine', ({ newUrl }) => {
  it('isn’t looked for while Slack refuses the token, but as soon as it’s accepted again', async () => {
    let isRefused = true;
    const { tell, pass, finds, removed } = await suspected(
      {
        answer: (asked) => (asked.to === RANDOM && isRefused ? revoked : took()),
        acceptsToken: async () => !isRefused,
        find: twice,
      },
      await newUrl(),
    );
    await tell('b', { channelId: RANDOM });
    await pass(10 * MINUTE_MS, MINUTE_MS);
    expect(finds).toEqual([]);
    isRefused = false;
    await pass(2 * MINUTE_MS);
    expect(finds).toHaveLength(1);
    expect(removed).toHaveLength(1);
  });
});

describe('a summary that may be there twice', () => {
  it('is left alone if it is there once', async () => {
    const { pass, removed, finds } = await suspected({ find: seen('1.1') });
    await pass(10 * MINUTE_MS);
    expect(removed).toEqual([]);
    expect(finds).toHaveLength(1);
  });

  it('is looked for by the next process after a kill', async () => {
    const { outbox, start, pass, removed } = await suspected({ find: twice });
    await outbox.stop();
    await start({ find: twice });
    await pass(2 * MINUTE_MS);
    expect(removed).toHaveLength(1);
  });

  it('waits with all others of its workspace while Slack says to wait', async () => {
    const { tell, pass, database, finds, removed } = await suspected({
      find: seeing(
        { outcome: 'later', reason: 'ratelimited', afterMs: 10 * MINUTE_MS },
        { found: ['1.1', '2.2'], channelId: 'C1' },
      ),
    });
    await tell('b', { channelId: RANDOM });
    await pass(2_000);
    await database.write(sql`UPDATE deliveries SET recheck_at = ${Date.now() + MINUTE_MS}`);
    await pass(10 * MINUTE_MS);
    expect(finds).toHaveLength(1);
    await pass(10 * MINUTE_MS);
    expect(finds).toHaveLength(3);
    expect(removed).toEqual(['2.2 in C1']);
  });

  it('waits for no other workspace, though Slack never answers there', async () => {
    const { tell, pass, database, removed } = await suspected({
      find: (place, ...rest) => (place.workspaceId === 'T0OTHER' ? never() : twice(place, ...rest)),
    });
    await tell('b', { workspaceId: 'T0OTHER' });
    await pass(2_000);
    await database.write(
      sql`UPDATE deliveries SET recheck_at = ${Date.now()} + CASE WHEN workspace_id = 'T0OTHER' THEN 0 ELSE 1 END`,
    );
    await pass(2 * MINUTE_MS);
    expect(removed).toHaveLength(1);
  });

  it('is finally removed if Slack delayed the removal', async () => {
    let times = 0;
    const unpost: Unpost = async () => ((times += 1) === 1 ? 'later' : 'gone');
    const { pass, reports } = await suspected({ find: twice, unpost });
    await pass(10 * MINUTE_MS);
    expect(times).toBe(2);
    expect(reports.filter((line) => line === 'recheck removed')).toHaveLength(1);
  });

  it.each<readonly [string, Sighting, number, number]>([
    ['for hours, where looking fails', { outcome: 'later', reason: 'no_answer' }, 1, 2],
    ['for as long as posts wait, where Slack refuses the token', refusedToken, 71, 73],
  ])('is looked for %s, and no longer', async (_how, sighting, before, after) => {
    const { pass, reports } = await suspected({ find: async () => sighting });
    await pass(before * HOUR_MS, (before * HOUR_MS) / 12);
    expect(reports).not.toContain('recheck unknown');
    await pass((after - before) * HOUR_MS, 10 * MINUTE_MS);
    expect(reports.filter((line) => line === 'recheck unknown')).toHaveLength(1);
  });
});
