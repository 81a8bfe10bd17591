import { describe, expect, it } from 'vitest';
import { alexInSupport } from './ended-session.ts';
import { MINUTE_MS, down, limited, openStage, took } from './stage.ts';

describe('summaries on their way', () => {
  it('are posted in the order of their acceptance, a second apart in each channel', async () => {
    const stage = await openStage();
    const { tell } = await stage.start();
    for (const id of ['a', 'b', 'c']) expect(await tell(id)).toBe('accepted');
    await tell('d', { channelId: 'C0SALES0002' });
    await stage.pass(5_000);
    expect(stage.order().toSorted()).toEqual(['a at 0', 'b at 1000', 'c at 2000', 'd at 0']);
    expect((await stage.deliveries()).map(({ state }) => state)).toEqual([
      'posted',
      'posted',
      'posted',
      'posted',
    ]);
  });

  it('wait as long as Slack says, with all of their channel and no other', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      answer: ({ to }, times) => (to === alexInSupport.channelId && times === 0 ? limited(30) : took()),
    });
    await tell('a');
    await tell('b');
    await tell('elsewhere', { channelId: 'C0SALES0002' });
    await stage.pass(29_000);
    expect(stage.order()).toEqual(['a at 0', 'elsewhere at 0']);
    await stage.pass(MINUTE_MS);
    expect(stage.order().slice(2, 4)).toEqual(['a at 30000', 'b at 31000']);
  });

  it('fall behind where they fail, and are tried again after waits that double', async () => {
    const stage = await openStage();
    const { tell } = await stage.start({
      answer: (asked) => (stage.sessionIn(asked) === 'a' ? down : took()),
    });
    await tell('a');
    await tell('b');
    await stage.pass(10_000);
    expect(stage.order().slice(0, 4)).toEqual(['a at 0', 'b at 1000', 'a at 2000', 'a at 4000']);
  });
});
