import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concludedCard, linkCard } from '../../src/views/link-card.ts';
import type { Message } from '../../src/views/message.ts';
import { buttonsIn } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { foreignText } from './arbitrary.ts';

const given = {
  agent: 'Alex Rivera',
  watchedBy: 'U0ALEX00001',
  isCut: false,
  visitor: 'Jane Cooper',
  visitorId: 'jane4821',
  power: 'full',
  canStop: true,
} as const;
const over = { watchedBy: 'U0ALEX00001', visitor: 'Jane Cooper', isCut: false, power: 'view' } as const;

const problemsOf = ({ text, blocks }: Message) =>
  problemsIn({ surface: 'message', payload: { text, blocks } });

describe('the card of a link that was given', () => {
  it.each([
    ['told', 'The summary takes this message’s place when the session ends.'],
    ['asked', 'The summary takes this message’s place some minutes after the session ended.'],
    ['never', 'This deployment tells of no session’s end, so no summary follows.'],
  ] as const)('promises, where an end is %s, no more than can be kept', (endNews, words) => {
    const card = linkCard({ ...given, endNews });
    expect(card.text).toBe(
      `Alex Rivera was given a link to the screen of Jane Cooper.\nGranted: full control. ${words}`,
    );
    expect(buttonsIn(card.blocks).map(({ text }) => text.text)).toEqual(['Stop session']);
  });
});

describe('the card of a link that came to nothing', () => {
  it.each([
    ['unused', 'told', 'The link was not used: the service lists no session for it.'],
    ['unused', 'asked', 'The link was not used: the service lists no session for it.'],
    [
      'unknown',
      'told',
      'Outcome unknown: the service never told of an end and does not list an ended session.',
    ],
    ['unknown', 'never', 'Outcome unknown: this deployment tells of no session’s end and lists none.'],
  ] as const)('says, where it is %s and ends are %s, what is known', (concluded, endNews, words) => {
    const card = concludedCard({ ...over, concluded, endNews });
    expect(card.text).toBe(
      `<@U0ALEX00001> was given a link to the screen of Jane Cooper.\nGranted: view only.\n${words}`,
    );
    expect(buttonsIn(card.blocks)).toEqual([]);
  });

  it('is sound for every visitor’s name', () => {
    fc.assert(
      fc.property(foreignText, fc.constantFrom('unused', 'unknown'), (visitor, concluded) => {
        expect(problemsOf(concludedCard({ ...over, visitor, concluded, endNews: 'told' }))).toEqual([]);
      }),
    );
  });
});
