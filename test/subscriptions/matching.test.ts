import { expect, describe, it, onTestFinished } from 'vitest';
import type { Subscription } from '../../src/grants/subscription.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createMatching } from '../../src/subscriptions/matching.ts';
import type { Outcome } from '../../src/subscriptions/matching.ts';

const session = { workspaceId: 'T1', sessionId: 's1', visitorId: 'v1', userId: 'U1', seconds: 60 };

const subscription = (id: string, fields: Partial<Subscription> = {}): Subscription => ({
  id,
  workspaceId: 'T1',
  channelId: 'C1',
  filters: { agents: [], groups: [], tags: [] },
  form: 'full',
  setUpBy: 'U1',
  setUpAt: 0,
  ...fields,
});

/** @param outcomes how the deliveries fared, by the number of their subscription; waiting where not given */
async function openMatching(
  outcomes: Readonly<Record<string, Outcome>>,
  repository: readonly Subscription[] = [],
) {
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const fared = { ...outcomes };
  const matching = createMatching({
    repository: { of: async () => repository },
    told: storage.store('told'),
    outcomeOf: async (id) => fared[id.slice('s1:sub:'.length)] ?? 'waiting',
    tagsOf: async () => [],
    isInGroup: async () => false,
  });
  const judge = (id: string) => matching.judge(subscription(id), session, (other) => `s1:sub:${other}`);
  const beside = async (place: string) => (await matching.candidates('T1', 0, place)).map(({ id }) => id);
  return { fared, judge, beside };
}

describe('of several subscriptions of a channel', () => {
  it('the first tells it, however often it is asked, and the others wait until it has', async () => {
    const { fared, judge } = await openMatching({});
    expect([await judge('1'), await judge('2'), await judge('1'), await judge('3')]).toEqual([
      'go',
      'soon',
      'go',
      'soon',
    ]);
    fared['1'] = 'posted';
    expect(await judge('2')).toBe('already_in_channel');
  });

  it('the next tells it where the first came to nothing, and only that one', async () => {
    const { fared, judge } = await openMatching({});
    await judge('1');
    fared['1'] = 'over';
    expect([await judge('2'), await judge('3')]).toEqual(['go', 'soon']);
    fared['2'] = 'posted';
    // Sent once more by an admin, it finds that the channel has it.
    expect([await judge('3'), await judge('1')]).toEqual(['already_in_channel', 'already_in_channel']);
  });

  it('none tells it where an admin took it off', async () => {
    const { judge } = await openMatching({ 1: 'dropped' });
    await judge('1');
    expect(await judge('2')).toBe('dropped_there');
  });
});

describe('a place that has a summary anyway', () => {
  it('is the channel, or the direct messages of whoever set one up there', async () => {
    const { beside } = await openMatching({}, [
      subscription('1'),
      subscription('2', { channelId: 'D1', setUpBy: 'U1' }),
      subscription('3', { channelId: 'D2', setUpBy: 'U2' }),
      subscription('4', { channelId: 'C2', setUpBy: 'U1' }),
    ]);
    expect(await beside('C1')).toEqual(['2', '3', '4']);
    expect(await beside('U1')).toEqual(['1', '3', '4']);
    expect(await beside('D2')).toEqual(['1', '2', '4']);
  });
});
