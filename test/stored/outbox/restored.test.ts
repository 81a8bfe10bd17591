import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Sql, sql } from '../../../src/database/database.ts';
import { deliveryRemovals } from '../../../src/outbox/retention.ts';
import type { FindPosts, PostOutcome, Sighting } from '../../../src/outbox/transport.ts';
import type { Subscribers } from '../../../src/sessions/subscribers.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { engines } from '../../support/engines.ts';
import { DAY_MS, MINUTE_MS, START, limited, openStage, took } from '../../outbox/stage.ts';

const RANDOM = 'C0RANDOM003';
const link = { ...alexInSupport, linkId: 'link-1' };
interface Place {
  readonly to: string;
  readonly threadTs?: string;
}
const placeOf = ({ to, threadTs = '' }: Place) => `${to} ${threadTs}`;
const ENDED = { ended_at: new Date(START - MINUTE_MS).toISOString() };

/** As before the worker came to it. */
const unposted = sql`UPDATE deliveries SET state = 'waiting', attempted_at = NULL, attempts = 0, post_ts = NULL,
  post_channel_id = NULL, settled_at = NULL WHERE kind = 'summary'`;
const wakeAll = sql`UPDATE channels SET next_at = ${START}, open_at = 0`;

/** A backup from before all of it. */
const nothing = ['deliveries', 'session_ends', 'watch_links', 'channels'].map(
  (table) => new Sql([`DELETE FROM ${table}`], []),
);

describe.each(engines)('after a restore from a backup in $engine', ({ newUrl }) => {
  /** A Slack that keeps what is posted, and finds it by its id. */
  async function open() {
    const stage = await openStage({ url: await newUrl() });
    const kept: { id: string; cardId: string | undefined; place: string; ts: string }[] = [];
    const messagesIn = (place: Place) => kept.filter((one) => one.place === placeOf(place));
    let answer: Sighting | undefined;
    const find: FindPosts = async (place, id) => {
      const there = messagesIn(place);
      const found = [...there.filter((one) => one.id === id), ...there.filter((one) => one.cardId === id)];
      return answer ?? { found: found.map(({ ts }) => ts), channelId: place.to };
    };
    const subscribers: Partial<Subscribers> = {
      candidates: async () => [{ id: '1', channelId: RANDOM }],
      formNow: async () => ({ form: 'thread' }),
    };
    const start = (slackSays: (asked: { readonly text: string }) => PostOutcome = took) =>
      stage.start({
        find,
        subscribers,
        answer(asked) {
          const outcome = slackSays(asked);
          if (outcome.outcome !== 'posted' || outcome.ts === undefined) return outcome;
          const ts = asked.replaces ?? outcome.ts;
          // A change takes the message's place, with what it's recognised by.
          const before = kept.findIndex((one) => one.ts === ts);
          if (before >= 0) kept.splice(before, 1);
          kept.push({ id: asked.id, cardId: asked.cardId, place: placeOf(asked), ts });
          return { ...outcome, ts };
        },
      });
    return {
      stage,
      start,
      /** A process that posts a session's summaries and ends. */
      postBefore: async (times: object = ENDED) => {
        const { tell, outbox } = await start();
        await tell('a', link, times);
        await stage.pass(5_000);
        await outbox.stop();
        expect(stage.asked).toHaveLength(3);
        expect(stage.finds).toEqual([]);
      },
      /** Puts the tables back to a backup, in which these statements leave what was there. */
      restore: (...left: readonly Sql[]) =>
        stage.database.write(...left, sql`INSERT INTO restores (restored_at) VALUES (${Date.now()})`),
      /** What Slack says to every look; what it has, if not given. */
      answering: (one?: Sighting) => void (answer = one),
      /** In the channel of the link. */
      posts: () => messagesIn({ to: link.channelId ?? '' }),
    };
  }

  it.each([
    ['', ENDED],
    [', though the service doesn’t say when it ended', { ended_at: undefined }],
    [', nor when it began', { started_at: undefined, ended_at: undefined }],
    [', though its clock is ahead', { ended_at: new Date(START + MINUTE_MS).toISOString() }],
  ])(
    'a session that is reported again isn’t posted again, in no channel and in no thread%s',
    async (_what, times) => {
      const { stage, start, postBefore, restore } = await open();
      await postBefore(times);
      const posts = new Set((await stage.deliveries()).map(({ post_ts: ts }) => ts));
      await restore(...nothing);
      await stage.pass(2 * MINUTE_MS);
      const after = await start();
      expect(await after.tell('a', link, times)).toBe('accepted');
      await stage.pass(3 * MINUTE_MS);
      expect(stage.asked).toHaveLength(3);
      const all = await stage.deliveries();
      expect(all.map(({ state }) => state)).toEqual(['posted', 'posted', 'posted']);
      expect(new Set(all.map(({ post_ts: ts }) => ts))).toEqual(posts);
    },
  );

  it('what waited in the backup isn’t posted again, and what wasn’t posted before is, once', async () => {
    const { stage, start, postBefore, restore } = await open();
    await postBefore();
    await restore(
      sql`DELETE FROM deliveries WHERE kind = 'details'`,
      unposted,
      sql`UPDATE deliveries SET id = id || 'x', message_id = 'never posted' WHERE channel_id = ${RANDOM}`,
      wakeAll,
    );
    await start();
    await stage.pass(3 * MINUTE_MS);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted', 'posted']);
    // Only what Slack doesn't have, with its details.
    expect(stage.asked.slice(3).map(({ to }) => to)).toEqual([RANDOM, RANDOM]);
  });

  it.each([
    ['which Slack had taken, and no session had ended', false, took],
    ['which Slack had taken', true, took],
    [
      'which Slack had put off until it was no longer posted',
      true,
      ({ text }: { readonly text: string }) => (text.includes('’s screen · ') ? limited(30) : took()),
    ],
  ])(
    'a card that waited in the backup becomes its summary, and none is posted beside it, %s',
    async (_what, hadEnded, slackSays) => {
      const { stage, start, restore, posts } = await open();
      const before = await start(slackSays);
      await before.announce(link);
      await stage.pass(slackSays === took ? 2_000 : 0);
      const backup = await stage.database.read(sql`SELECT id FROM deliveries`, z.object({ id: z.string() }));
      if (hadEnded) await before.tell('a', link, ENDED);
      await stage.pass(60_000, 1_000);
      await before.outbox.stop();
      await restore(
        sql`DELETE FROM session_ends`,
        sql`DELETE FROM deliveries WHERE id <> ${backup[0]?.id ?? ''}`,
        sql`UPDATE deliveries SET state = 'waiting', reason = NULL, attempted_at = NULL, post_ts = NULL, settled_at = NULL,
        taken_by = NULL`,
        sql`UPDATE watch_links SET state = 'open'`,
        wakeAll,
      );
      const after = await start();
      await stage.pass(5_000);
      await after.tell('a', link, ENDED);
      await stage.pass(2 * MINUTE_MS, 1_000);
      expect(posts()).toHaveLength(1);
      const last = stage.asked.findLast(
        ({ to, threadTs }) => to === link.channelId && threadTs === undefined,
      );
      expect(last?.text).toContain('session ended');
    },
  );

  it('the summaries of two links that shared a card stay what they are, in whichever order they’re reported', async () => {
    const { stage, start, restore, posts } = await open();
    const other = { ...link, linkId: 'link-2' };
    const before = await start();
    for (const one of [link, other]) await before.announce(one);
    await stage.pass(2_000);
    await before.tell('a', link, ENDED);
    await stage.pass(5_000);
    await before.tell('b', other, ENDED);
    await stage.pass(5_000);
    await before.outbox.stop();
    const posted = posts();
    expect(posted).toHaveLength(2);
    await restore(
      sql`DELETE FROM session_ends`,
      sql`DELETE FROM deliveries WHERE kind <> 'card'`,
      sql`UPDATE deliveries SET taken_by = NULL`,
      sql`UPDATE watch_links SET state = 'open'`,
    );
    const after = await start();
    await after.tell('b', other, ENDED);
    await stage.pass(5_000);
    await after.tell('a', link, ENDED);
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(posts()).toEqual(posted);
  });

  it('what Slack puts off is looked for later, and nothing is posted before that', async () => {
    const { stage, start, postBefore, restore, answering } = await open();
    await postBefore();
    await restore(...nothing);
    answering({ outcome: 'later', reason: 'ratelimited', afterMs: 30_000 });
    const after = await start();
    await after.tell('a', link, ENDED);
    await stage.pass(20_000);
    expect(stage.finds.length).toBeLessThan(3);
    expect(stage.asked).toHaveLength(3);
    answering();
    await stage.pass(MINUTE_MS);
    expect(stage.asked).toHaveLength(3);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted', 'posted']);
  });

  it('a session that ended since is posted without a look, and so is every one once the mark is gone', async () => {
    const { stage, start, restore } = await open();
    await restore();
    const after = await start();
    await stage.pass(5 * MINUTE_MS);
    const ended = new Date(START + 4 * MINUTE_MS).toISOString();
    await after.tell('since', { linkId: 'link-2' }, { ended_at: ended });
    await stage.pass(5_000);
    expect(stage.asked).toHaveLength(3);
    expect(stage.finds).toEqual([]);
    for (const removal of deliveryRemovals)
      await stage.database.write(removal(Date.now() + 8 * DAY_MS + MINUTE_MS, 500));
    await after.tell('old', { linkId: 'link-3' }, ENDED);
    await stage.pass(5_000);
    expect(stage.asked).toHaveLength(6);
    expect(stage.finds).toEqual([]);
  });
});
