import { describe, expect, it, vi } from 'vitest';
import { MOST_DEATHS } from '../../src/outbox/attempt.ts';
import { moveChannel } from '../../src/outbox/channels.ts';
import type { FindPosts, Sighting } from '../../src/outbox/transport.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  START,
  archived,
  down,
  limited,
  lost,
  openStage,
  took,
  startStage,
  sessionIn,
} from './stage.ts';

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
async function lostOnce(find: FindPosts, next = took) {
  const stage = await startStage({
    answer: (asked, times) => (!inSupport(asked) ? took() : times === 0 ? lost : next()),
    find,
  });
  await stage.tell('a');
  await stage.pass(10_000);
  return stage;
}

describe('a summary whose post got no answer', () => {
  it.each([
    ['and posted again if it isn’t found', seen(), 2, expect.any(String)],
    ['and not posted again if it is found', seen('0.5'), 1, '0.5'],
  ])('is looked for once, %s', async (_what, find, posts, ts) => {
    const { asked, finds, blind, summaryOf, pass } = await lostOnce(find);
    await pass(10 * MINUTE_MS);
    expect(asked).toHaveLength(posts);
    expect(finds).toHaveLength(1);
    expect(blind).toEqual([]);
    expect(await summaryOf('a')).toMatchObject({ state: 'posted', post_ts: ts });
  });

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

  it.each<readonly [string, Sighting, string]>([
    [
      'not everything can be seen',
      { found: [], channelId: 'C1', isPartial: true },
      'too_much_said undefined',
    ],
    [
      'the app isn’t allowed to look',
      { outcome: 'never', reason: 'missing_scope', neededScope: 'channels:history' },
      'missing_scope channels:history',
    ],
  ])('is posted again if %s, and that is reported', async (_why, sighting, reported) => {
    const stage = await lostOnce(seeing(sighting));
    expect(stage.asked).toHaveLength(2);
    expect(stage.blind).toEqual([reported]);
  });

  it('is posted again once a code that nobody knows has kept it from being looked for for a day', async () => {
    const stage = await lostOnce(async () => ({ outcome: 'later', reason: 'brand_new' }));
    await stage.pass(23 * HOUR_MS, MINUTE_MS);
    expect(stage.asked).toHaveLength(1);
    await stage.pass(2 * HOUR_MS, MINUTE_MS);
    expect(stage.asked).toHaveLength(2);
    expect(stage.blind).toEqual(['brand_new undefined']);
  });

  it('isn’t posted again where the app isn’t in the channel to look, though it may be back a moment later', async () => {
    const stage = await lostOnce(async () => ({ outcome: 'never', reason: 'not_in_channel' }));
    expect(stage.asked.filter(inSupport)).toHaveLength(1);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'failed', reason: 'not_in_channel' });
    expect(stage.blind).toEqual([]);
  });

  it('is still looked for after a clear refusal of the second post, and after Retry: the first may yet arrive', async () => {
    const stage = await lostOnce(seen(), () => archived);
    const { id = '', state } = (await stage.summaryOf('a')) ?? {};
    expect(state).toBe('failed');
    expect(stage.finds).toHaveLength(1);
    await stage.acts.retry(alexInSupport.workspaceId, id);
    await stage.pass(5_000);
    expect(stage.finds).toHaveLength(2);
  });

  it('is looked for though it’s too late to be posted by now', async () => {
    const stage = await startStage({
      answer: () => lost,
      find: async ({ to }) =>
        Date.now() < START + DAY_MS
          ? { outcome: 'later', reason: 'service_unavailable' }
          : { found: ['0.5'], channelId: to },
    });
    await stage.announce(alexInSupport);
    await stage.pass(DAY_MS + HOUR_MS, MINUTE_MS);
    expect(await stage.deliveries()).toMatchObject([{ kind: 'card', state: 'posted', post_ts: '0.5' }]);
  });

  it('isn’t looked for if every attempt before had a clear answer', async () => {
    const stage = await startStage({ answer: (_asked, times) => (times < 3 ? limited(1) : took()) });
    await stage.tell('a');
    await stage.pass(MINUTE_MS);
    expect(stage.asked).toHaveLength(4);
    expect(stage.finds).toEqual([]);
  });
});

it.each([
  ['and isn’t posted again', ['0.5'], []],
  ['and is posted there if it isn’t found', [], ['C0NEW']],
])(
  'a summary whose app was killed during the post is looked for at its channel’s new id, %s',
  async (_, found, posts) => {
    const { workspaceId, channelId = '' } = alexInSupport;
    const stage = await openStage();
    const killed = await stage.start({ answer: never });
    await killed.tell('a');
    await stage.pass(1_000);
    killed.outbox.crashed();
    await stage.database.write(...moveChannel(workspaceId, channelId, 'C0NEW', Date.now()));
    await stage.start({
      find: async ({ to }) =>
        to === 'C0NEW' ? { found, channelId: to } : { outcome: 'never', reason: 'channel_not_found' },
    });
    await stage.pass(10_000);
    expect(stage.asked.map(({ to }) => to)).toEqual([channelId, ...posts]);
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', channel_id: 'C0NEW' });
    expect(stage.blind).toEqual([]);
  },
);

const isDeadly = (asked: { readonly text: string }) => sessionIn(asked) === 'deadly';

it.each([
  ['was killed', never],
  // As its answer would be once its time is over.
  ['stopped after an error that nobody caught', async () => down],
])(
  'a summary whose app ended during the post is set aside in the end, and looked for before a Retry: it %s',
  async (_how, cutOff) => {
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
      crash.resolve(() => process.outbox.crashed());
      return process;
    }
    let last = await start();
    await last.tell('deadly');
    await last.tell('good');
    await stage.settle();
    for (let time = 0; time < MOST_DEATHS; time += 1) {
      void last.outbox.stop();
      vi.setSystemTime(Date.now() + 100);
      last = await start();
      await stage.pass(3_000);
    }
    expect((await stage.summaryOf('good'))?.state).toBe('posted');
    expect(posts()).toHaveLength(MOST_DEATHS);
    expect(await stage.summaryOf('deadly')).toMatchObject({ state: 'failed', reason: 'set_aside' });

    isMended = true;
    const looked = stage.finds.length;
    const { id = '' } = (await stage.summaryOf('deadly')) ?? {};
    await last.acts.retry(alexInSupport.workspaceId, id);
    await stage.pass(3_000);
    expect(stage.finds.length).toBeGreaterThan(looked);
    expect(await stage.summaryOf('deadly')).toMatchObject({ state: 'posted' });
  },
);
