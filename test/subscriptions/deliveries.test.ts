import { describe, expect, it } from 'vitest';
import { ALEX, SAM, SUPPORT } from '../support/person.ts';
import { RANDOM, openStage } from './stage.ts';

describe('summaries by subscription', () => {
  it('posts a session into its own channel and into each channel that wants it', async () => {
    const { alex, watchAndEnd, settled, summaries } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    await settled(await watchAndEnd(), '1');
    const [post, ...others] = summaries(RANDOM);
    expect(post?.text).toMatch(/^Jane Cooper with .*\nCo-browsing session ended · Full control/);
    expect(others).toEqual([]);
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(1);
  });

  it('posts no second time into the channel that has the summary anyway', async () => {
    const { alex, watchAndEnd, settled, summaries } = await openStage();
    await alex.type('/cobrowse subscribe #support');
    await alex.type('/cobrowse subscribe #random');
    await settled(await watchAndEnd(), '2');
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(1);
    await settled(await watchAndEnd(), '2');
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(2);
  });

  it('posts by the next subscription of a channel where the first ends before it could', async () => {
    const { alex, watchAndEnd, settled, summaries, posts, sandbox, saidOf } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    await alex.type('/cobrowse subscribe #random short');
    const id = await watchAndEnd({
      async meanwhile() {
        // The card of the link: what is posted next is the summary.
        await expect.poll(() => posts(SUPPORT)).toHaveLength(1);
        sandbox.slack.fail('chat.postMessage', 'service_unavailable', Infinity);
      },
    });
    const isPutOff = () => saidOf(id, '1').some(({ outcome }) => outcome === 'later');
    await expect.poll(isPutOff).toBe(true);
    await alex.type('/cobrowse unsubscribe 1');
    // Only now, so that no further try can come before the end of the first.
    sandbox.slack.fail('chat.postMessage', '', 0);
    expect(await settled(id, '2')).toBe('posted');
    expect(summaries(RANDOM)).toHaveLength(1);
    expect(summaries(RANDOM)[0]?.text).not.toContain('Access: ');
  });

  it.each([
    ['by @support-leads or @alex tag:VIP', { as: SAM }, true],
    ['by @support-leads', { as: ALEX }, false],
  ] as const)('lets %s pass what it names: %j %s', async (filters, watching, passes) => {
    const { alex, watchAndEnd, settled, summaries } = await openStage();
    await alex.type(`/cobrowse subscribe #random ${filters}`);
    const ending = await settled(await watchAndEnd(watching), '1');
    expect(ending).toBe(passes ? 'posted' : 'filtered_out');
    expect(summaries(RANDOM)).toHaveLength(passes ? 1 : 0);
  });

  it('waits where the tags cannot be looked up, and posts then', async () => {
    const { alex, watchAndEnd, saidOf, summaries, sandbox } = await openStage();
    await alex.type('/cobrowse subscribe #random tag:vip');
    sandbox.service.misbehave({ webhooks: { delayMs: 150 } });
    const id = await watchAndEnd();
    sandbox.service.misbehave({ fail: { with: 500 } });
    await expect.poll(() => saidOf(id, '1').some(({ reason }) => reason === 'filter_unknown')).toBe(true);
    sandbox.service.misbehave({});
    await expect.poll(() => summaries(RANDOM)).toHaveLength(1);
  });
});
