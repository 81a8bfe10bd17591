import { describe, expect, it } from 'vitest';
import { createPostInTurn } from '../../../src/outbox/transport.ts';
import { message, lines } from '../../../src/messages/message.ts';
import { START, openStage, took } from '../../outbox/stage.ts';
import { alexInSupport } from '../../sessions/ended-session.ts';
import { engines } from '../../support/engines.ts';

const { workspaceId, channelId = '', userId } = alexInSupport;
const PACE_MS = 1_000;
const note = message(lines(['A note']));

describe.each(engines)('what is posted outside the outbox, in $engine', ({ newUrl }) => {
  async function open() {
    const stage = await openStage({ url: await newUrl(), isShared: true });
    const times: number[] = [];
    const startOne = async (name: string) => {
      const process = await stage.start({ name });
      const post = createPostInTurn({
        database: process.database,
        post: async () => {
          times.push(Date.now());
          return took();
        },
        paceMs: PACE_MS,
        now: () => Date.now(),
      });
      return { ...process, post: (to: string, more = {}) => post({ workspaceId, to, ...more }, note, 'id') };
    };
    return { stage, times, one: await startOne('one'), other: await startOne('other') };
  }

  it('is a second from whatever is posted in the channel, by whichever process', async () => {
    const { stage, times, one, other } = await open();
    await one.tell('a');
    const posts = [one.post(channelId), other.post(channelId, { threadTs: '1.1' })];
    await stage.pass(1_500);
    await other.tell('b');
    posts.push(one.post(channelId));
    await stage.pass(6_000);
    await Promise.all(posts);
    const all = [...times.map((time) => time - START), ...stage.asked.map(({ at }) => at)];
    const sorted = all.toSorted((earlier, later) => earlier - later);
    expect(sorted).toHaveLength(5);
    const gaps = sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(PACE_MS);
  });

  it('waits in no direct message, for no change, and nowhere for longer than somebody would', async () => {
    const { stage, times, one } = await open();
    const start = Date.now();
    await Promise.all([one.post(userId), one.post(userId), one.post(channelId, { replaces: '1.1' })]);
    await one.post(channelId);
    expect(times.map((time) => time - start)).toEqual([0, 0, 0, 0]);
    const late = [
      one.post(channelId),
      one.post(channelId),
      ...Array.from({ length: 8 }, () => one.post(channelId)),
    ];
    await stage.pass(20_000);
    await Promise.all(late);
    expect(Math.max(...times) - start).toBeLessThanOrEqual(6_000);
  });
});
