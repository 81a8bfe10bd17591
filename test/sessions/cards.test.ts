import { describe, expect, it } from 'vitest';
import { sql } from '../../src/database/database.ts';
import type { FindPosts } from '../../src/outbox/transport.ts';
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
} from '../outbox/stage.ts';
import type { Answer } from '../outbox/stage.ts';
import { alexInSupport } from './ended-session.ts';

const link = { ...alexInSupport, linkId: 'link-1' };
const other = { ...link, linkId: 'link-2' };
const seen =
  (...found: readonly string[]): FindPosts =>
  async ({ to }) => ({ found, channelId: to });
const isCard = ({ text }: { readonly text: string }) => text.includes('’s screen · ');

const isRunning = ({ text }: { readonly text: string }) => text.includes('In session');
const isUndelivered = ({ text }: { readonly text: string }) => text.includes('couldn’t post the summary');
const refusedSummary: Answer = (asked) =>
  isCard(asked) ? took() : { outcome: 'never', reason: 'msg_blocks_too_long' };

describe('the card of a link', () => {
  it('becomes its summary, with the rest in its thread', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start();
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(3_000);
    const [card, summary, details] = stage.asked;
    const { post_ts: ts } = (await stage.deliveries())[0] ?? {};
    expect(card?.text).toContain('This message becomes the summary');
    expect(summary).toMatchObject({ replaces: ts });
    expect(summary?.text).not.toContain('Access: ');
    expect(details).toMatchObject({ threadTs: ts });
    expect(stage.asked).toHaveLength(3);
  });

  it('becomes the whole summary if it is in a thread itself', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start();
    const inThread = { ...link, threadTs: '17.1' };
    await announce(inThread);
    await stage.pass(2_000);
    await tell('a', inThread);
    await stage.pass(3_000);
    expect(stage.asked).toHaveLength(2);
    expect(stage.asked[1]?.text).toContain('Access: ');
    expect(stage.asked[1]?.threadTs).toBeUndefined();
  });

  it('is shared by presses within a short time, but not with later ones, other places or other people', async () => {
    const stage = await openStage();
    const { announce } = await stage.start();
    await Promise.all([announce(link), announce(other)]);
    await announce({ ...link, linkId: 'elsewhere', channelId: 'C0SALES0002' });
    await announce({ ...link, linkId: 'by-sam', userId: 'U0SAM000002' });
    await announce({ ...link, linkId: 'nowhere', channelId: undefined });
    await stage.pass(5_000);
    expect(stage.asked.filter(isCard)).toHaveLength(3);
    await stage.pass(10 * MINUTE_MS, MINUTE_MS);
    await announce({ ...link, linkId: 'later' });
    await stage.pass(2_000);
    expect(stage.asked.filter(isCard)).toHaveLength(4);
  });

  it('becomes the summary of the first link that shares it, and the next summary is posted separately', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start();
    await announce(link);
    await announce(other);
    await stage.pass(2_000);
    await tell('a', other);
    await tell('b', link);
    await stage.pass(5_000);
    const changes = stage.asked.filter(({ replaces }) => replaces !== undefined);
    expect(changes.map((asked) => stage.sessionIn(asked))).toEqual(['a']);
    const whole = stage.asked.find((asked) => stage.sessionIn(asked) === 'b');
    expect(whole?.text).toContain('Access: ');
    // Who presses now gets a card of their own.
    await announce({ ...link, linkId: 'link-3' });
    await stage.pass(2_000);
    expect(stage.asked.filter(isCard)).toHaveLength(2);
  });

  it('is no longer posted if its summary comes first', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({ answer: (asked) => (isCard(asked) ? down : took()) });
    await announce(link);
    await stage.pass(1_000);
    await tell('a', link);
    await stage.pass(MINUTE_MS, 1_000);
    expect(stage.asked.filter((asked) => !isCard(asked))).toHaveLength(1);
    const [card, summary] = await stage.deliveries();
    expect(card).toMatchObject({ state: 'skipped', reason: 'superseded' });
    expect(summary).toMatchObject({ state: 'posted' });
    expect(stage.finds).toEqual([]);
  });

  it('isn’t posted if its session ended before its link was recorded', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: (_asked, times) => (times === 0 ? down : took()),
    });
    await tell('a', link);
    await stage.pass(0);
    // It would go first, so the summary is put off.
    await announce(link);
    await stage.pass(10_000);
    expect(stage.asked.filter(isCard)).toEqual([]);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
    expect((await stage.deliveries()).filter(({ kind }) => kind === 'card')).toEqual([]);
  });

  it('is removed if its session ended meanwhile and a lost attempt shows up later', async () => {
    const stage = await openStage();
    let found: readonly string[] = [];
    const { tell, announce } = await stage.start({
      answer: (asked) => (isCard(asked) ? lost : took()),
      find: async ({ to }) => ({ found, channelId: to }),
    });
    await announce(link);
    await stage.pass(500, 100);
    // As when its summary was accepted before the link was recorded.
    const [card] = await stage.deliveries();
    await tell('a', link);
    await stage.database.write(
      sql`UPDATE deliveries SET replaces_id = NULL WHERE replaces_id = ${card?.id ?? ''}`,
    );
    await stage.pass(10_000);
    expect(stage.asked.filter(isCard)).toHaveLength(1);
    found = ['5.5'];
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(stage.removed).toEqual([`5.5 in ${link.channelId}`]);
  });

  it('no longer promises a summary that can’t be posted, and becomes it after a Retry', async () => {
    const stage = await openStage();
    let refusal: 'restricted_action' | undefined = 'restricted_action';
    const { tell, announce, acts } = await stage.start({
      answer: ({ replaces, ...asked }) =>
        refusal !== undefined && replaces !== undefined && stage.sessionIn(asked) === 'a'
          ? { outcome: 'never', reason: refusal }
          : took(),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(3_000);
    const card = (await stage.deliveries())[0];
    const changed = stage.asked.filter(({ replaces }) => replaces === card?.post_ts);
    expect(changed).toHaveLength(2);
    expect(changed[1]?.text).toContain('It ended, but I couldn’t post the summary here.');
    expect(changed[1]?.text).not.toContain('becomes the summary');
    refusal = undefined;
    await acts.retry(link.workspaceId, (await stage.summaryOf('a'))?.id ?? '');
    await stage.pass(3_000);
    const summary = await stage.summaryOf('a');
    expect(summary).toMatchObject({ state: 'posted' });
    expect(stage.asked.findLast((asked) => stage.sessionIn(asked) === 'a')).toMatchObject({
      replaces: card?.post_ts,
    });
  });

  it('no longer promises a summary that is discarded while it waits', async () => {
    const stage = await openStage();
    const { tell, announce, acts } = await stage.start({
      answer: (asked) => (asked.replaces !== undefined && stage.sessionIn(asked) === 'a' ? down : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(500, 100);
    const id = (await stage.summaryOf('a'))?.id ?? '';
    expect(await acts.drop(link.workspaceId, id, 'U1')).toBe('dropped');
    expect(await acts.drop(link.workspaceId, id, 'U1')).toBe('dropped');
    await stage.pass(10_000);
    const changes = stage.asked.filter(({ replaces }) => replaces !== undefined);
    expect(changes.map(({ text }) => text.includes('couldn’t post the summary here'))).toEqual([false, true]);
  });

  it('is tried again if Slack asks for patience, however soon the presses come', async () => {
    const stage = await openStage();
    const { announce } = await stage.start({
      answer: (_asked, times) => (times === 0 ? limited(2) : took()),
    });
    await announce(link);
    await announce({ ...link, linkId: 'x', visitorId: 'priya55' });
    await stage.pass(20_000);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted']);
  });

  it('is looked for if its answer was lost, and becomes the summary if it is found', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: (asked) => (isCard(asked) ? lost : took()),
      find: seen('5.5'),
    });
    await announce(link);
    // Its answer is lost, so it's put off, and the session ends before it's looked for.
    await stage.pass(500, 100);
    await tell('a', link);
    await stage.pass(10_000);
    expect(stage.asked.filter(isCard)).toHaveLength(1);
    expect(stage.asked.find((asked) => stage.sessionIn(asked) === 'a')).toMatchObject({ replaces: '5.5' });
  });

  it('is looked for again if Slack couldn’t say at first, and isn’t forgotten meanwhile', async () => {
    const stage = await openStage();
    let looks = 0;
    const { tell, announce } = await stage.start({
      answer: (asked) => (isCard(asked) ? lost : took()),
      find: async ({ to }) => {
        looks += 1;
        return looks === 1
          ? { outcome: 'later', reason: 'internal_error' }
          : { found: ['5.5'], channelId: to };
      },
    });
    await announce(link);
    await stage.pass(500, 100);
    // The summary comes first and is put off; then it's the card's turn.
    await tell('a', link);
    await stage.pass(10_000);
    expect(stage.asked.filter(isCard)).toHaveLength(1);
    expect(stage.asked.find((asked) => stage.sessionIn(asked) === 'a')).toMatchObject({ replaces: '5.5' });
  });

  it('is looked for again once Slack accepts the token, and becomes the summary', async () => {
    const stage = await openStage();
    let isRefused = true;
    const { tell, announce } = await stage.start({
      answer: (asked) => (isCard(asked) ? lost : isRefused ? revoked : took()),
      find: async ({ to }) =>
        isRefused ? { outcome: 'never', reason: 'token_revoked' } : { found: ['9.9'], channelId: to },
    });
    await announce(link);
    await stage.pass(500, 100);
    await tell('a', link);
    await stage.pass(5 * MINUTE_MS, 1_000);
    isRefused = false;
    await stage.pass(5 * MINUTE_MS, 1_000);
    expect(stage.asked.find((asked) => !isCard(asked))).toMatchObject({ replaces: '9.9' });
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
  });

  it('that shows up after its summary, which found none, is removed', async () => {
    const stage = await openStage();
    let found: readonly string[] = [];
    const { tell, announce } = await stage.start({
      answer: (asked) => (isCard(asked) ? lost : took()),
      find: async ({ to }) => ({ found, channelId: to }),
    });
    await announce(link);
    await stage.pass(500, 100);
    await tell('a', link);
    await stage.pass(3_000);
    expect(stage.asked.find((asked) => stage.sessionIn(asked) === 'a')?.replaces).toBeUndefined();
    found = ['5.5'];
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(stage.removed).toEqual([`5.5 in ${link.channelId}`]);
  });

  it('is left alone if it can no longer be changed, or if its channel never accepted it', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: ({ replaces, to, ...asked }) =>
        replaces !== undefined
          ? { outcome: 'never', reason: 'message_not_found' }
          : to === 'C0SALES0002' && isCard(asked)
            ? archived
            : took(),
    });
    const refused = { ...link, linkId: 'refused', channelId: 'C0SALES0002' };
    await announce(link);
    await announce(refused);
    await stage.pass(2_000);
    await tell('a', link);
    await tell('b', refused);
    await stage.pass(5_000);
    for (const id of ['a', 'b']) {
      const whole = stage.asked.filter(
        (asked) => stage.sessionIn(asked) === id && asked.replaces === undefined,
      );
      expect(whole).toHaveLength(1);
      expect(whole[0]?.text).toContain('Access: ');
    }
    // A refused card is reported to no one.
    expect(stage.asked.filter(({ to }) => to === link.userId)).toEqual([]);
  });

  it('is changed again without a look if the change got no answer: a change can’t double', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: ({ replaces }, times) => (replaces !== undefined && times === 0 ? lost : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(10_000);
    expect(stage.asked.filter(({ replaces }) => replaces !== undefined)).toHaveLength(2);
    expect(stage.finds).toEqual([]);
  });

  it('that can’t be changed for a while doesn’t hold up the channel', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: ({ replaces }, times) => (replaces !== undefined && times === 0 ? limited(60) : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await tell('b', { linkId: 'none' });
    await stage.pass(10_000);
    expect((await stage.summaryOf('b'))?.state).toBe('posted');
    expect((await stage.summaryOf('a'))?.state).toBe('waiting');
    await stage.pass(MINUTE_MS, 1_000);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
  });

  it('is no longer news half an hour later', async () => {
    const stage = await openStage();
    let isDown = true;
    const { announce } = await stage.start({ answer: () => (isDown ? down : took()) });
    await announce(link);
    await stage.pass(35 * MINUTE_MS, 10_000);
    isDown = false;
    await stage.pass(HOUR_MS, MINUTE_MS);
    expect((await stage.deliveries())[0]).toMatchObject({ state: 'skipped', reason: 'too_late' });
  });
});

describe('the card of a link that came to nothing', () => {
  it('is changed to say so, and still becomes a summary that arrives after all', async () => {
    const stage = await openStage();
    const { tell, announce, conclude } = await stage.start();
    await announce(link);
    await stage.pass(2_000);
    await conclude(link);
    await conclude(link);
    await stage.pass(2_000);
    const [card, concluded] = stage.asked;
    expect(concluded?.replaces).toBe((await stage.deliveries())[0]?.post_ts);
    expect(concluded?.text).toContain('didn’t open the link');
    await tell('a', link);
    await stage.pass(3_000);
    expect(stage.asked[2]).toMatchObject({ replaces: concluded?.replaces });
    expect(stage.asked).toHaveLength(4);
    expect(card?.text).not.toContain('not used');
  });

  it('is left alone once it is a summary, or while another of its links is still looked for', async () => {
    const stage = await openStage();
    const { tell, announce, conclude } = await stage.start();
    await announce(link);
    await announce(other);
    await stage.pass(2_000);
    await conclude(link, 'unused', [other]);
    await stage.pass(2_000);
    expect(stage.asked).toHaveLength(1);
    await tell('a', link);
    await stage.pass(3_000);
    await conclude(other, 'unknown');
    await stage.pass(3_000);
    expect(
      stage.asked.filter(
        ({ text }) => text.includes('didn’t open the link') || text.includes('Nothing more is known'),
      ),
    ).toEqual([]);
  });

  it('doesn’t exist if the channel refused it, or there was no channel', async () => {
    const stage = await openStage();
    const { announce, conclude } = await stage.start({ answer: () => archived });
    const nowhere = { ...link, linkId: 'nowhere', channelId: undefined };
    await announce(link);
    await announce(nowhere);
    await stage.pass(2_000);
    await conclude(link);
    await conclude(nowhere);
    await conclude({ ...link, linkId: 'never announced' });
    await stage.pass(2_000);
    expect(stage.asked).toHaveLength(1);
  });

  it.each([
    ['a refused token', { outcome: 'never', reason: 'token_revoked' } as const],
    ['a failure of Slack', down],
  ])('is finally changed after %s', async (_, failure) => {
    const stage = await openStage();
    let changes = 0;
    const { announce, conclude } = await stage.start({
      answer: ({ replaces }) => (replaces !== undefined && (changes += 1) === 1 ? failure : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await conclude(link);
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(stage.asked.filter(({ replaces }) => replaces !== undefined)).toHaveLength(2);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted']);
  });

  it('is looked for if its answer was lost', async () => {
    const stage = await openStage();
    const { announce, conclude } = await stage.start({
      answer: (asked) => (isCard(asked) && asked.replaces === undefined ? lost : took()),
      find: seen('5.5'),
    });
    await announce(link);
    await stage.pass(500, 100);
    await conclude(link);
    await stage.pass(5_000);
    expect(stage.asked.at(-1)).toMatchObject({ replaces: '5.5' });
  });
});

describe('the card of a session that was seen running', () => {
  it('says so once, and still becomes the summary', async () => {
    const stage = await openStage();
    const { announce, seeRunning, tell } = await stage.start();
    await announce(link);
    await stage.pass(2_000);
    await seeRunning(link);
    await seeRunning(link);
    await stage.pass(3_000);
    const { post_ts: ts } = (await stage.deliveries())[0] ?? {};
    expect(stage.asked.filter(isRunning)).toMatchObject([{ replaces: ts }]);
    await tell('a', link);
    await stage.pass(3_000);
    expect(stage.asked.at(-2)).toMatchObject({ replaces: ts });
    expect(stage.sessionIn(stage.asked.at(-2) ?? { text: '' })).toBe('a');
  });

  it('stays a summary if the look-up came late, and isn’t posted just for that', async () => {
    const stage = await openStage();
    const { announce, seeRunning, tell } = await stage.start();
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(3_000);
    await seeRunning(link);
    await seeRunning({ ...link, linkId: 'never announced' });
    await stage.pass(3_000);
    expect(stage.asked.filter(isRunning)).toEqual([]);
  });
});

describe('the card of a session whose summary failed', () => {
  it('no longer promises it', async () => {
    const stage = await openStage();
    const { announce, tell } = await stage.start({ answer: refusedSummary });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(5_000);
    const [card] = await stage.deliveries();
    expect(stage.asked.filter(isUndelivered)).toMatchObject([{ replaces: card?.post_ts }]);
    expect(stage.asked.at(-1)?.text).not.toContain('becomes the summary');
  });

  it('becomes the summary after all if an admin retries it', async () => {
    const stage = await openStage();
    let isRefused = true;
    const { announce, tell, acts } = await stage.start({
      answer: (asked, times) => (isRefused ? refusedSummary(asked, times) : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(5_000);
    isRefused = false;
    const summary = await stage.summaryOf('a');
    expect(await acts.retry(link.workspaceId, summary?.id ?? '')).toBe('retried');
    await stage.pass(5_000);
    const [card] = await stage.deliveries();
    expect(await stage.summaryOf('a')).toMatchObject({ state: 'posted', post_ts: card?.post_ts });
  });

  it('also says so if an admin discards it', async () => {
    const stage = await openStage();
    const { announce, tell, acts } = await stage.start({
      answer: (asked) => (isCard(asked) ? took() : down),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(2_000);
    const summary = await stage.summaryOf('a');
    expect(await acts.drop(link.workspaceId, summary?.id ?? '', 'U0ADA000005')).toBe('dropped');
    await stage.pass(5_000);
    expect(stage.asked.filter(isUndelivered)).toHaveLength(1);
  });
});

describe('the details of a card that became its summary', () => {
  const end = async (isIn: boolean | undefined, rejects = false) => {
    const stage = await openStage();
    const { announce, tell } = await stage.start({
      isInChannel: async () => {
        if (rejects) throw new Error('Slack is down');
        return isIn;
      },
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await stage.pass(5_000);
    return stage.asked.slice(2).map(({ to, text }) => `${to} ${text.split('\n')[0]}`);
  };
  const called = `${link.channelId} <@${link.userId}>, here are the details of your session:`;

  it.each([
    ['who is there', true, false],
    ['also where Slack doesn’t say who is in the channel', undefined, false],
    ['also where Slack can’t be asked', undefined, true],
  ])('mention the agent who watched, %s', async (_, isIn, rejects) => {
    expect(await end(isIn, rejects)).toEqual([called]);
  });

  it('tell who has left as soon as they’re posted, however long Slack takes for that', async () => {
    const stage = await openStage();
    const { announce, tell } = await stage.start({
      isInChannel: async () => false,
      answer: () => new Promise((resolve) => setTimeout(() => resolve(took()), 700)),
    });
    await announce(link);
    await stage.pass(3_000, 100);
    await tell('a', link);
    await stage.pass(5_000, 100);
    expect(stage.asked.at(-1)?.to).toBe(link.userId);
  });

  it('mention nobody who has left: they get the summary as a direct message', async () => {
    const [details, notice, ...others] = await end(false);
    expect(details).toMatch(new RegExp(`^${link.channelId} Started: `));
    expect(notice).toBe(
      `${link.userId} Your session ended. Its summary is in <#${link.channelId}>, which you’ve left.`,
    );
    expect(others).toEqual([]);
  });
});
