import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkCard } from '../../src/sessions/link-card.ts';
import type { Message } from '../../src/messages/message.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { foreignText } from '../messages/arbitrary.ts';

const given = {
  watchedBy: 'U0ALEX00001',
  isCut: false,
  visitor: 'Jane Cooper',
  visitorId: 'jane4821',
  access: 'full',
  linkId: 'link-1',
  canAskChannel: true,
  canStop: true,
  colleagues: [],
} as const;
const problemsOf = ({ text, blocks }: Message) =>
  problemsIn({ surface: 'message', payload: { text, blocks } });

const steps = ['Ask a colleague', 'Ask this channel', 'Stop session'];

describe('the card of a link that was opened', () => {
  it.each([
    ['webhook', 'This message becomes the summary when the session ends.'],
    ['lookup', 'This message becomes the summary a few minutes after the session ends.'],
    ['never', 'No summary follows: this deployment doesn’t report when sessions end.'],
  ] as const)('promises, where an end is %s, no more than can be kept', (endSource, words) => {
    const card = linkCard({ ...given, endSource }, { agent: 'Alex Rivera' });
    expect(card.text).toBe(`Alex Rivera asked to see Jane Cooper’s screen · Full control.\n${words}`);
    expect(buttonsIn(card.blocks).map(({ text }) => text.text)).toEqual(steps);
  });
});

describe('the card of a session that a look-up saw', () => {
  it('says that it runs and when that was seen, and still offers to stop it', () => {
    const card = linkCard({ ...given, endSource: 'webhook' }, { seenAt: Date.parse('2026-03-01T12:05:00Z') });
    expect(card.text.split('\n')).toEqual([
      '<@U0ALEX00001> asked to see Jane Cooper’s screen · Full control.',
      'In session',
      'Last check: <!date^1772366700^{date_short_pretty} at {time}|2026-03-01 12:05 UTC>',
      'This message becomes the summary when the session ends.',
    ]);
    expect(buttonsIn(card.blocks).map(({ text }) => text.text)).toEqual(steps);
    expect(problemsOf(card)).toEqual([]);
  });
});

describe('the card of a link that came to nothing', () => {
  it.each([
    ['unused', 'webhook', 'Link to', '<@U0ALEX00001> didn’t open the link.'],
    [
      'unknown',
      'webhook',
      '<@U0ALEX00001> asked to see',
      'Nothing more is known: no end was reported, and the service lists no session that ended.',
    ],
    [
      'unknown',
      'never',
      '<@U0ALEX00001> asked to see',
      'Nothing more is known: this deployment doesn’t report when sessions end.',
    ],
    [
      'undelivered',
      'webhook',
      '<@U0ALEX00001> asked to see',
      'It ended, but I couldn’t post the summary here. Admins can see why in the app’s Home tab.',
    ],
  ] as const)('says, where it is %s and ends are %s, what is known', (concluded, endSource, about, words) => {
    const card = linkCard({ ...given, access: 'view', endSource }, { concluded });
    expect(card.text).toBe(`${about} Jane Cooper’s screen · View only.\n${words}`);
    expect(buttonsIn(card.blocks)).toEqual([]);
  });

  it('is sound for every visitor’s name', () => {
    fc.assert(
      fc.property(foreignText, fc.constantFrom('unused', 'unknown', 'undelivered'), (visitor, concluded) => {
        expect(problemsOf(linkCard({ ...given, visitor, endSource: 'webhook' }, { concluded }))).toEqual([]);
      }),
    );
  });
});
