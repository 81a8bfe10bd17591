import { describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { createPartnersOf } from '../../src/watch/partners.ts';
import { ALEX, KIM, SAM } from '../support/person.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const HOUR_MS = 60 * 60_000;
const SLOW = new Error('too slow');

const NAMES = new Map([
  [ALEX, 'Alex Rivera'],
  [SAM, 'Sam Lee'],
  [KIM, 'Kim Novak'],
]);
const caller = { workspaceId: 'T1', userId: 'U0ASKER' };
const visitor = (short_id: string, is_in_session?: boolean, more: object = {}) =>
  VisitorSchema.parse({ short_id, is_in_session, ...more });
const waits = (short_id: string) => visitor(short_id, undefined, { is_waiting_for_call: true });
const flags = (session_authorized?: boolean, went_live?: boolean) => ({ session_authorized, went_live });
const of = (whose: string, more: object) => ({ metadata: { slack_link: `link of ${whose}` }, ...more });
const ENDED = { ...flags(true), ended_at: '2026-03-01' };
const BOTH = 'Alex Rivera and Sam Lee';
const givenTo = (visitorId: string, ...users: readonly string[]) =>
  users.map((userId) => ({ userId, visitorId, linkId: `link of ${userId}`, agentId: 'agent', at: NOON }));

/** Who is in the sessions, where these links are in use; and what was asked of the database. */
async function partnersWith(
  links: ReturnType<typeof givenTo> | Error,
  ...visitors: Parameters<ReturnType<typeof createPartnersOf>>[1]
) {
  const asked: unknown[] = [];
  const looked: string[] = [];
  const reported: unknown[] = [];
  const partnersOf = createPartnersOf(
    {
      now: () => NOON,
    },
    {
      links: {
        async inUse(...given) {
          asked.push(given);
          if (links instanceof Error) throw links;
          return links;
        },
      },
      onIt: {
        holders: async (_workspaceId, ids) =>
          new Map(ids.map((id) => [id, id === 'mine' ? caller.userId : SAM])),
      },
      agents: { nameOf: async (_workspace, userId) => NAMES.get(userId) ?? 'nobody' },
      reportPartners: (error) => reported.push(error),
    },
  );
  const cobrowse = {
    async visitor(id: string) {
      looked.push(id);
      if (id === 'slow') throw SLOW;
      return visitor(id);
    },
  };
  const asker = { ...caller, workspace: { id: caller.workspaceId, accountId: 'account', cobrowse } };
  return { partners: Object.fromEntries(await partnersOf(asker, visitors)), asked, looked, reported };
}

describe('who is in a visitor’s session', () => {
  it('is whoever was given a link in the last eight hours, asked for those in a session alone', async () => {
    const others = [visitor('b', false), visitor('c')];
    const { partners, asked } = await partnersWith(givenTo('a', ALEX), visitor('a', true), ...others);
    expect(partners).toEqual({ a: { names: 'Alex Rivera', isAsking: false } });
    expect(asked).toEqual([['T1', ['a'], NOON - 8 * HOUR_MS]]);
  });

  it('is whoever is on it where a visitor waits', async () => {
    const { partners, asked } = await partnersWith([], waits('a'), waits('mine'), visitor('b'));
    expect(partners).toEqual({
      a: { names: 'Sam Lee', isAsking: false },
      mine: { names: 'you', isAsking: false },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    [[SAM, SAM], 'Sam Lee'],
    [[caller.userId], 'you'],
    [[caller.userId, SAM], 'you and Sam Lee'],
    [[ALEX, SAM, KIM, ALEX], 'Alex Rivera, Sam Lee and others'],
  ])('is each person once: %j', async (users, words) => {
    const { partners } = await partnersWith(givenTo('a', ...users), visitor('a', true));
    expect(partners).toEqual({ a: { names: words, isAsking: false } });
  });

  it.each<[string, readonly object[], string | undefined, boolean]>([
    ['who was accepted', [flags(true)], BOTH, false],
    ['who is live', [flags(false, true)], BOTH, false],
    ['who only asked', [flags(false, false)], BOTH, true],
    ['who may have been accepted', [flags()], BOTH, false],
    ['whose own session was', [of(SAM, flags(true)), of(ALEX, flags(false))], 'Sam Lee', false],
    ['whose own session runs', [of(ALEX, flags(false))], 'Alex Rivera', true],
    ['nobody, in a session of another’s', [of('another', flags(true))], undefined, false],
    ['nobody whose session ended', [of(SAM, ENDED), of(ALEX, flags(true))], 'Alex Rivera', false],
  ])('is %s, where the sessions are known', async (_what, sessions, names, isAsking) => {
    // As a service shows somebody alone: with the sessions.
    const all = sessions.map((session, index) => ({ id: `session ${index}`, ...session }));
    const alone = visitor('a', true, { sessions: all });
    const { partners, looked } = await partnersWith(givenTo('a', ALEX, SAM), alone);
    expect(partners).toEqual(names === undefined ? {} : { a: { names, isAsking } });
    expect(looked).toEqual([]);
  });

  it('is left out, and reported, where that can’t be learned: a list is worth showing without', async () => {
    const inSession = [visitor('slow', true), visitor('a', true)];
    const slow = await partnersWith([...givenTo('slow', SAM), ...givenTo('a', ALEX)], ...inSession);
    expect(slow.partners).toEqual({ a: { names: 'Alex Rivera', isAsking: false } });
    expect(slow.reported).toEqual([SLOW]);
    const unread = await partnersWith(SLOW, visitor('a', true), waits('b'));
    expect(unread.partners).toEqual({ b: { names: 'Sam Lee', isAsking: false } });
    expect(unread.reported).toEqual([SLOW]);
  });
});
