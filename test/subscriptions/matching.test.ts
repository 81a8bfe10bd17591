import { describe, expect, it } from 'vitest';
import type { Filters, Subscription } from '../../src/subscriptions/subscription.ts';
import { createMatching } from '../../src/subscriptions/matching.ts';

const session = { workspaceId: 'T1', visitorId: 'v1', userId: 'U1', seconds: 60, endedAt: 0 };

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

function matchingOf(repository: readonly Subscription[], tags: readonly string[] = []) {
  const matching = createMatching({
    repository: { known: async () => repository },
    tagsOf: async () => tags,
    isInGroup: async (_workspaceId, _userId, groupId) => groupId === 'S-IN',
  });
  const beside = async (place: string) => (await matching.candidates(session, place)).map(({ id }) => id);
  return { matching, beside };
}

describe('a place that has a summary anyway', () => {
  it('is the channel, or the direct messages of whoever set one up there', async () => {
    const { beside } = matchingOf([
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

const filtered = (filters: Partial<Filters>) =>
  subscription('1', { filters: { agents: [], groups: [], tags: [], ...filters } });

describe('a filter', () => {
  it.each([
    [{}, [{ isCertain: true }]],
    [{ agents: ['U1'] }, [{ isCertain: true }]],
    [{ agents: ['U2'] }, []],
    [{ minSeconds: 60 }, [{ isCertain: true }]],
    [{ minSeconds: 61 }, []],
    [{ groups: [{ id: 'S-IN' }] }, [{ isCertain: false }]],
    [{ agents: ['U1'], groups: [{ id: 'S-IN' }] }, [{ isCertain: true }]],
    [{ tags: ['vip'] }, [{ isCertain: false }]],
    [{ agents: ['U2'], tags: ['vip'] }, []],
  ])('of %j is decided where nobody has to be asked', async (filters, expected) => {
    const { matching } = matchingOf([filtered(filters)]);
    expect(await matching.candidates(session, 'C9')).toMatchObject(expected);
    expect(await matching.candidates(session, 'C9')).toHaveLength(expected.length);
  });

  it.each([
    [{ tags: ['VIP'] }, true],
    [{ tags: ['other'] }, false],
    [{ groups: [{ id: 'S-IN' }] }, true],
    [{ groups: [{ id: 'S-OUT' }] }, false],
    [{ groups: [{ id: 'S-OUT' }], agents: ['U1'] }, true],
    [{ minSeconds: 61 }, false],
  ])('of %j is asked: %s', async (filters, passes) => {
    const { matching } = matchingOf([], [' vip ']);
    expect(await matching.passes(filtered(filters).filters, session)).toBe(passes);
  });

  it('lets a session pass whose length nobody knows', async () => {
    const { matching } = matchingOf([filtered({ minSeconds: 600 })]);
    expect(await matching.candidates({ ...session, seconds: undefined }, 'C9')).toHaveLength(1);
  });
});
