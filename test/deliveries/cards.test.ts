import { describe, expect, it } from 'vitest';
import type { FindPosts } from '../../src/deliveries/post.ts';
import { alexInSupport } from './ended-session.ts';
import { HOUR_MS, MINUTE_MS, archived, down, limited, lost, openStage, took } from './stage.ts';

const link = { ...alexInSupport, grantId: 'link-1' };
const other = { ...link, grantId: 'link-2' };
const seen =
  (...found: readonly string[]): FindPosts =>
  async ({ to }) => ({ found, channelId: to });
const isCard = ({ text }: { readonly text: string }) => text.includes('was given a link');

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
    expect(card?.text).toContain('The summary takes this message’s place');
    expect(summary).toMatchObject({ replaces: ts });
    expect(summary?.text).not.toContain('Granted');
    expect(details).toMatchObject({ threadTs: ts });
    expect(stage.asked).toHaveLength(3);
  });

  it('becomes its summary whole where it is in a thread itself', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start();
    const inThread = { ...link, threadTs: '17.1' };
    await announce(inThread);
    await stage.pass(2_000);
    await tell('a', inThread);
    await stage.pass(3_000);
    expect(stage.asked).toHaveLength(2);
    expect(stage.asked[1]?.text).toContain('Granted');
    expect(stage.asked[1]?.threadTs).toBeUndefined();
  });

  it('is shared by presses soon after each other, and not by later ones, other places or other people', async () => {
    const stage = await openStage();
    const { announce } = await stage.start();
    await Promise.all([announce(link), announce(other)]);
    await announce({ ...link, grantId: 'elsewhere', channelId: 'C0SALES0002' });
    await announce({ ...link, grantId: 'by-sam', userId: 'U0SAM000002' });
    await announce({ ...link, grantId: 'nowhere', channelId: undefined });
    await stage.pass(5_000);
    expect(stage.asked.filter(isCard)).toHaveLength(3);
    await stage.pass(10 * MINUTE_MS, MINUTE_MS);
    await announce({ ...link, grantId: 'later' });
    await stage.pass(2_000);
    expect(stage.asked.filter(isCard)).toHaveLength(4);
  });

  it('is the summary of the first of those who share it, and the next is posted anew', async () => {
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
    expect(whole?.text).toContain('Granted');
    // Who presses now gets a card of their own.
    await announce({ ...link, grantId: 'link-3' });
    await stage.pass(2_000);
    expect(stage.asked.filter(isCard)).toHaveLength(2);
  });

  it('is not posted any more where its summary comes before it', async () => {
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

  it('is tried again where Slack asks for patience, however soon the presses come', async () => {
    const stage = await openStage();
    const { announce } = await stage.start({
      answer: (_asked, times) => (times === 0 ? limited(2) : took()),
    });
    await announce(link);
    await announce({ ...link, grantId: 'x', visitorId: 'priya55' });
    await stage.pass(20_000);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted']);
  });

  it('is looked for where its answer was lost, and becomes the summary where it is found', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: (asked) => (isCard(asked) ? lost : took()),
      find: seen('5.5'),
    });
    await announce(link);
    // Its answer is lost: it is put off, and the session ends before it is looked for.
    await stage.pass(500, 100);
    await tell('a', link);
    await stage.pass(10_000);
    expect(stage.asked.filter(isCard)).toHaveLength(1);
    expect(stage.asked.find((asked) => stage.sessionIn(asked) === 'a')).toMatchObject({ replaces: '5.5' });
  });

  it('that shows after its summary, which found none, is removed', async () => {
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

  it('is left where it cannot be changed any more, and where its channel never took it', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: ({ replaces, to, ...asked }) =>
        replaces !== undefined
          ? { outcome: 'never', reason: 'message_not_found' }
          : to === 'C0SALES0002' && isCard(asked)
            ? archived
            : took(),
    });
    const refused = { ...link, grantId: 'refused', channelId: 'C0SALES0002' };
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
      expect(whole[0]?.text).toContain('Granted');
    }
    // Nobody is told that a card was refused.
    expect(stage.asked.filter(({ to }) => to === link.userId)).toEqual([]);
  });

  it('is changed again without a look where the change got no answer: a change cannot double', async () => {
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

  it('that may not be changed for a while holds no post of the channel', async () => {
    const stage = await openStage();
    const { tell, announce } = await stage.start({
      answer: ({ replaces }, times) => (replaces !== undefined && times === 0 ? limited(60) : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await tell('a', link);
    await tell('b', { grantId: 'none' });
    await stage.pass(10_000);
    expect((await stage.summaryOf('b'))?.state).toBe('posted');
    expect((await stage.summaryOf('a'))?.state).toBe('waiting');
    await stage.pass(MINUTE_MS, 1_000);
    expect((await stage.summaryOf('a'))?.state).toBe('posted');
  });

  it('is news to nobody half an hour later', async () => {
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
  it('is changed to say so, and still becomes the summary that comes after all', async () => {
    const stage = await openStage();
    const { tell, announce, conclude } = await stage.start();
    await announce(link);
    await stage.pass(2_000);
    await conclude(link);
    await conclude(link);
    await stage.pass(2_000);
    const [card, concluded] = stage.asked;
    expect(concluded?.replaces).toBe((await stage.deliveries())[0]?.post_ts);
    expect(concluded?.text).toContain('The link was not used');
    await tell('a', link);
    await stage.pass(3_000);
    expect(stage.asked[2]).toMatchObject({ replaces: concluded?.replaces });
    expect(stage.asked).toHaveLength(4);
    expect(card?.text).not.toContain('not used');
  });

  it('is left alone once it is a summary, or while it is also that of a link that is still looked for', async () => {
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
      stage.asked.filter(({ text }) => text.includes('The link was not used') || text.includes('unknown')),
    ).toEqual([]);
  });

  it('is not there where the channel took none, or there was no channel', async () => {
    const stage = await openStage();
    const { announce, conclude } = await stage.start({ answer: () => archived });
    const nowhere = { ...link, grantId: 'nowhere', channelId: undefined };
    await announce(link);
    await announce(nowhere);
    await stage.pass(2_000);
    await conclude(link);
    await conclude(nowhere);
    await conclude({ ...link, grantId: 'never announced' });
    await stage.pass(2_000);
    expect(stage.asked).toHaveLength(1);
  });

  it.each([
    ['a refused token', { outcome: 'never', reason: 'token_revoked' } as const],
    ['a failure of Slack', down],
  ])('is changed at last after %s', async (_, failure) => {
    const stage = await openStage();
    const { announce, conclude } = await stage.start({
      answer: ({ replaces }, times) => (replaces !== undefined && times === 0 ? failure : took()),
    });
    await announce(link);
    await stage.pass(2_000);
    await conclude(link);
    await stage.pass(2 * MINUTE_MS, 1_000);
    expect(stage.asked.filter(({ replaces }) => replaces !== undefined)).toHaveLength(2);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual(['posted', 'posted']);
  });

  it('is looked for where its own answer was lost', async () => {
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
