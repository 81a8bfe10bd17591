import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import type { HomeContent } from '../../src/home/home-message.ts';
import type { LinkResult } from '../../src/messages/link-request.ts';
import { RightUnknownError } from '../../src/permissions/permissions.ts';
import { tools } from './home-content.ts';
import {
  agent,
  cobrowse,
  gatherWith,
  notFound,
  now,
  profile,
  viewer,
  visitor,
  type HomeService,
} from './sources.ts';

/** A record of a link, given a minute ago. */
const given = (visitorId: string, result?: LinkResult) => ({
  link: { ...viewer, visitorId, access: 'view' as const, linkId: `g-${visitorId}` },
  agentId: 'agent_alex',
  issuedAt: now - 60_000,
  result,
});

const failing = () => Promise.reject(new Error('asked all the same'));

describe('what a viewer may see', () => {
  it.each(['external', 'guest', 'bot', 'deactivated'] as const)(
    'is nothing where they are %s: nothing is asked of the service, and the refusal is written down',
    async (why) => {
      const { refusal, audit } = gatherWith(
        { mayAct: async () => ({ allowed: false, why }), linksOf: failing, visitorTools: failing },
        { listVisitors: failing, lookupAgent: failing, usage: failing },
      );
      expect(await refusal()).toBe(why);
      expect(audit).toEqual([{ ...viewer, action: 'refusal', outcome: why, detail: { act: 'home' } }]);
    },
  );

  it('is who is online, without Watch, for a member who may not watch', async () => {
    const { gather, audit } = gatherWith(
      { mayAct: async () => ({ allowed: false, why: 'not-named' }) },
      { listVisitors: async () => [visitor('jane')] },
    );
    const { online, usage, started } = await gather();
    expect(audit).toMatchObject([{ action: 'search', outcome: 'done', visitorId: 'jane' }]);
    expect(online).toMatchObject({ had: { others: [{}], tools: { mayNotWatch: 'not-named' } } });
    expect([usage, started]).toEqual([undefined, undefined]);
  });

  it('is no usage for who may watch alone', async () => {
    const { gather } = gatherWith(
      { mayAct: async (act) => (act === 'usage' ? { allowed: false, why: 'not-named' } : { allowed: true }) },
      { usage: failing },
    );
    const { usage, started } = await gather();
    expect([usage, started]).toEqual([undefined, undefined]);
  });

  it('is no customer, in links and sessions of their own either, and no usage where Slack cannot be asked', async () => {
    const unknown = new RightUnknownError(new Error('down'));
    const { gather, reported, audit } = gatherWith(
      { mayAct: () => Promise.reject(unknown), linksOf: failing },
      { listVisitors: failing, usage: failing, lookupAgent: async () => agent('a', '2026-03-04T09:00:00Z') },
    );
    const { you, online, day, started, usage } = await gather();
    expect(you).toHaveProperty('had');
    for (const part of [online, day, started, usage])
      expect(part).toMatchObject({ failed: { title: 'Not checked' } });
    expect(reported).toEqual([unknown, unknown]);
    const refusal = { ...viewer, action: 'refusal', outcome: 'unchecked' };
    expect(audit).toEqual([
      { ...refusal, detail: { act: 'watch' } },
      { ...refusal, detail: { act: 'usage' } },
    ]);
  });
});

describe('the visitors online now', () => {
  it('are asked for as such, and six of them are shown: who waits first, then who is in a session', async () => {
    const asked: unknown[] = [];
    const many = Array.from({ length: 10 }, (_nothing, index) => visitor(`a${index}`));
    const busy = [visitor('x', { is_in_session: true }), visitor('y', { is_waiting_for_call: true })];
    const { gather } = gatherWith(
      {},
      {
        async listVisitors(query) {
          asked.push(query);
          return [...many, ...busy];
        },
      },
    );
    const { online } = await gather();
    expect(asked).toEqual([{ online: true, limit: 101 }]);
    expect(online).toMatchObject({
      had: { busy: [{ short_id: 'y' }, { short_id: 'x' }], hasMore: true, tools: { canStop: tools.canStop } },
    });
    expect('had' in online ? online.had.others.length : 0).toBe(4);
  });
});

function latestIn({ day }: HomeContent) {
  if ('failed' in day) throw new Error(day.failed.text);
  return day.had.latest;
}

describe('the links the viewer opened today', () => {
  it('carry the visitors’ names, asked for once each, or the id of one who is gone, and what became of them', async () => {
    const asked: string[] = [];
    const ended = { endedAt: now, lengthSeconds: 90 };
    const { gather } = gatherWith(
      { linksOf: async () => [given('jane', ended), given('gone'), given('jane')] },
      {
        async visitor(id) {
          asked.push(id);
          if (id === 'gone') throw new CobrowseError('not-found', 'gone');
          return cobrowse.visitor(id);
        },
      },
    );
    const at = new Date(now - 60_000);
    expect(latestIn(await gather())).toEqual([
      { visitor: 'Name of jane', at, result: ended },
      { visitor: 'gone', at, result: undefined },
      { visitor: 'Name of jane', at, result: undefined },
    ]);
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('are those since the viewer’s midnight, the latest eight of them', async () => {
    const yesterday = { ...given('old'), issuedAt: now - 11 * 3_600_000 };
    const many = Array.from({ length: 10 }, (_nothing, index) => given(`v${index}`));
    const { gather } = gatherWith({ linksOf: async () => [...many, yesterday] });
    const content = await gather();
    expect(content.day).toMatchObject({ had: { earlier: 2 } });
    expect(latestIn(content).map(({ visitor: name }) => name)).toEqual(
      many.slice(0, 8).map(({ link }) => `Name of ${link.visitorId}`),
    );
  });

  it('stand in one list with the sessions, without those whose session is listed', async () => {
    const { gather } = gatherWith(
      { linksOf: async () => [given('jane'), { ...given('liam'), issuedAt: now - 7_200_000 }] },
      {
        lookupAgent: async () => {
          const found = agent('a', new Date(now - 30_000).toISOString(), '2026-03-04T09:00:00Z');
          const [first, second] = found.sessions;
          if (first === undefined || second === undefined) throw new Error('There are two.');
          return { ...found, sessions: [{ ...first, visitor_id: 'jane' }, second] };
        },
      },
    );
    expect(latestIn(await gather())).toMatchObject([
      { visitor: 'Name of jane', session: { visitor_id: 'jane' } },
      { visitor: '', session: {} },
      { visitor: 'Name of liam', result: undefined },
    ]);
  });
});

describe('the sessions started from Slack', () => {
  it('are counted for each of the viewer’s last 14 days, the last of them today', async () => {
    const asked: unknown[] = [];
    const { gather } = gatherWith({
      profileOf: async () => ({ ...profile, utcOffsetSeconds: 19_800 }),
      async usedPerDay(...query) {
        asked.push(query);
        return Array.from({ length: 14 }, (_nothing, index) => ({ used: index, notAccepted: 1 }));
      },
    });
    const { started } = await gather();
    // Midnight in Kolkata, two weeks back.
    const first = Date.parse('2026-02-18T18:30:00Z');
    expect(asked).toEqual([['T1', Array.from({ length: 15 }, (_day, index) => first + index * 86_400_000)]]);
    const days = started !== undefined && 'had' in started ? started.had.days : [];
    expect(days.at(0)).toEqual({ name: 'Feb 19', sessions: 0, notAccepted: 1 });
    expect(days.at(-1)).toEqual({ name: 'Mar 4', sessions: 13, notAccepted: 1 });
  });
});

describe('a failure', () => {
  it('of the service becomes words in its own part, and is reported', async () => {
    const failure = new CobrowseError('timed-out', 'too late');
    const { gather, reported, audit } = gatherWith({}, { listVisitors: () => Promise.reject(failure) });
    const content = await gather();
    expect(audit.map(({ action }) => action)).toEqual(['usage']);
    expect(content.online).toMatchObject({ failed: { title: 'The service took too long' } });
    expect(content.you).toHaveProperty('had');
    expect(content.usage).toHaveProperty('had');
    expect(reported).toEqual([failure]);
  });

  it('of the look-up leaves the links of the day, and says that the sessions are missing', async () => {
    const { gather } = gatherWith(
      { linksOf: async () => [given('jane')] },
      { lookupAgent: () => Promise.reject(new CobrowseError('busy', '503')) },
    );
    const content = await gather();
    expect(content.you).toMatchObject({ failed: { title: 'The service is busy' } });
    expect(content.day).toMatchObject({ had: { hasSessions: false, latest: [{ visitor: 'Name of jane' }] } });
  });

  it('of Slack to show the profile leaves open who the viewer is, and the rest is there', async () => {
    const failure = new Error('ratelimited');
    const { gather, reported } = gatherWith(
      { profileOf: () => Promise.reject(failure) },
      { listVisitors: async () => [visitor('jane')] },
    );
    const content = await gather();
    expect(content.you).toEqual({ had: { is: 'no-profile' } });
    expect(content.online).toMatchObject({ had: { others: [{ short_id: 'jane' }] } });
    expect(content).not.toHaveProperty('settings');
    expect(reported).toEqual([failure]);
  });

  it.each(['linksOf', 'usedPerDay', 'visitorTools'] as const)(
    'of our own in %s is not hidden',
    async (name) => {
      const failure = new Error('the store is gone');
      const { gather } = gatherWith({ [name]: () => Promise.reject(failure) });
      await expect(gather()).rejects.toBe(failure);
    },
  );
});

const online = (found: number, more: object = {}) => ({
  ...viewer,
  action: 'search',
  outcome: 'done',
  ...more,
  detail: { query: '#online', found },
});

describe('what is on record', () => {
  const many = Array.from({ length: 11 }, (_nothing, index) => `v${index}`);
  const usage = { ...viewer, action: 'usage', outcome: 'done' };
  const colleague = { ...viewer, userId: 'U2' };
  const elsewhere = { ...viewer, workspaceId: 'T2' };
  const TEN_MS = 10 * 60_000;
  type Shown = readonly { ids?: readonly string[]; atMs?: number; who?: typeof viewer }[];

  it.each<[string, Shown, readonly object[]]>([
    ['how many were shown', [{ ids: many }], [online(6), usage]],
    ['who, where it is one', [{}], [online(1, { visitorId: 'jane' }), usage]],
    [
      'the same once in ten minutes, in whatever order, and others at once',
      [
        { ids: ['a', 'b'] },
        { ids: ['b', 'a'], atMs: TEN_MS - 1 },
        { ids: ['a', 'b'], atMs: TEN_MS },
        { ids: ['b'], atMs: TEN_MS },
      ],
      [online(2), usage, online(2), usage, online(1, { visitorId: 'b' })],
    ],
    [
      'what each viewer in each workspace was shown',
      [{}, { who: colleague }, { who: elsewhere }, {}],
      [viewer, colleague, elsewhere].flatMap((who) => [
        online(1, { ...who, visitorId: 'jane' }),
        { ...usage, ...who },
      ]),
    ],
  ])('is %s', async (_what, homes, expected) => {
    let [shown, time]: [readonly string[], number] = [[], 0];
    const { gather, audit } = gatherWith(
      { now: () => now + time },
      { listVisitors: async () => shown.map((id) => visitor(id)) },
    );
    for (const { ids = ['jane'], atMs = 0, who } of homes) {
      [shown, time] = [ids, atMs];
      await gather(who);
    }
    expect(audit).toEqual(expected);
  });
});

/** When the sessions began that the Home lists for a viewer of that time zone. */
async function startsOf(utcOffsetSeconds: number, lookupAgent: HomeService['lookupAgent']) {
  const who = { ...profile, utcOffsetSeconds };
  const { gather } = gatherWith({ profileOf: async () => who }, { lookupAgent });
  return latestIn(await gather()).flatMap((one) => ('session' in one ? [one.session.started_at] : []));
}

describe('the viewer’s sessions today', () => {
  const [SIX, SEVEN] = ['2026-03-03T18:00:00Z', '2026-03-04T07:00:00Z'] as const;
  const [NINE, ONE] = ['2026-03-04T09:00:00Z', '2026-03-04T01:00:00Z'] as const;

  it.each([
    ['UTC', 0, [NINE, ONE]],
    ['Kolkata', 19_800, [NINE, ONE]],
    ['Tokyo', 32_400, [NINE, ONE, SIX]],
    ['Los Angeles', -28_800, [NINE]],
  ])('are those begun since midnight in %s, latest first', async (_city, offset, expected) => {
    const starts = await startsOf(offset, async (key) =>
      'email' in key ? agent('a', SIX, NINE, ONE, 'soon') : notFound(),
    );
    expect(starts).toEqual(expected);
  });

  it('are found under both names of the viewer, each session once', async () => {
    const starts = await startsOf(0, async (key) =>
      'email' in key ? agent('a', ONE, NINE) : agent('b', NINE, SEVEN),
    );
    expect(starts).toEqual([NINE, SEVEN, ONE]);
  });
});
