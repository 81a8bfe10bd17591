import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../../src/cobrowse/schemas.ts';
import { parseWatchLink } from '../../../src/cobrowse/watch-link.ts';
import type { IssuedLink } from '../../../src/messages/link-request.ts';
import { createSessionEnds, sessionEndOf } from '../../../src/sessions/session-ends.ts';
import {
  concludeLink,
  createWatchLinks,
  endLink,
  recordLink,
  removeOldLinks,
} from '../../../src/sessions/watch-links.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { ALEX, SAM } from '../../support/person.ts';
import { endedSession } from '../../sessions/ended-session.ts';
import { resultOf } from '../../sessions/link-result.ts';

const T = 'T0ACME00000';
const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const daysFrom = (start: number, days: number) =>
  Array.from({ length: days + 1 }, (_nothing, day) => start + day * DAY_MS);

const linkOf = (linkId: string, more: Partial<IssuedLink> = {}): IssuedLink => ({
  workspaceId: T,
  userId: ALEX,
  visitorId: 'jane',
  access: 'full',
  linkId,
  ...more,
});

const of = (used: number, notAccepted: number) => ({ used, notAccepted });

describe.each(engines)('the watch links in $engine', ({ newUrl }) => {
  const open = async () => {
    const clock = { time: NOON };
    const database = await openUntilTestEnds(await newUrl());
    let issued = 0;
    const issue = async (userId: string, visitorId: string, more: Partial<IssuedLink> = {}) => {
      const link = linkOf(`link-${(issued += 1)}`, { userId, visitorId, ...more });
      await database.write(recordLink({ link, agentId: 'agent', issuedAt: clock.time }, NOON));
      clock.time += MINUTE_MS;
      return link;
    };
    return { database, clock, issue, links: createWatchLinks(database, () => clock.time) };
  };

  it('say what was concluded, until an end is known, which stays', async () => {
    const { database, links, issue } = await open();
    const link = await issue(ALEX, 'jane', { channelId: 'C1' });
    expect(await resultOf(links, link)).toBeUndefined();
    const unused = { concluded: 'unused', at: NOON } as const;
    await database.write(concludeLink(link, unused));
    expect(await links.of(T, ALEX, 5)).toEqual([{ link, agentId: 'agent', issuedAt: NOON, result: unused }]);
    const end = { endedAt: NOON + 1, lengthSeconds: 62.5 };
    await database.write(endLink(link, { sessionId: 's1', ...end }));
    await database.write(concludeLink(link, { concluded: 'unknown', at: NOON }));
    expect(await resultOf(links, link)).toEqual(end);
  });

  it.each([
    [
      'https://live.example/go?key=kQ3v9xZt7LpW',
      [
        'https://live.example/go?key=kQ3v9xZt7LpW',
        'https://LIVE.example:443/go/?replay=1&key=kQ3v9xZt7LpW#top',
        'http://live.example/go?kQ3v9xZt7LpW',
        'https://live.example/go#key=kQ3v9xZt7LpW',
        'https://recordings.example/1?of=https%3A%2F%2Flive.example%2Fgo%3Fkey%3DkQ3v9xZt7LpW',
        'https://recordings.example/play/https%3A%2F%2Flive.example%2Fgo%3Fkey%3DkQ3v9xZt7LpW',
      ],
      ['https://live.example/go?recording=7', 'https://live.example/go', 'https://live.example/recordings/7'],
    ],
    [
      'https://live.example/s/kQ3v9xZt7LpW?agent=a1&back=https%3A%2F%2Fapp.example%2Fa%2Fvery%2Flong%2Fway',
      [
        'https://live.example/s/kQ3v9xZt7LpW',
        'https://live.example/s/%6bQ3v9xZt7LpW//?agent=a2',
        'https://live.example/s/kQ3v9xZt7LpW#t=9',
      ],
      [
        'https://live.example/s/pL0aB2cD4eF6',
        'https://live.example/s/',
        'https://app.example/a/very/long/way',
      ],
    ],
    [
      'https://live.example/v1/#/session/kQ3v9xZt7LpW',
      ['https://live.example/v1#/session/kQ3v9xZt7LpW/', 'https://live.example/v1/?x#/session/kQ3v9xZt7LpW'],
      ['https://live.example/v1/#/recordings/7', 'https://live.example/v1'],
    ],
    ['https://live.example/now', ['https://live.example/now/?a=1'], ['https://live.example/later']],
  ])('know %s again, however it’s written', async (made, same, others) => {
    const { database, links } = await open();
    const linkHash = parseWatchLink(made).hash();
    const recorded = { link: linkOf('link'), agentId: 'agent', issuedAt: NOON, linkHash };
    await database.write(recordLink(recorded, NOON));
    const known = async (addresses: readonly string[]) =>
      Promise.all(addresses.map((address) => links.includes(T, address)));
    expect(new Set(await known(same))).toEqual(new Set([true]));
    expect(new Set(await known([...others, 'no address']))).toEqual(new Set([false]));
    expect(await links.includes('T0OTHER0000', made)).toBe(false);
  });

  it('are closed at once where their session ended before they were on record', async () => {
    const { database, links } = await open();
    const link = linkOf('early');
    const session = SessionSchema.parse(endedSession('s1', { ended_at: null, length_seconds: 62 }));
    const end = sessionEndOf('end-1', link, session, { receivedAt: NOON, recovered: false });
    await createSessionEnds(database).record(end);
    const recorded = { link, agentId: 'agent', issuedAt: NOON + 1 };
    await database.write(recordLink(recorded, NOON + MINUTE_MS));
    expect(await resultOf(links, link)).toEqual({ endedAt: NOON, lengthSeconds: 62 });
    expect(await links.lookedFor(T, ALEX)).toEqual([]);
    expect(await links.inUse(T, ['jane'], 0)).toEqual([]);
  });

  it('are counted for each day from a midnight on, without those nobody came by, in one workspace', async () => {
    const { database, clock, links, issue } = await open();
    const midnight = NOON - 12 * 60 * MINUTE_MS;
    await issue(ALEX, 'a');
    await issue(SAM, 'b');
    const unused = await issue(SAM, 'c');
    await database.write(concludeLink(unused, { concluded: 'unused', at: NOON }));
    await issue(SAM, 'x', { workspaceId: 'T0OTHER' });
    clock.time = midnight + 2 * DAY_MS;
    await issue(ALEX, 'd');
    clock.time = midnight + 3 * DAY_MS;
    await issue(ALEX, 'too late');
    expect(await links.usedPerDay(T, daysFrom(midnight, 3))).toEqual([of(2, 0), of(0, 0), of(1, 0)]);
    expect(await links.usedPerDay(T, daysFrom(midnight + 1, 1))).toEqual([of(2, 0)]);
    const [first, second] = [await issue(SAM, 'refused'), await issue(SAM, 'agrees later')];
    for (const link of [first, second])
      await database.write(endLink(link, { sessionId: 's1', endedAt: NOON, accepted: false }));
    await database.write(endLink(second, { sessionId: 's2', endedAt: NOON + 1, accepted: true }));
    await database.write(endLink(second, { sessionId: 's3', endedAt: NOON + 2, accepted: false }));
    expect(await links.usedPerDay(T, daysFrom(midnight + 3 * DAY_MS, 1))).toEqual([of(2, 1)]);
    expect(await resultOf(links, first)).toMatchObject({ accepted: false });
  });

  it('in use before a screen are listed newest first, with who has them and when', async () => {
    const { database, links, issue } = await open();
    await issue(ALEX, 'jane');
    await issue(SAM, 'jane');
    const ended = await issue(SAM, 'jane');
    await issue(SAM, 'jane:park');
    await database.write(endLink(ended, { sessionId: 's1', endedAt: NOON }));
    expect(await links.inUse(T, ['jane'], 0)).toMatchObject([
      { userId: SAM, at: NOON + MINUTE_MS },
      { userId: ALEX, at: NOON },
    ]);
    expect(await links.inUse(T, ['jane'], NOON + 1)).toHaveLength(1);
    expect(await links.inUse('T0OTHER', ['jane'], 0)).toEqual([]);
    const several = await links.inUse(T, ['jane', 'jane:park', 'nobody'], 0);
    expect(several.map(({ visitorId }) => visitorId)).toEqual(['jane:park', 'jane', 'jane']);
  });

  it('are put on record once for each proof, by whichever process comes first', async () => {
    const { database, links } = await open();
    const record = (linkId: string, workspaceId = T) => {
      const link = linkOf(linkId, { workspaceId });
      return database.write(recordLink({ link, agentId: 'agent', issuedAt: NOON, proofId: 'press-1' }, NOON));
    };
    const all = [record('a'), record('b'), record('c'), record('a', 'T0OTHER')];
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await links.of(T, ALEX, 5)).toHaveLength(1);
  });

  it('of a person are listed newest first, for a week, and no more than asked for, and removed after 90 days, a few at a time', async () => {
    const { database, clock, links, issue } = await open();
    for (const visitor of ['a', 'b', 'c']) await issue(ALEX, visitor);
    expect((await links.of(T, ALEX, 2)).map(({ link }) => link.visitorId)).toEqual(['c', 'b']);
    expect(await links.of('T0OTHER', ALEX, 2)).toEqual([]);
    clock.time += 7 * DAY_MS;
    expect(await links.of(T, ALEX, 2)).toEqual([]);
    clock.time -= 7 * DAY_MS;
    const removed = async (now: number) => (await database.write(removeOldLinks(now, 1)))[0]?.changed;
    const over = NOON + 90 * DAY_MS;
    expect([await removed(over - 1), await removed(over), await removed(over)]).toEqual([0, 1, 0]);
    expect([await removed(over + DAY_MS), await removed(over + DAY_MS)]).toEqual([1, 1]);
    expect(await links.of(T, ALEX, 5)).toEqual([]);
  });
});
