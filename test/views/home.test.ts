import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentSchema, SessionSchema, UsageSchema, VisitorSchema } from '../../src/cobrowse/schemas.ts';
import {
  cobrowseFailureWords,
  failureMessage,
  unexpectedFailureWords,
} from '../../src/views/failure-words.ts';
import { failedHome, homeSkeleton, homeView, strangersHome } from '../../src/views/home.ts';
import type { HomeContent, HomeTab } from '../../src/views/home.ts';
import { buttonsIn, readable } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { homeContents, tools } from './home-content.ts';

const problemsOf = (view: HomeTab) => problemsIn({ surface: 'home', payload: view });
const words = ({ blocks }: HomeTab) => readable(blocks);
const labels = ({ blocks }: HomeTab) => buttonsIn(blocks).map(({ text }) => text.text);
const headings = ({ blocks }: HomeTab) =>
  blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : []));

const jane = VisitorSchema.parse({ short_id: 'jane', identities: ['Jane Cooper'], is_online: true });
const ana = AgentSchema.parse({ id: 'a1', name: 'Ana Lima', email: 'ana@acme.com' });
const usage = UsageSchema.parse({ session_counts: { now: 2, today: 4, last_30_days: 60 } });
const picture = { url: 'https://app.example/charts/t', altText: 'Bar chart. Sessions: 4.' };

/** Nothing is there yet, and nothing failed. */
const empty: HomeContent = {
  at: new Date('2026-03-04T10:00:00Z'),
  you: { had: { is: 'without-email', slackName: 'Ana' } },
  online: { had: { visitors: [], hasMore: false, tools } },
  sessions: { had: { latest: [], total: 0 } },
  links: [],
  usage: { had: { usage: UsageSchema.parse({}), picture: undefined } },
};
const full = (changes: Partial<HomeContent>): HomeTab => homeView({ ...empty, ...changes });

describe('the Home, whatever is in it', () => {
  it('is sound', () => {
    fc.assert(
      fc.property(homeContents, (content) => {
        expect(problemsOf(homeView(content))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('shows nothing of a page’s query', () => {
    const visitor = { ...jane, last_url: 'https://shop.example/cart?SECRET=SECRET#SECRET' };
    const view = full({ online: { had: { visitors: [visitor], hasMore: false, tools } } });
    expect(words(view)).toContain('/cart');
    expect(JSON.stringify(view)).not.toContain('SECRET');
  });
});

describe('the Home', () => {
  it('has a heading for each part, and its time with a button to refresh', () => {
    const view = full({});
    expect(headings(view)).toEqual([
      'Co-browsing',
      'Online now',
      'You',
      'Your sessions today',
      'Links you were given',
      'Usage of the account',
    ]);
    expect(labels(view)).toEqual(['Refresh']);
    expect(JSON.stringify(view)).toContain(`"timestamp":${empty.at.getTime() / 1_000}`);
  });

  it('is of use where everything is empty: it says what will be there and what to do', () => {
    const text = words(full({}));
    expect(text).toContain('Nobody is online.');
    expect(text).toContain('/cobrowse find');
    expect(text).toContain('None so far.');
    expect(text).toContain('Press Watch beside a visitor');
    expect(text).toContain('The service gave no usage numbers.');
  });

  it('shows who is online with the buttons of a list', () => {
    const view = full({ online: { had: { visitors: [jane], hasMore: false, tools } } });
    expect(words(view)).toContain('Jane Cooper');
    expect(words(view)).not.toContain('There are more');
    expect(labels(view)).toEqual(['Refresh', 'Watch', 'Details', 'Stop']);
  });

  it('says how to see the others where more are online', () => {
    const view = full({ online: { had: { visitors: [jane], hasMore: true, tools } } });
    expect(words(view)).toContain('There are more. Type /cobrowse find online to see them.');
  });

  it('leaves out what the service does not offer', () => {
    const { usage: _usage, sessions: _sessions, ...rest } = empty;
    expect(headings(homeView(rest))).toEqual(['Co-browsing', 'Online now', 'You', 'Links you were given']);
  });

  it.each([
    [{ is: 'agent', agent: ana, email: 'ana@acme.com' }, 'you are Ana Lima, by your email ana@acme.com.'],
    [
      { is: 'agent', agent: { ...ana, name: undefined, email: undefined }, email: 'a@b.c' },
      'you are agent a1, by your email a@b.c.',
    ],
    [
      { is: 'unknown', email: 'x@acme.com', slackName: 'Xavi' },
      'knows no agent by your email x@acme.com.\nYou can watch all the same: your links carry your Slack name, Xavi.',
    ],
    [{ is: 'without-email', slackName: 'Xavi' }, 'shows this app no email'],
    [{ is: 'without-email', slackName: '\u200B' }, 'your links carry your Slack name.'],
    [{ is: 'not-asked', slackName: 'Xavi' }, 'Your links carry your Slack name, Xavi.'],
    [{ is: 'no-profile' }, 'Slack did not tell the app who you are just now.'],
  ] as const)('says to %j: "%s"', (identity, expected) => {
    expect(words(full({ you: { had: identity } }))).toContain(expected);
  });

  it('lists the sessions of the day and counts those it does not', () => {
    const session = SessionSchema.parse({
      id: 's1',
      visitor_id: 'jane',
      started_at: '2026-03-04T09:00:00Z',
      ended_at: '2026-03-04T09:10:00Z',
      length_seconds: 600,
      features_used: ['click'],
    });
    const text = words(full({ sessions: { had: { latest: [session], total: 3 } } }));
    expect(text).toContain('10 minutes, visitor jane, clicked');
    expect(text).toContain('And 2 earlier ones today.');
  });

  it('says of a link only what is known', () => {
    const at = new Date('2026-03-04T09:00:00Z');
    const text = words(
      full({
        links: [
          { visitor: 'Jane Cooper', power: 'view', at, end: { at, lengthSeconds: 90 } },
          { visitor: 'Liam', power: 'full', at, end: { at } },
          { visitor: 'Sofia', power: 'point', at },
        ],
      }),
    );
    expect(text).toContain('Jane Cooper, , view only: ended  after 1 minute 30 seconds');
    expect(text).toContain('Liam, , full control: ended ');
    expect(text).toContain('Sofia, , point and scroll: no end was told so far: still open, or never opened');
  });

  it('shows usage as numbers, and as a picture that is told in words', () => {
    const view = full({ usage: { had: { usage, picture } } });
    expect(words(view)).toContain('Sessions: 2 running now, 4 in the last 24 hours, 60 in the last 30 days');
    expect(view.blocks.filter(({ type }) => type === 'image')).toEqual([
      { type: 'image', image_url: picture.url, alt_text: picture.altText },
    ]);
    const without = full({ usage: { had: { usage, picture: undefined } } });
    expect(without.blocks.some(({ type }) => type === 'image')).toBe(false);
    expect(words(without)).toContain('4 in the last 24 hours');
  });
});

describe('the Home of an admin', () => {
  const settings = {
    mostPower: 'point',
    usualPower: 'view',
    channelPower: { C0SALES0002: 'full' },
    deleters: ['U0SAM000002', 'S0LEADS0001'],
  } as const;

  it('shows the settings as they are, and a button to edit them', () => {
    const view = full({ settings: { ...settings, deleters: [...settings.deleters] } });
    expect(words(view)).toContain('No link grants more than: point and scroll');
    expect(words(view)).toContain('Watch grants: view only');
    expect(words(view)).toContain('Who may delete visitors: admins, <@U0SAM000002>, ');
    const shown = JSON.stringify(view);
    expect(shown).toContain('{"type":"channel","channel_id":"C0SALES0002"}');
    expect(shown).toContain('{"type":"usergroup","usergroup_id":"S0LEADS0001"}');
    expect(labels(view)).toEqual(['Refresh', 'Edit settings']);
  });

  it('is the only one with settings', () => {
    expect(headings(full({}))).not.toContain('Settings');
    expect(labels(full({}))).not.toContain('Edit settings');
  });

  it('cuts long lists and says how much more there is', () => {
    const channelPower = Object.fromEntries(
      Array.from({ length: 30 }, (_nothing, index) => [`C${index}`, 'view' as const]),
    );
    const deleters = Array.from({ length: 23 }, (_nothing, index) => `U${index}`);
    const text = words(full({ settings: { ...settings, channelPower, deleters } }));
    expect(text).toContain('And 10 other channels with a power of their own');
    expect(text).toContain('<@U19> and 3 others');
  });
});

describe('the Home while the service fails', () => {
  const unreachable = { failed: cobrowseFailureWords('unreachable') };

  it('says each failure once, with what to do, and where it is felt', () => {
    const text = words(
      full({
        you: unreachable,
        online: unreachable,
        sessions: unreachable,
        usage: { failed: cobrowseFailureWords('refused-key', 'no_subscription') },
      }),
    );
    expect(text.split('The co-browsing service cannot be reached.')).toHaveLength(2);
    expect(text.split('Try again in a minute.')).toHaveLength(2);
    expect(text).toContain('Ask your account owner to renew the co-browsing subscription.');
    expect(text.split('Not shown. The service cannot be reached: see above.')).toHaveLength(4);
    expect(text).toContain('Not shown. The service refused the app: see above.');
  });

  it('keeps the parts that did not fail', () => {
    const view = full({ usage: unreachable, online: { had: { visitors: [jane], hasMore: false, tools } } });
    expect(words(view)).toContain('Jane Cooper');
    expect(labels(view)).toContain('Watch');
  });
});

describe('the Home before and beside its content', () => {
  it('is at first a skeleton with the headings to come', () => {
    const skeleton = homeSkeleton();
    expect(problemsOf(skeleton)).toEqual([]);
    expect(headings(skeleton)).toEqual(headings(full({})));
    expect(words(skeleton)).toContain('Asking the co-browsing service.');
    expect(labels(skeleton)).toEqual([]);
  });

  it('says with a reference that something unexpected happened, and lets one try again', () => {
    const view = failedHome(failureMessage(unexpectedFailureWords('1234abcd')));
    expect(problemsOf(view)).toEqual([]);
    expect(words(view)).toContain('1234abcd');
    expect(labels(view)).toEqual(['Refresh']);
  });

  it('tells a person of another organisation nothing', () => {
    const view = strangersHome();
    expect(problemsOf(view)).toEqual([]);
    expect(words(view)).toContain('the people of the workspace that installed it');
    expect(labels(view)).toEqual([]);
  });
});
