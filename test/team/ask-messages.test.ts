import { describe, expect, it } from 'vitest';
import { channelAsked } from '../../src/team/ask-deliveries.ts';
import { notTaken } from '../../src/team/ask-forms.ts';
import type { Ask } from '../../src/team/asks.ts';
import { ALEX, KIM, SAM, SUPPORT, buttonsIn } from '../support/person.ts';

const open: Ask = {
  id: 'ask-1',
  workspaceId: 'T0ACME00001',
  visitorId: 'jane4821',
  askedId: SUPPORT,
  askedBy: ALEX,
  askedAt: new Date('2026-03-01T11:00:00Z'),
  reason: 'Stuck at checkout',
  channelId: SUPPORT,
  threadTs: undefined,
  cardId: 'card-1',
  ticketUrl: undefined,
  openUntil: new Date('2026-03-01T12:00:00Z'),
  takenBy: undefined,
  hasOpened: false,
  hasEnded: false,
};
const taken = { ...open, openUntil: undefined, takenBy: SAM };
const over = { ...open, openUntil: undefined };

describe('a press of “I’ll take it”', () => {
  it.each([
    ['that is open', open, KIM, undefined],
    ['that one has', taken, SAM, undefined],
    ['that somebody else has, by the asker', taken, ALEX, `<@${SAM}> took it.`],
    ['whose time is over', over, KIM, 'This isn’t open any more.'],
    [
      'whose session ended',
      { ...over, hasEnded: true },
      KIM,
      'The session ended, so there’s nothing to take.',
    ],
    ['that was asked again', undefined, KIM, 'This isn’t open any more. Look for a newer message.'],
  ] as const)('on a post %s', (_which, ask, userId, words) => {
    expect(notTaken(ask, userId)?.text).toBe(words);
  });
});

describe('a post that asks a channel', () => {
  it('has no personal details once people of other organizations can read it', () => {
    const shown = channelAsked(open, { visitor: 'jane4821', isCut: true }, true);
    expect(shown.text).toContain('look at jane4821’s screen');
    expect(shown.text).not.toContain('checkout');
    expect(buttonsIn(shown.blocks)).toHaveLength(1);
  });

  it.each([['ends don’t become known', open, false, 'Open until: ']] as const)(
    'says until when it’s open where %s',
    (_where, ask, knowsEnd, words) => {
      expect(channelAsked(ask, { visitor: 'Jane Cooper', isCut: false }, knowsEnd).text).toContain(words);
    },
  );
});
