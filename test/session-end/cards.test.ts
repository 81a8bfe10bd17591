import { describe, expect, it, onTestFinished } from 'vitest';
import { createCards } from '../../src/session-end/cards.ts';
import type { Destination, PostOutcome } from '../../src/session-end/post.ts';
import { openStorage } from '../../src/storage/open.ts';
import { notice } from '../../src/views/message.ts';
import { alexInSupport } from './ended-session.ts';

const grant = alexInSupport;
const second = { ...alexInSupport, grantId: 'grant-2' };
const unused = async () => notice(['The link was not used.']);

interface Posted extends Destination {
  readonly text: string;
}

/** Cards over a store in memory; `posts` are what Slack was asked for. */
async function openCards(answer: (post: Posted) => PostOutcome | Promise<PostOutcome> = () => took) {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const posts: Posted[] = [];
  const cards = createCards(storage.store('cards'), async (to, make) => {
    const { text } = await make(to.to);
    const post = { ...to, text };
    posts.push(post);
    return answer(post);
  });
  return { cards, posts };
}

const took: PostOutcome = { outcome: 'posted', ts: '1700000000.000100' };

describe('the card of a link that came to nothing', () => {
  it('is changed to say so', async () => {
    const { cards, posts } = await openCards();
    await cards.announce(grant, async () => notice(['A link was given.']));
    expect(await cards.conclude(grant, [], unused)).toBe(true);
    expect(posts.map(({ to, replaces, text }) => ({ to, replaces, text }))).toEqual([
      { to: 'C0SUPPORT01', replaces: undefined, text: 'A link was given.' },
      { to: 'C0SUPPORT01', replaces: '1700000000.000100', text: 'The link was not used.' },
    ]);
  });

  it('still becomes the summary that comes after all', async () => {
    const { cards } = await openCards();
    await cards.announce(grant, unused);
    await cards.conclude(grant, [], unused);
    expect(await cards.take(grant, 'T1:s1')).toEqual({ ts: '1700000000.000100' });
  });

  it('is left alone once it is a summary', async () => {
    const { cards, posts } = await openCards();
    await cards.announce(grant, unused);
    await cards.take(grant, 'T1:s1');
    expect(await cards.conclude(grant, [], unused)).toBe(true);
    expect(posts).toHaveLength(1);
  });

  it('is left alone while it is also the card of a link that is still looked for', async () => {
    const { cards, posts } = await openCards();
    await cards.announce(grant, unused);
    await cards.announce(second, unused);
    expect(posts).toHaveLength(1);
    expect(await cards.conclude(grant, [second], unused)).toBe(true);
    expect(posts).toHaveLength(1);
    expect(await cards.conclude(second, [], unused)).toBe(true);
    expect(posts).toHaveLength(2);
  });

  it('is not there where the channel took none, or there was no channel', async () => {
    const { cards, posts } = await openCards(() => ({ outcome: 'never', reason: 'not_in_channel' }));
    await cards.announce(grant, unused);
    expect(await cards.conclude(grant, [], unused)).toBe(true);
    const { channelId: _, ...nowhere } = grant;
    expect(await cards.conclude(nowhere, [], unused)).toBe(true);
    expect(posts).toHaveLength(1);
  });

  it.each([
    [{ outcome: 'later', reason: 'ratelimited', afterMs: 30_000 }, false],
    [{ outcome: 'never', reason: 'token_revoked' }, false],
    [{ outcome: 'never', reason: 'message_not_found' }, true],
  ] as const)('is, where Slack answers %j, done with: %s', async (outcome, done) => {
    const { cards } = await openCards(({ replaces }) => (replaces === undefined ? took : outcome));
    await cards.announce(grant, unused);
    expect(await cards.conclude(grant, [], unused)).toBe(done);
    expect(await cards.take(grant, 'T1:s1')).toEqual({ ts: '1700000000.000100' });
  });

  it('has a summary wait while it is being changed, so that this does not overwrite it', async () => {
    const { promise, resolve } = Promise.withResolvers<PostOutcome>();
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const { cards, posts } = await openCards(({ replaces }) => {
      if (replaces === undefined) return took;
      isAsked();
      return promise;
    });
    await cards.announce(grant, unused);
    const concluding = cards.conclude(grant, [], unused);
    await asked;
    expect(await cards.take(grant, 'T1:s1')).toBe('soon');
    expect(await cards.conclude(grant, [], unused)).toBe(false);
    resolve(took);
    expect(await concluding).toBe(true);
    expect(await cards.take(grant, 'T1:s1')).toEqual({ ts: '1700000000.000100' });
    expect(posts).toHaveLength(2);
  });
});
