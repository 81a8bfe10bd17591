import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema, SessionSchema } from '../../src/cobrowse/schemas.ts';
import type { LinkResult } from '../../src/messages/link-request.ts';
import { RightUnknownError } from '../../src/permissions/permissions.ts';
import { agents, sessions as anySession, usages, visitors } from '../messages/arbitrary.ts';
import { choicesIn } from '../support/person.ts';
import { headings, labels, problemsOf, words, workspaceSettings } from './home-content.ts';
import {
  adminsHome,
  agent,
  homeOf,
  notFound,
  now,
  profile,
  saidTo,
  settingsWith,
  viewer,
  visitor,
} from './sources.ts';

/** A record of a link, given a minute ago. */
const given = (visitorId: string, result?: LinkResult) => ({
  link: { ...viewer, visitorId, access: 'view' as const, linkId: `g-${visitorId}` },
  agentId: 'agent_alex',
  issuedAt: now - 60_000,
  result,
});

const failing = () => Promise.reject(new Error('asked all the same'));
const ana = AgentSchema.parse({ id: 'a1', name: 'Ana Lima', email: 'ana@acme.com' });
const found = (one: object) => ({ ...ana, ...one, sessionCount: 0 });
const jane = visitor('jane', { identities: ['Jane Cooper'] });
const janeOnline = async () => [jane];
const janeBusy = async () => [{ ...jane, is_in_session: true }];
const ofTwoWeeks = (count: (day: number) => { used: number; notAccepted: number }) =>
  Array.from({ length: 14 }, (_nothing, day) => count(day));

describe('the Home, whatever is in it', () => {
  const results = fc.oneof(
    fc.constant(undefined),
    fc.record({ concluded: fc.constantFrom('unused' as const, 'unknown' as const), at: fc.nat(4e12) }),
    fc.record({ endedAt: fc.nat(4e12), lengthSeconds: fc.double(), accepted: fc.boolean() }),
  );

  it('is sound', async () => {
    const content = fc.record({
      online: fc.array(visitors, { maxLength: 10 }),
      found: agents,
      sessions: fc.array(anySession, { maxLength: 5 }),
      results: fc.array(results, { maxLength: 8 }),
      used: fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
      usage: usages,
      settings: workspaceSettings,
    });
    await fc.assert(
      fc.asyncProperty(
        content,
        async ({ online, sessions, results: ends, used, usage, settings, ...more }) => {
          const view = await adminsHome({
            // Every session is of today.
            now: () => 0,
            settings: async () => settings,
            linksOf: async () => ends.map((result, index) => given(`v${index}`, result)),
            usedPerDay: async () => used.map((count) => ({ used: count, notAccepted: count })),
            listVisitors: async () => online,
            lookupAgent: async () => ({ ...more.found, sessions, sessionCount: 0 }),
            usage: async () => usage,
          });
          expect(problemsOf(view)).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('what a viewer may see', () => {
  it.each(['external', 'guest', 'bot', 'deactivated'] as const)(
    'is nothing where they are %s: nothing is asked of the service, and the refusal is written down',
    async (why) => {
      const { draw, audit } = homeOf({
        mayAct: async () => ({ allowed: false, why }),
        linksOf: failing,
        visitorTools: failing,
        listVisitors: failing,
        lookupAgent: failing,
        usage: failing,
      });
      const view = await draw();
      expect([headings(view), labels(view)]).toEqual([['Co-browsing'], ['Refresh']]);
      expect(audit).toEqual([{ ...viewer, action: 'refusal', outcome: why, detail: { act: 'home' } }]);
    },
  );

  it('is who is online, without Watch or words about watching, for a member who may not watch', async () => {
    for (const [who, told] of [
      [profile, 'No co-browsing agent has your email'],
      [{ ...profile, email: undefined }, 'can’t read your email in your Slack profile'],
    ] as const) {
      const { draw, audit } = homeOf({
        mayAct: async () => ({ allowed: false, why: 'not-named' }),
        profileOf: async () => who,
        listVisitors: janeOnline,
      });
      const view = await draw();
      expect(audit).toMatchObject([{ action: 'search', outcome: 'done', visitorId: 'jane' }]);
      for (const said of ['Jane Cooper', 'You don’t have permission to watch', told])
        expect(words(view)).toContain(said);
      expect(words(view)).not.toContain('ustomers see your Slack name');
      expect(labels(view)).toEqual(['Refresh', 'Details', 'Sessions that ended']);
      expect(headings(view)).toEqual(['Co-browsing', 'Online now', 'My day', 'You']);
    }
  });

  it('is no usage for who may watch alone', async () => {
    const { draw } = homeOf({
      mayAct: async (act) => (act === 'usage' ? { allowed: false, why: 'not-named' } : { allowed: true }),
      usage: failing,
    });
    expect(headings(await draw())).toEqual(['Co-browsing', 'Online now', 'My day', 'You']);
  });

  it('is no customer, in links and sessions of their own either, and no usage where Slack cannot be asked', async () => {
    const unknown = new RightUnknownError(new Error('down'));
    const { draw, reported, audit } = homeOf({
      mayAct: () => Promise.reject(unknown),
      linksOf: failing,
      listVisitors: failing,
      usage: failing,
      lookupAgent: async () => agent('a', '2026-03-04T09:00:00Z'),
    });
    const text = words(await draw());
    expect(text).toContain('Connected as Agent a');
    // Who is online, the day, and both kinds of numbers.
    expect(text.split('The app couldn’t check your permission with Slack')).toHaveLength(5);
    expect(new Set(reported)).toEqual(new Set([unknown]));
    const refusal = { ...viewer, action: 'refusal', outcome: 'unchecked' };
    expect(audit).toEqual(['watch', 'usage'].map((act) => ({ ...refusal, detail: { act } })));
  });
});

const slack = (more: object) => ({ ...profile, name: 'Xavi', ...more });

describe('the Home', () => {
  it('is of use where everything is empty: it says what will be there and what to do', async () => {
    const view = await homeOf().draw();
    for (const said of [
      'Nobody is online right now.',
      'search above',
      'Nothing yet today. Press Watch next to a customer to start.',
      'None in the last 14 days.',
      'No usage numbers are available.',
    ])
      expect(words(view)).toContain(said);
    // The field searches on Enter.
    expect(view.blocks.find(({ type }) => type === 'input')).toMatchObject({
      dispatch_action: true,
      element: { dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] } },
    });
  });

  it.each([
    [profile, ana, 'Connected as Ana Lima (ana@acme.com)'],
    [
      slack({ email: 'a@b.c' }),
      { ...ana, name: undefined, email: undefined },
      'Connected as agent a1 (a@b.c)',
    ],
    [
      slack({ email: 'x@acme.com' }),
      undefined,
      'No co-browsing agent has your email, x@acme.com.\nYou can still watch; customers see your Slack name, Xavi.',
    ],
    [slack({ email: undefined }), undefined, 'can’t read your email in your Slack profile'],
    [slack({ email: undefined, name: '\u200B' }), undefined, 'customers see your Slack name.'],
  ])('says to %j, who is %j, who they are', async (who, one, expected) => {
    const lookupAgent = async () => (one === undefined ? notFound() : found(one));
    expect(await saidTo({ profileOf: async () => who, lookupAgent })).toContain(expected);
  });
});

describe('the visitors online now', () => {
  it('are asked for as such, and six of them are shown: who waits first, then who is in a session', async () => {
    const asked: unknown[] = [];
    const many = Array.from({ length: 10 }, (_nothing, index) =>
      visitor(`a${index}`, { identities: ['Ann'] }),
    );
    const busy = [
      visitor('x', { is_in_session: true, identities: ['Noah Kim'] }),
      visitor('y', { is_waiting_for_call: true, identities: ['Liam Fox'] }),
    ];
    const listVisitors = async (query: unknown) => {
      asked.push(query);
      return [...many, ...busy];
    };
    const view = await homeOf({ listVisitors }).draw();
    expect(asked).toEqual([{ online: true, limit: 101 }]);
    expect(headings(view).slice(1, 3)).toEqual(['Waiting, asked or in session', 'Online now']);
    expect(words(view)).toMatch(/Liam Fox.*Noah Kim.*Online now/su);
    expect(words(view)).toContain('There are more.');
    expect(choicesIn(view.blocks)).toHaveLength(6);
  });

  it('have Watch, and a menu with more about each', async () => {
    const view = await homeOf({ listVisitors: janeOnline }).draw();
    expect(words(view)).not.toContain('There are more');
    expect(labels(view)).toEqual(['Start co-browsing', 'Refresh', 'Watch', 'Sessions that ended']);
    expect(choicesIn(view.blocks)).toEqual(['Jane Cooper (online)']);
    expect(await saidTo({ listVisitors: janeBusy })).toContain('Nobody else is online.');
  });
});

type Rows = readonly (readonly [done: unknown, said: string])[];
/** What isn't said of those whose rows these are, each by their place. */
const missingIn = (text: string, rows: Rows) =>
  rows.map(([, said], index) => `Name of v${index}${said}`).filter((line) => !text.includes(line));

describe('the links the viewer opened today', () => {
  it('carry the visitors’ names, asked for once each, or the id of one who is gone', async () => {
    const asked: string[] = [];
    const text = await saidTo({
      linksOf: async () => [given('jane'), given('gone'), given('jane')],
      visitor: async (id) => {
        asked.push(id);
        if (id === 'gone') throw new CobrowseError('not-found', 'gone');
        return jane;
      },
    });
    expect(text).toMatch(/Jane Cooper · asked .*gone · asked .*Jane Cooper · asked/su);
    expect(asked).toEqual(['jane', 'gone']);
  });

  it('are those since the viewer’s midnight, the latest eight of them', async () => {
    const yesterday = { ...given('old'), issuedAt: now - 11 * 3_600_000 };
    const many = Array.from({ length: 10 }, (_nothing, index) => given(`v${index}`));
    const text = await saidTo({ linksOf: async () => [...many, yesterday] });
    expect(text).toContain('And 2 earlier ones today.');
    expect(Array.from(text.matchAll(/Name of v\d/g), ([name]) => name)).toEqual(
      many.slice(0, 8).map(({ link }) => `Name of ${link.visitorId}`),
    );
    expect(text).not.toContain('old');
  });

  it('say no more than is known', async () => {
    const at = now - 60_000;
    const rows: readonly (readonly [LinkResult | undefined, string])[] = [
      [{ endedAt: now, lengthSeconds: 90 }, ' · 1 minute 30 seconds · ended '],
      [{ endedAt: now }, ' · ended '],
      [{ endedAt: now, accepted: false }, ' · didn’t accept · ended '],
      [undefined, ' · asked  · no end reported yet'],
      [{ concluded: 'unused', at }, ' · link not opened, '],
      [{ concluded: 'unknown', at }, ' · asked  · outcome unknown'],
    ];
    const linksOf = async () => rows.map(([result], index) => given(`v${index}`, result));
    expect(missingIn(await saidTo({ linksOf }), rows)).toEqual([]);
    expect(await saidTo({ linksOf, endSource: 'never' })).not.toContain('no end reported');
  });
});

/** An agent with sessions that began then, each with a visitor of that name. */
function withVisitors(id: string, ...starts: readonly string[]) {
  const one = agent(id, ...starts);
  return { ...one, sessions: one.sessions.map((each) => ({ ...each, visitor_id: each.started_at })) };
}

describe('the viewer’s sessions today', () => {
  const ONE = '2026-03-04T01:00:00Z';
  const SEVEN = '2026-03-04T07:00:00Z';
  const NINE = '2026-03-04T09:00:00Z';

  it.each([
    ['UTC', 0, '2026-03-04T00:00Z'],
    ['Kolkata', 19_800, '2026-03-03T18:30Z'],
    ['Tokyo', 32_400, '2026-03-03T15:00Z'],
    ['Los Angeles', -28_800, '2026-03-04T08:00Z'],
  ])('are asked for since midnight in %s', async (_city, utcOffsetSeconds, midnight) => {
    const asked: unknown[] = [];
    await saidTo({
      profileOf: async () => ({ ...profile, utcOffsetSeconds }),
      lookupAgent: async (_key, limits) => {
        asked.push(limits?.sessions);
        return notFound();
      },
    });
    expect(asked).toEqual(Array.from({ length: 2 }, () => ({ since: new Date(midnight) })));
  });

  it('are those of the account with the viewer’s email, or without one, those of their links’ id', async () => {
    const [own, ofLinks] = [withVisitors('a', ONE, NINE), withVisitors('b', SEVEN)];
    const byEmail = await saidTo({ lookupAgent: async (key) => ('email' in key ? own : failing()) });
    const byId = await saidTo({ lookupAgent: async (key) => ('email' in key ? notFound() : ofLinks) });
    expect(byEmail.match(/2026-03-04T\S+/g)).toEqual([NINE, ONE]);
    expect(byId.match(/2026-03-04T\S+/g)).toEqual([SEVEN]);
  });

  it('say how long and when, and no more than is known', async () => {
    const ended = { started_at: '2026-03-04T08:50:00Z', ended_at: NINE, length_seconds: 600 };
    const rows: readonly (readonly [session: object, said: string])[] = [
      [ended, ' · 10 minutes · ended '],
      [{ started_at: NINE }, ' · in session since '],
      [{ ...ended, session_authorized: false }, ' · didn’t accept · ended '],
      [{ started_at: NINE, went_live: false }, ' · asked  · hasn’t accepted yet'],
    ];
    const all = rows.map(([one], index) =>
      SessionSchema.parse({ id: `s${index}`, visitor_id: `v${index}`, ...one }),
    );
    const text = await saidTo({ lookupAgent: async () => found({ sessions: all }) });
    expect(missingIn(text, rows)).toEqual([]);
  });

  it('stand in one list with the links, without those whose session is listed', async () => {
    const justNow = new Date(now - 30_000).toISOString();
    const sessions = [
      { id: 'of-jane', visitor_id: 'jane', started_at: justNow },
      { id: 'of-nobody', started_at: NINE },
      { id: 'of-another', visitor_id: 'liam', started_at: SEVEN, metadata: { slack_link: 'g-another' } },
    ];
    const text = await saidTo({
      linksOf: async () => [given('jane'), { ...given('liam'), issuedAt: now - 11_000_000 }],
      lookupAgent: async () => found({ sessions: sessions.map((one) => SessionSchema.parse(one)) }),
    });
    expect(text).toMatch(
      /Name of jane · in session.*A customer · in session.*Name of liam · in session.*Name of liam · asked/su,
    );
    expect(text.split('Name of jane')).toHaveLength(2);
  });
});

describe('the sessions started from Slack', () => {
  it('are counted for each of the viewer’s last 14 days, the last of them today, in numbers and a chart', async () => {
    const asked: unknown[] = [];
    const view = await homeOf({
      profileOf: async () => ({ ...profile, utcOffsetSeconds: 19_800 }),
      async usedPerDay(...query) {
        asked.push(query);
        return ofTwoWeeks((day) => ({ used: day, notAccepted: 1 }));
      },
    }).draw();
    // Midnight in Kolkata, two weeks back.
    const first = Date.parse('2026-02-18T18:30:00Z');
    expect(asked).toEqual([['T1', Array.from({ length: 15 }, (_day, index) => first + index * 86_400_000)]]);
    expect(words(view)).toContain('91 in the last 14 days, 13 of them today.');
    expect(words(view)).toContain('Feb 20: 1 · Feb 21: 2 · ');
    const [chart, ...others] = view.blocks.filter((block) => block.type === 'data_visualization');
    expect(others).toEqual([]);
    const { series = [], axis_config: axis } = chart?.chart ?? {};
    expect(series[0]?.data.at(-1)).toEqual({ label: 'Mar 4', value: 13 });
    expect(axis?.categories).toHaveLength(14);
  });

  it('have no chart where there are none', async () => {
    const view = await homeOf({
      usedPerDay: async () => ofTwoWeeks(() => ({ used: 0, notAccepted: 100 })),
    }).draw();
    expect(view.blocks.some(({ type }) => type === 'data_visualization')).toBe(false);
    expect(words(view)).toContain('None in the last 14 days.\nNot accepted: 1,400');
  });
});

const settings = async () =>
  settingsWith({
    maxAccess: 'point',
    defaultAccess: 'view',
    channelAccess: { C0SALES0002: 'full' },
    rules: {
      watch: { members: true, ids: [] },
      stop: { members: true, ids: ['U0GUEST0004'] },
      delete: { members: false, ids: ['U0SAM000002', 'S0LEADS0001'] },
      usage: { members: false, ids: ['C0SALES0002'] },
    },
  });

describe('the Home of an admin', () => {
  it('shows the settings as they are, and a button to edit them', async () => {
    const view = await adminsHome({ settings });
    for (const said of [
      'Maximum access: point and scroll',
      'Default access: view only',
      'Who can watch: members, not guests',
      'Who can stop sessions: members, not guests, <@U0GUEST0004>',
      'Who can delete customers: admins, <@U0SAM000002>, ',
      'Who can see usage: admins, the members of ',
    ])
      expect(words(view)).toContain(said);
    const shown = JSON.stringify(view);
    expect(shown).toContain('{"type":"channel","channel_id":"C0SALES0002"}');
    expect(shown).toContain('{"type":"usergroup","usergroup_id":"S0LEADS0001"}');
    expect(labels(view).slice(2, 4)).toEqual(['Settings', 'Webhooks']);
  });

  it('asks for the default access before the lists until an admin chose, up to the maximum', async () => {
    const asked = await adminsHome({ access: { inForce: 'point', most: 'point', isChosen: false } });
    expect(words(asked)).toContain('Until an admin chooses, Watch gives point and scroll.');
    expect(labels(asked).slice(2, 5)).toEqual(['View only', 'Keep point and scroll', 'Settings']);
    expect(headings(asked).indexOf('Settings')).toBeLessThan(headings(asked).indexOf('Online now'));
    for (const access of [
      { inForce: 'point', most: 'point', isChosen: true },
      { inForce: 'view', most: 'view', isChosen: false },
    ] as const)
      expect(labels(await adminsHome({ access }))).not.toContain('View only');
  });
});

describe('a failure', () => {
  it('of the service is reported, and said where it is felt, with what to do', async () => {
    const failure = new CobrowseError('unreachable', 'no');
    const unreachable = () => Promise.reject(failure);
    const { draw, reported, audit } = homeOf({
      listVisitors: unreachable,
      lookupAgent: unreachable,
      linksOf: async () => [given('jane')],
      usage: () => Promise.reject(new CobrowseError('refused-key', 'no', { code: 'no_subscription' })),
    });
    const text = words(await draw());
    const said = 'The app can’t reach the co-browsing service.\nTry again in a minute.';
    for (const title of ['Online now', 'You']) expect(text).toContain(title + said);
    expect(text).toContain('Ask your account owner to renew the co-browsing subscription.');
    // The links of the day are there.
    expect(text).toMatch(/Name of jane.*Your sessions can’t be loaded right now/su);
    expect(reported).toContain(failure);
    expect(audit.map(({ action }) => action)).toEqual(['usage']);
  });

  it('of Slack to show the profile leaves open who the viewer is, and the rest is there', async () => {
    const failure = new Error('ratelimited');
    const { draw, reported } = homeOf({
      profileOf: () => Promise.reject(failure),
      settings: failing,
      listVisitors: janeOnline,
    });
    const text = words(await draw());
    expect(text).toMatch(/Jane Cooper.*couldn’t read your Slack profile. Press Refresh/su);
    expect(reported).toEqual([failure]);
  });

  it.each(['linksOf', 'usedPerDay', 'visitorTools'] as const)(
    'of our own in %s is not hidden',
    async (name) => {
      const failure = new Error('the store is gone');
      await expect(homeOf({ [name]: () => Promise.reject(failure) }).draw()).rejects.toBe(failure);
    },
  );
});

const online = (count: number, more: object = {}) => ({
  ...viewer,
  action: 'search',
  outcome: 'done',
  ...more,
  detail: { query: '#online', found: count },
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
    [
      'the same once in ten minutes, in whatever order, and others at once, with who where it is one',
      [
        { ids: ['a', 'b'] },
        { ids: ['b', 'a'], atMs: TEN_MS },
        { ids: ['a', 'b'], atMs: TEN_MS + 1 },
        { ids: ['b'], atMs: TEN_MS + 1 },
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
    const listVisitors = async () => shown.map((id) => visitor(id));
    const { draw, audit } = homeOf({ now: () => now + time, listVisitors });
    for (const { ids = ['jane'], atMs = 0, who } of homes) {
      [shown, time] = [ids, atMs];
      await draw(who);
    }
    expect(audit).toEqual(expected);
  });
});
