import { describe, expect, it } from 'vitest';
import type { Filters, Subscription } from '../../src/subscriptions/subscription.ts';
import { createMatches, createSubscribers } from '../../src/subscriptions/subscribers.ts';
import { ALL_SESSIONS, newSubscription } from './new-subscription.ts';

const session = { workspaceId: 'T1', visitorId: 'v1', userId: 'U1', seconds: 60 };

const subscription = (id: string, fields: Partial<Subscription> = {}): Subscription => ({
  ...newSubscription(),
  id,
  nextAt: 0,
  paused: undefined,
  digests: 0,
  version: 1,
  ...fields,
});

const done = async () => undefined;

function subscribersOf(known: readonly Subscription[], tags: readonly string[] = []) {
  const subscribers = createSubscribers(
    { mayAct: async () => ({ allowed: true }) },
    { of: async () => known, one: async () => known[0] },
    createMatches(
      async (_workspaceId, _userId, groupId) => groupId === 'S-IN',
      async () => tags,
    ),
    { worked: done, failed: done },
  );
  const beside = async (place: string) => (await subscribers.candidates(session, place)).map(({ id }) => id);
  return { subscribers, beside };
}

it('a place that has a summary anyway is the channel, or the direct messages of whoever set one up there', async () => {
  const { beside } = subscribersOf([
    subscription('1'),
    subscription('2', { channelId: 'D1', setUpBy: 'U1' }),
    subscription('3', { channelId: 'D2', setUpBy: 'U2' }),
    subscription('4', { channelId: 'C2', setUpBy: 'U1' }),
  ]);
  expect(await beside('C1')).toEqual(['2', '3', '4']);
  expect(await beside('U1')).toEqual(['1', '3', '4']);
  expect(await beside('D2')).toEqual(['1', '2', '4']);
});

const filtered = (filters: Partial<Filters>) =>
  subscription('1', { filters: { ...ALL_SESSIONS, ...filters } });

describe('a filter', () => {
  it.each([
    [{}, true, true],
    [{ agents: ['U1'] }, true, true],
    [{ agents: ['U2'] }, false, false],
    [{ minSeconds: 60 }, true, true],
    [{ minSeconds: 61 }, false, false],
    [{ groups: [{ id: 'S-IN' }] }, true, true],
    [{ groups: [{ id: 'S-OUT' }] }, true, false],
    [{ groups: [{ id: 'S-OUT' }, { id: 'S-IN' }] }, true, true],
    [{ groups: [{ id: 'S-OUT' }], agents: ['U1'] }, true, true],
    [{ tags: ['VIP'] }, true, true],
    [{ tags: ['other'] }, true, false],
    [{ agents: ['U2'], tags: ['vip'] }, false, false],
  ])(
    'of %j makes it a candidate where nobody has to be asked: %s, and passes: %s',
    async (filters, may, passes) => {
      const { subscribers } = subscribersOf([filtered(filters)], [' Vip ']);
      expect(await subscribers.candidates(session, 'C9')).toHaveLength(may ? 1 : 0);
      const form = await subscribers.formNow(session.workspaceId, '1', session);
      expect('form' in form).toBe(passes);
      expect('skip' in form && form.skip).toBe(!passes && 'filtered_out');
    },
  );

  it('lets nothing pass once its subscription was removed', async () => {
    const { subscribers } = subscribersOf([]);
    expect(await subscribers.formNow('T1', '1', session)).toEqual({ skip: 'subscription_removed' });
  });

  it('lets a session pass whose length nobody knows', async () => {
    const { subscribers } = subscribersOf([filtered({ minSeconds: 600 })]);
    expect(await subscribers.candidates({ ...session, seconds: undefined }, 'C9')).toHaveLength(1);
  });
});
