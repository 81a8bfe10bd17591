import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import { failedHome, homeSkeleton, homeView } from '../../src/home/home-message.ts';
import type { DayEntry } from '../../src/home/my-day.ts';
import {
  cobrowseFailureWords,
  failureMessage,
  unexpectedFailureWords,
} from '../../src/messages/failure-words.ts';
import type { SettingsNow } from '../../src/workspaces/settings.ts';
import { choicesIn } from '../support/person.ts';
import {
  ana,
  fortnight,
  full,
  headings,
  homeContents,
  jane,
  labels,
  problemsOf,
  tools,
  words,
} from './home-content.ts';

describe('the Home, whatever is in it', () => {
  it('is sound', () => {
    fc.assert(
      fc.property(homeContents, (content) => {
        expect(problemsOf(homeView(content))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the Home', () => {
  it('is of use where everything is empty: it says what will be there and what to do', () => {
    const text = words(full({}));
    expect(text).toContain('Nobody is online right now.');
    expect(text).toContain('search above');
    expect(text).toContain('Nothing yet today. Press Watch next to a customer to start.');
    expect(text).toContain('None in the last 14 days.');
    expect(text).toContain('No usage numbers are available.');
  });

  it('shows who is online with Watch, and a menu with more about each', () => {
    const view = full({ online: { had: { busy: [], others: [jane], hasMore: false, tools } } });
    expect(words(view)).toContain('Jane Cooper');
    expect(words(view)).not.toContain('There are more');
    expect(labels(view)).toEqual(['Start co-browsing', 'Refresh', 'Watch', 'Sessions that ended']);
    expect(choicesIn(view.blocks)).toEqual(['Jane Cooper (online)']);
  });

  it.each([
    [{ is: 'agent', agent: ana, email: 'ana@acme.com' }, 'Connected as Ana Lima (ana@acme.com)'],
    [
      { is: 'agent', agent: { ...ana, name: undefined, email: undefined }, email: 'a@b.c' },
      'Connected as agent a1 (a@b.c)',
    ],
    [
      { is: 'unknown', email: 'x@acme.com', slackName: 'Xavi' },
      'No co-browsing agent has your email, x@acme.com.\nYou can still watch; customers see your Slack name, Xavi.',
    ],
    [{ is: 'without-email', slackName: 'Xavi' }, 'doesn’t show this app your email'],
    [{ is: 'without-email', slackName: '\u200B' }, 'customers see your Slack name.'],
    [{ is: 'not-asked', slackName: 'Xavi' }, 'Customers see your Slack name, Xavi.'],
    [{ is: 'no-profile' }, 'The app couldn’t read your Slack profile.'],
  ] as const)('says to %j: "%s"', (identity, expected) => {
    expect(words(full({ you: { had: identity } }))).toContain(expected);
  });

  it('has a field that searches on Enter, and the button to start for those who can watch alone, as the words about watching', () => {
    const view = full({});
    expect(view.blocks.find(({ type }) => type === 'input')).toMatchObject({
      dispatch_action: true,
      element: { dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] } },
    });
    const looking = {
      busy: [],
      others: [jane],
      hasMore: false,
      tools: { ...tools, mayNotWatch: 'not-named' },
    } as const;
    expect(labels(full({ online: { had: looking } }))).not.toContain('Start co-browsing');
    for (const identity of [
      { is: 'unknown', email: 'x@acme.com', slackName: 'Xavi' },
      { is: 'without-email', slackName: 'Xavi' },
      { is: 'not-asked', slackName: 'Xavi' },
    ] as const) {
      const told = words(full({ you: { had: identity }, online: { had: looking } }));
      expect(told).toContain('email');
      expect(told).not.toContain('ustomers see your Slack name');
    }
  });

  it('shows who waits or is in a session before the others', () => {
    const noah = { ...jane, short_id: 'noah', identities: ['Noah Kim'], is_in_session: true };
    const view = full({ online: { had: { busy: [noah], others: [jane], hasMore: false, tools } } });
    expect(headings(view).slice(1, 3)).toEqual(['Waiting, asked or in session', 'Online now']);
    expect(words(view)).toMatch(/Noah Kim.*Online now.*Jane Cooper/su);
    const alone = full({ online: { had: { busy: [noah], others: [], hasMore: false, tools } } });
    expect(words(alone)).toContain('Nobody else is online.');
  });

  it('says of each session and link of the day who, how long and when, and no more than is known', () => {
    const at = new Date('2026-03-04T09:00:00Z');
    const endedAt = at.getTime();
    const session = SessionSchema.parse({
      id: 's1',
      started_at: '2026-03-04T08:50:00Z',
      ended_at: '2026-03-04T09:00:00Z',
      length_seconds: 600,
    });
    const onlyLive = {
      started_at: undefined,
      length_seconds: undefined,
      call_length_seconds: 120,
      went_live: true,
    };
    const running = SessionSchema.parse({ id: 's2', started_at: '2026-03-04T08:50:00Z' });
    const rows: readonly (readonly [DayEntry, string])[] = [
      [{ visitor: 'Jane Cooper', at, session }, ' · 10 minutes · ended '],
      [{ visitor: 'Ida', at, session: running }, ' · in session since '],
      [{ visitor: 'Zoe', at, result: { endedAt, lengthSeconds: 90 } }, ' · 1 minute 30 seconds · ended '],
      [{ visitor: 'Liam', at, result: { endedAt } }, ' · ended '],
      [
        { visitor: 'Ben', at, session: { ...session, session_authorized: false } },
        ' · didn’t accept · ended ',
      ],
      [{ visitor: 'Eve', at, session: { ...running, went_live: false } }, ' · asked  · hasn’t accepted yet'],
      [{ visitor: 'Kai', at, session: { ...session, ...onlyLive } }, ' · 2 minutes live · ended '],
      [{ visitor: 'Ana', at, result: { endedAt, accepted: false } }, ' · didn’t accept · ended '],
      [{ visitor: 'Sofia', at, result: undefined }, ' · asked  · no end reported yet'],
      [{ visitor: 'Noah', at, result: { concluded: 'unused', at: endedAt } }, ' · link not opened, '],
      [{ visitor: 'Mia', at, result: { concluded: 'unknown', at: endedAt } }, ' · asked  · outcome unknown'],
    ];
    const latest = rows.map(([entry]) => entry);
    const day = { latest, earlier: 2, hasSessions: true, reportsEnds: true };
    const text = words(full({ day: { had: day } }));
    for (const [{ visitor }, said] of rows) expect(text).toContain(`${visitor}${said}`);
    expect(text).toContain('And 2 earlier ones today.');
    expect(words(full({ day: { had: { ...day, reportsEnds: false } } }))).not.toContain('no end reported');
    expect(words(full({ day: { had: { ...day, hasSessions: false } } }))).toContain(
      'Your sessions can’t be loaded right now',
    );
  });

  it('shows the sessions of two weeks as numbers, and as a chart', () => {
    const view = full({ started: { had: { days: fortnight(3) } } });
    expect(words(view)).toContain('16 in the last 14 days, 3 of them today.');
    expect(words(view)).toContain('Mar 1: 1 · Mar 2: 1 · ');
    const [chart, ...others] = view.blocks.filter((block) => block.type === 'data_visualization');
    expect(others).toEqual([]);
    const { series = [], axis_config: axis } = chart?.chart ?? {};
    expect(series[0]?.data.at(-1)).toEqual({ label: 'Mar 14', value: 3 });
    expect(axis?.categories).toHaveLength(14);
    const days = fortnight(0).map((day) => ({ ...day, notAccepted: 100 }));
    const without = full({ started: { had: { days } } });
    expect(without.blocks.some(({ type }) => type === 'data_visualization')).toBe(false);
    expect(words(without)).toContain('None in the last 14 days.\nNot accepted: 1,400');
  });
});

describe('the Home of an admin', () => {
  const settings = {
    maxAccess: 'point' as const,
    defaultAccess: 'view' as const,
    channelAccess: { C0SALES0002: 'full' as const },
    ticketPrefixes: [],
    recordLinks: [],
    namesInFiles: false,
    rules: {
      watch: { members: true, ids: [] },
      stop: { members: true, ids: ['U0GUEST0004'] },
      delete: { members: false, ids: ['U0SAM000002', 'S0LEADS0001'] },
      usage: { members: false, ids: ['C0SALES0002'] },
    },
  } satisfies SettingsNow;

  it('shows the settings as they are, and a button to edit them', () => {
    const view = full({ settings });
    expect(words(view)).toContain('Maximum access: point and scroll');
    expect(words(view)).toContain('Default access: view only');
    expect(words(view)).toContain('Who can watch: members, not guests');
    expect(words(view)).toContain('Who can stop sessions: members, not guests, <@U0GUEST0004>');
    expect(words(view)).toContain('Who can delete customers: admins, <@U0SAM000002>, ');
    expect(words(view)).toContain('Who can see usage: admins, the members of ');
    const shown = JSON.stringify(view);
    expect(shown).toContain('{"type":"channel","channel_id":"C0SALES0002"}');
    expect(shown).toContain('{"type":"usergroup","usergroup_id":"S0LEADS0001"}');
    expect(labels(view)).toEqual(['Start co-browsing', 'Refresh', 'Settings', 'Sessions that ended']);
  });

  it('asks for the default access before the lists until an admin chose, up to the maximum', () => {
    const asked = full({ settings, access: { inForce: 'point', most: 'point', isChosen: false } });
    expect(words(asked)).toContain('Until an admin chooses, Watch gives point and scroll.');
    expect(labels(asked)).toEqual([
      'Start co-browsing',
      'Refresh',
      'View only',
      'Keep point and scroll',
      'Settings',
      'Sessions that ended',
    ]);
    expect(headings(asked).indexOf('Settings')).toBeLessThan(headings(asked).indexOf('Online now'));
    const chosen = full({ settings, access: { inForce: 'point', most: 'point', isChosen: true } });
    const noChoice = full({ settings, access: { inForce: 'view', most: 'view', isChosen: false } });
    for (const view of [chosen, noChoice]) expect(labels(view)).not.toContain('View only');
  });
});

describe('the Home while the service fails', () => {
  const unreachable = { failed: cobrowseFailureWords({ kind: 'unreachable' }) };

  it('says each failure once, with what to do, and where it is felt', () => {
    const text = words(
      full({
        you: unreachable,
        online: unreachable,
        day: unreachable,
        usage: { failed: cobrowseFailureWords({ kind: 'refused-key', code: 'no_subscription' }) },
      }),
    );
    expect(text.split('The app can’t reach the co-browsing service.')).toHaveLength(2);
    expect(text.split('Try again in a minute.')).toHaveLength(2);
    expect(text).toContain('Ask your account owner to renew the co-browsing subscription.');
    expect(text.split('Can’t reach the service. See the top of this tab.')).toHaveLength(4);
    expect(text).toContain('The service refused the app. See the top of this tab.');
  });
});

describe('the Home before and beside its content', () => {
  it('is at first a skeleton with the headings to come', () => {
    const skeleton = homeSkeleton();
    expect(problemsOf(skeleton)).toEqual([]);
    expect(headings(skeleton)).toEqual(headings(full({})));
    expect(words(skeleton)).toContain('Loading from the co-browsing service');
    expect(labels(skeleton)).toEqual([]);
  });

  it('says with a reference that something unexpected happened, and lets one try again', () => {
    const view = failedHome(failureMessage(unexpectedFailureWords('1234abcd')));
    expect(problemsOf(view)).toEqual([]);
    expect(words(view)).toContain('1234abcd');
    expect(labels(view)).toEqual(['Refresh']);
  });
});
