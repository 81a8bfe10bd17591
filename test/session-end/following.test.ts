import { describe, expect, it } from 'vitest';
import { createFollowingBring, createFollowingPost } from '../../src/session-end/following.ts';
import { notice } from '../../src/views/message.ts';
import type { PostOutcome } from '../../src/session-end/post.ts';
import { deliveryOf } from './ended-session.ts';

const delivery = deliveryOf('s', { to: 'COLD' });
const options = { card: undefined, begunAt: undefined };
const posted: PostOutcome = { outcome: 'posted', ts: '1' };
const unknown: PostOutcome = { outcome: 'never', reason: 'channel_not_found' };

/** Brings once, in a workspace where channels are called so, one name at each question. */
async function bringThrough(names: readonly (string | Error)[], outcomes: readonly PostOutcome[]) {
  const left = { names: [...names], outcomes: [...outcomes] };
  const asked: string[] = [];
  const bring = createFollowingBring(
    async (_id, { to }) => {
      asked.push(to);
      return { result: left.outcomes.shift() ?? posted, inShort: false };
    },
    async () => {
      const name = left.names.shift() ?? '';
      if (typeof name !== 'string') throw name;
      return name;
    },
  );
  const { result } = await bring('id', delivery, options);
  return { asked, result };
}

describe('a delivery to a channel whose id changes', () => {
  it('is made for the id that the channel has now', async () => {
    expect(await bringThrough(['CNEW'], [])).toEqual({ asked: ['CNEW'], result: posted });
  });

  it('is made anew where the id changed on the way', async () => {
    expect(await bringThrough(['COLD', 'CNEW'], [unknown])).toEqual({
      asked: ['COLD', 'CNEW'],
      result: posted,
    });
  });

  it('ends where Slack knows the channel by no id', async () => {
    expect(await bringThrough(['COLD', 'COLD'], [unknown])).toEqual({ asked: ['COLD'], result: unknown });
  });

  it('goes to the id it had while the store does not answer', async () => {
    const gone = new Error('the store is gone');
    expect(await bringThrough([gone], [])).toEqual({ asked: ['COLD'], result: posted });
  });
});

const make = async (channelId: string) => notice([`For ${channelId}`]);

describe('a card for a channel whose id changes', () => {
  it('is made anew for the id that it is posted under', async () => {
    const names = ['COLD', 'CNEW'];
    const posts: string[] = [];
    const post = createFollowingPost(
      async ({ to }, { text }) => {
        posts.push(`${text} in ${to}`);
        return to === 'CNEW' ? posted : unknown;
      },
      async () => names.shift() ?? 'CNEW',
    );
    expect(await post({ workspaceId: 'T1', to: 'COLD' }, make, 'g')).toEqual(posted);
    expect(posts).toEqual(['For COLD in COLD', 'For CNEW in CNEW']);
  });
});
