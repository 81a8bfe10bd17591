import { describe, expect, it, vi } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { notice } from '../../../src/messages/message.ts';
import { moveChannel } from '../../../src/outbox/channels.ts';
import type { Kind } from '../../../src/outbox/delivery.ts';
import type { PostOutcome } from '../../../src/outbox/transport.ts';
import type { Candidate, Subscribers } from '../../../src/sessions/subscribers.ts';
import {
  MINUTE_MS,
  deliveryOf,
  down,
  limited,
  lost,
  openStage,
  revoked,
  sessionIn,
  startStage,
  took,
} from '../../outbox/stage.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { engines } from '../../support/engines.ts';
import { SALES, SUPPORT } from '../../support/person.ts';

const RANDOM = 'C0RANDOM003';
const { workspaceId, channelId, userId } = alexInSupport;
const unfound = { outcome: 'never', reason: 'channel_not_found' } as const;
const unscoped = { outcome: 'never', reason: 'missing_scope', neededScope: 'chat:write.public' } as const;
const subscribers = (formNow: Subscribers['formNow']): Partial<Subscribers> => ({
  candidates: async () => ['1', '2'].map((id) => ({ id, channelId: RANDOM })),
  formNow,
});

describe.each(engines)('deliveries in $engine', ({ newUrl }) => {
  it('go from a session’s end to its channel, to a subscribed one, and into its thread, though the first of the subscriptions was removed meanwhile', async () => {
    const stage = await startStage({
      url: await newUrl(),
      subscribers: subscribers(async (_workspaceId, id) =>
        id === '1' && stage.asked.some(({ to }) => to === RANDOM)
          ? { skip: 'subscription_removed' }
          : { form: 'thread' },
      ),
    });
    expect(await stage.tell('a')).toBe('accepted');
    expect(await stage.tell('a')).toBe('duplicate');
    await stage.pass(10_000);
    const places = stage.asked.map(
      ({ to, threadTs }) => `${to} ${threadTs === undefined ? 'itself' : 'thread'}`,
    );
    expect(places.toSorted()).toEqual([`${RANDOM} itself`, `${RANDOM} thread`, `${channelId} itself`]);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted', 'posted']);
  });

  it('go to a channel by the first of its subscriptions that wants them, or not at all', async () => {
    const stage = await startStage({
      url: await newUrl(),
      subscribers: subscribers(async (_workspaceId, id, session) =>
        id === '2' && session?.visitorId !== 'priya55' ? { form: 'full' } : { skip: 'filtered_out' },
      ),
    });
    await stage.tell('a');
    await stage.tell('b', { visitorId: 'priya55' });
    await stage.pass(3_000);
    const copies = (await stage.deliveries()).filter(({ channel_id: channel }) => channel === RANDOM);
    expect(copies).toMatchObject([{ state: 'posted' }, { state: 'skipped', reason: 'filtered_out' }]);
  });

  it('replace their card, are tried again, fail for a scope that is named, and are reported to the agent', async () => {
    const stage = await startStage({
      url: await newUrl(),
      answer({ to, replaces }, times) {
        if (to === RANDOM) return unscoped;
        return replaces !== undefined && times === 0 ? down : took();
      },
    });
    const link = { ...alexInSupport, linkId: 'link' };
    await stage.announce(link);
    await stage.pass(2_000);
    await stage.tell('a', link);
    await stage.tell('b', { ...link, linkId: 'other', channelId: RANDOM });
    await stage.pass(10_000);
    const postsTo = (place?: string) => stage.asked.filter(({ to }) => to === place);
    const [card, changedInVain, changed] = postsTo(channelId);
    expect(card?.replaces).toBeUndefined();
    expect(changedInVain?.replaces).toBeDefined();
    expect(changed?.replaces).toBe(changedInVain?.replaces);
    expect(postsTo(userId)).toHaveLength(1);
    const { entries } = await stage.overview.list(workspaceId, 9);
    const trouble = { kind: 'missing-scope', neededScope: 'chat:write.public' };
    expect(entries).toMatchObject([
      { failedAt: expect.any(Number), to: RANDOM, about: { visitorId: 'jane4821' }, trouble },
    ]);
    const id = entries[0]?.id ?? '';
    expect(await stage.acts.retry(workspaceId, id)).toBe('retried');
    await stage.pass(2_000);
    expect(postsTo(RANDOM)).toHaveLength(2);
    expect(await stage.acts.drop(workspaceId, id, 'U1')).toBe('dropped');
    expect(await stage.overview.inTrouble()).toEqual({ waiting: 0, failed: 0 });
    expect(await stage.overview.oldest()).toBeUndefined();
  });

  it('wait as Slack says, for a refused token and for a lost answer, and are looked for again', async () => {
    const answers = [limited(5), lost, revoked, took()];
    const stage = await startStage({ url: await newUrl(), answer: () => answers.shift() ?? took() });
    await stage.tell('a');
    await stage.pass(1_000);
    expect(await stage.overview.oldest(workspaceId)).toMatchObject({ isInTurn: false });
    await stage.pass(3 * MINUTE_MS);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
    expect(stage.finds.length).toBeGreaterThan(1);
    expect(stage.reports).not.toContain('broken');
  });

  it.each<readonly [string, PostOutcome]>([
    ['refuses', unfound],
    ['puts off, then refuses', { outcome: 'later', reason: 'external_channel_migrating' }],
  ])(
    'go to their channel’s new id, once, if Slack %s what was on its way to the old one',
    async (_, answer) => {
      const stage = await startStage({
        url: await newUrl(),
        async answer({ to }, times) {
          if (to !== channelId) return took();
          await stage.database.write(...moveChannel(workspaceId, channelId, 'C0NEW', Date.now()));
          return times === 0 ? answer : unfound;
        },
      });
      await stage.announce({ ...alexInSupport, linkId: 'link' });
      await stage.tell('a');
      await stage.pass(10_000);
      expect(stage.asked.filter(({ to }) => to !== channelId).map(({ to }) => to)).toEqual([
        'C0NEW',
        'C0NEW',
      ]);
      expect(await stage.deliveries()).toMatchObject([
        { kind: 'card', state: 'posted', channel_id: 'C0NEW' },
        { kind: 'summary', state: 'posted', channel_id: 'C0NEW' },
      ]);
    },
  );

  it('cost at most 34 statements in eight commits for a summary that replaces a card, with one for its details', async () => {
    const stage = await startStage({ url: await newUrl() });
    await stage.announce(alexInSupport);
    await stage.pass(2_000);
    stage.watched.statements.length = 0;
    stage.watched.commits = 0;
    await stage.tell('a', { linkId: alexInSupport.linkId });
    await stage.pass(3_000);
    expect(stage.asked).toHaveLength(3);
    expect(stage.watched.commits).toBeLessThanOrEqual(8);
    expect(stage.watched.statements.slice(34)).toEqual([]);
  });
});

describe.each(engines)('session ends that were left behind, in $engine', ({ newUrl }) => {
  it('don’t wait for sixty others that fail each time', async () => {
    const stage = await openStage({ url: await newUrl() });
    const gone = stage.processOver();
    for (let index = 0; index < 60; index += 1) await gone.tell(`bad-${index}`, { visitorId: 'bad' });
    await gone.tell('good');
    let isBroken = true;
    await stage.start({
      subscribers: {
        candidates: async ({ visitorId }) => {
          if (visitorId === 'bad' && isBroken) throw new TypeError('a mistake');
          return [];
        },
      },
    });
    await stage.pass(2_000);
    expect(stage.asked.map(sessionIn)).toEqual(['good']);
    isBroken = false;
    await stage.pass(5 * MINUTE_MS);
    expect(stage.asked).toHaveLength(61);
  });

  it('are fanned out beside one that can’t be read, the oldest first', async () => {
    const stage = await openStage({ url: await newUrl() });
    const gone = stage.processOver();
    for (const id of ['newer', 'a', 'b']) await gone.tell(id);
    await stage.database.write(
      sql`UPDATE session_ends SET payload = '7' WHERE session_id = 'newer'`,
      sql`UPDATE session_ends SET received_at = received_at - 1 WHERE session_id = 'b'`,
    );
    await stage.start();
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['b', 'a']);
    expect(stage.reports).toContain('broken');
  });

  it('are fanned out once, even one that is slow while another process does it', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const slow = Promise.withResolvers<readonly Candidate[]>();
    const asked = vi.fn<Subscribers['candidates']>().mockReturnValueOnce(slow.promise).mockResolvedValue([]);
    const { tell } = await stage.start({ subscribers: { candidates: asked } });
    await tell('a');
    await stage.settle();
    await stage.start({ subscribers: { candidates: asked } });
    await stage.pass(MINUTE_MS);
    expect(await stage.deliveries()).toHaveLength(1);
    // Whoever was slow knows of a subscription that is none any more.
    slow.resolve([{ id: '1', channelId: SALES }]);
    await stage.pass(MINUTE_MS);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(stage.asked.map(({ to }) => to)).toEqual([SUPPORT]);
    expect(await stage.deliveries()).toHaveLength(1);
  });
});

const hello: Kind = {
  name: 'hello',
  render: async ({ id }) => ({ message: async () => notice([`Hello ${id}`]) }),
};

describe.each(engines)('a kind of delivery, in $engine', ({ newUrl }) => {
  it('is left to the program that knows it, and lets others of its channel pass', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const { database, outbox: older, tell } = await stage.start();
    await database.write(...deliveryOf('hello', 'n1'));
    await tell('a');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['a']);
    await older.stop();
    await stage.start({ also: (outbox) => outbox.register(hello) });
    await stage.pass(2 * MINUTE_MS);
    expect(new Set(stage.asked.map(sessionIn))).toEqual(new Set(['a', 'Hello n1']));
  });

  it('is posted also where an earlier program, beside this one, asks about it first', async () => {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const asking = sql`UPDATE deliveries SET state = 'asking', claim = 'of the earlier one' WHERE state = 'waiting'`;
    const queue = (id: string) =>
      stage.database.write(...deliveryOf('hello', id), asking, sql`UPDATE channels SET next_at = NULL`);
    await queue('n1');
    await stage.start({ also: (outbox) => outbox.register(hello) });
    await stage.pass(5_000);
    await queue('n2');
    await stage.pass(5_000);
    expect(stage.asked.map(sessionIn)).toEqual(['Hello n1', 'Hello n2']);
  });
});
