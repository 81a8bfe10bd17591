import { describe, expect, it } from 'vitest';
import { ALEX, SAM, SUPPORT } from '../support/person.ts';
import { RANDOM, openStage } from './stage.ts';

describe('summaries by subscription', () => {
  it('posts a session once into its own channel, subscribed or not, and into each that wants it', async () => {
    const { alex, watchAndEnd, settled, summaries } = await openStage();
    await alex.type('/cobrowse subscribe #random');
    await settled(await watchAndEnd(), '1');
    const [post, ...others] = summaries(RANDOM);
    expect(post?.text).toMatch(/^Jane Cooper with .*\nCo-browsing session ended · Full control/);
    expect(others).toEqual([]);
    await expect.poll(() => summaries(SUPPORT)).toHaveLength(1);
    await alex.type('/cobrowse subscribe #support');
    for (const times of [2, 3]) {
      await settled(await watchAndEnd(), '1');
      await expect.poll(() => summaries(SUPPORT)).toHaveLength(times);
    }
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
