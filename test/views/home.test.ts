import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import { homeView } from '../../src/views/home.ts';
import { homeContents, tools } from './home-content.ts';
import {
  ana,
  empty,
  full,
  headings,
  jane,
  labels,
  picture,
  problemsOf,
  usage,
  words,
} from './home-pieces.ts';

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
      'You',
      'Online now',
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
    expect(headings(homeView(rest))).toEqual(['Co-browsing', 'You', 'Online now', 'Links you were given']);
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
    const latest = [
      { visitor: 'Jane Cooper', power: 'view', at, end: { at, lengthSeconds: 90 } },
      { visitor: 'Liam', power: 'full', at, end: { at } },
      { visitor: 'Sofia', power: 'point', at },
      { visitor: 'Noah', power: 'view', at, concluded: 'unused' },
      { visitor: 'Mia', power: 'view', at, concluded: 'unknown' },
    ] as const;
    const text = words(full({ links: { had: { latest, tellsEnds: true } } }));
    expect(text).toContain('Jane Cooper, , view only: ended  after 1 minute 30 seconds');
    expect(text).toContain('Liam, , full control: ended ');
    expect(text).toContain('Sofia, , point and scroll: no end was told so far: still open, or never opened');
    expect(text).toContain('Noah, , view only: not used');
    expect(text).toContain('Mia, , view only: outcome unknown, since the service shows no end');
    const silent = words(full({ links: { had: { latest, tellsEnds: false } } }));
    expect(silent).toContain('Sofia, , point and scroll');
    expect(silent).not.toContain('no end was told');
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
