import { describe, expect, it } from 'vitest';
import { VisitorSchema } from '../../src/cobrowse/schemas.ts';
import { createPartnersOf } from '../../src/watch/partners.ts';
import { ALEX, KIM, SAM } from '../support/person.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const HOUR_MS = 60 * 60_000;
const NAMES = new Map([
  [ALEX, 'Alex Rivera'],
  [SAM, 'Sam Lee'],
  [KIM, 'Kim Novak'],
]);
const caller = { workspaceId: 'T1', userId: 'U0ASKER' };
const visitor = (short_id: string, is_in_session?: boolean) =>
  VisitorSchema.parse({ short_id, is_in_session });
const waits = (short_id: string) => VisitorSchema.parse({ short_id, is_waiting_for_call: true });
const givenTo = (visitorId: string, ...users: readonly string[]) =>
  users.map((userId) => ({ userId, visitorId, linkId: 'link', agentId: 'agent', at: NOON }));

/** Who is in the sessions, where these links are in use; and what was asked of the database. */
async function partnersWith(
  links: ReturnType<typeof givenTo> | Error,
  ...visitors: Parameters<ReturnType<typeof createPartnersOf>>[1]
) {
  const asked: unknown[] = [];
  const reported: unknown[] = [];
  const partnersOf = createPartnersOf({
    links: {
      async inUse(...given) {
        asked.push(given);
        if (links instanceof Error) throw links;
        return links;
      },
    },
    onIt: {
      async holders(_workspaceId, ids) {
        return new Map(ids.map((id) => [id, id === 'mine' ? caller.userId : SAM]));
      },
    },
    agents: { nameOf: async (_workspaceId, userId) => NAMES.get(userId) ?? 'nobody' },
    now: () => NOON,
    report: (error) => reported.push(error),
  });
  return { partners: Object.fromEntries(await partnersOf(caller, visitors)), asked, reported };
}

describe('who is in a visitor’s session', () => {
  it('is whoever was given a link in the last eight hours, asked for those in a session alone', async () => {
    const { partners, asked } = await partnersWith(
      givenTo('a', ALEX),
      visitor('a', true),
      visitor('b', false),
      visitor('c'),
    );
    expect(partners).toEqual({ a: 'Alex Rivera' });
    expect(asked).toEqual([['T1', ['a'], NOON - 8 * HOUR_MS]]);
  });

  it('is whoever is on it where a visitor waits', async () => {
    const { partners, asked } = await partnersWith([], waits('a'), waits('mine'), visitor('b'));
    expect(partners).toEqual({ a: 'Sam Lee', mine: 'you' });
    expect(asked).toEqual([]);
  });

  it('is not asked for where nobody is in a session', async () => {
    expect(await partnersWith(givenTo('a', ALEX), visitor('a', false))).toMatchObject({
      partners: {},
      asked: [],
    });
  });

  it.each([
    [[SAM, SAM], 'Sam Lee'],
    [[caller.userId], 'you'],
    [[caller.userId, SAM], 'you and Sam Lee'],
    [[ALEX, SAM, KIM, ALEX], 'Alex Rivera, Sam Lee and others'],
  ])('is each person once: %j', async (users, words) => {
    const { partners } = await partnersWith(givenTo('a', ...users), visitor('a', true));
    expect(partners).toEqual({ a: words });
  });

  it('is left out where the links can’t be read, which is reported', async () => {
    const failure = new Error('database gone');
    const { partners, reported } = await partnersWith(failure, visitor('a', true));
    expect(partners).toEqual({});
    expect(reported).toEqual([failure]);
  });
});
