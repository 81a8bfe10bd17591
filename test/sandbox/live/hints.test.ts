import { describe, expect, it } from 'vitest';

const { GONE_MS, hintWords } = await import(
  new URL('../../../sandbox/service/page/hints.js', import.meta.url).href
);

const seen = {
  name: 'Jane',
  status: 'live',
  isPresent: true,
  isOffline: false,
  hasCome: true,
  awayMs: 0,
  isElsewhere: false,
  isControlAsked: false,
  step: 'begun',
  isStory: false,
} as const;

describe('the hint for who plays both sides', () => {
  it.each([
    [
      'the page is slow',
      { status: 'waiting', isPresent: false, hasCome: false, awayMs: GONE_MS - 1 },
      'Opening Jane’s page…',
    ],
    ['the next page is on its way', { isPresent: false, awayMs: GONE_MS - 1 }, 'Waiting for Jane’s page…'],
    [
      'the page never came',
      { status: 'waiting', isPresent: false, hasCome: false, awayMs: GONE_MS },
      'Jane’s page didn’t open here. Reload this tab to try again.',
    ],
    [
      'the page came and left',
      { isPresent: false, awayMs: GONE_MS },
      'Jane’s page is gone, or has no snippet. Reload this tab to bring it back.',
    ],
    [
      'she is asked in the tab of another session',
      { status: 'asking', isElsewhere: true },
      'Jane is asked in the other tab: press “Show this page” there, or “Not now”.',
    ],
    [
      'she agreed in the tab of another session',
      { isElsewhere: true },
      'You see Jane’s page in the other tab. What happens there shows here.',
    ],
    [
      'she is asked about another agent',
      { otherAsking: 'Sam' },
      'Sam asks, too. As Jane, press “Show this page”, or “Not now”.',
    ],
    ['she is asked for control', { isControlAsked: true }, 'As Jane, press “Allow”, or “Not now”.'],
    [
      'she is offline',
      { status: 'waiting', isPresent: false, isOffline: true, hasCome: false },
      'Jane is offline. The session waits a minute for their page.',
    ],
    ['she tried to pay before all was filled in', { step: 'empty' }, 'As Jane, fill in what’s empty.'],
    ['another page is open', { step: 'elsewhere' }, 'What you do here as Jane shows in the live view.'],
  ] as const)('when %s', (_when, change, words) => {
    expect(hintWords({ ...seen, ...change })).toBe(words);
  });

  it.each(['asking', 'live'] as const)('names no button that the visitor presses alone: %s', (status) => {
    const said = (['filling', 'empty', 'begun', 'shown', 'ticked'] as const).map((step) =>
      hintWords({ ...seen, status, step, isStory: true }),
    );
    expect(said.join()).not.toMatch(/[“”]|As Jane/u);
  });
});
