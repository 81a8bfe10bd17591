import { describe, expect, it } from 'vitest';
import type { CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { cobrowseFailureWords } from '../../src/messages/failure-words.ts';

// A kind that is missing here is a type error.
const kinds = Object.keys({
  'not-found': 0,
  'limit-reached': 0,
  'not-in-plan': 0,
  'visitor-online': 0,
  'not-authorized': 0,
  'refused-key': 0,
  busy: 0,
  unreachable: 0,
  'called-off': 0,
  'timed-out': 0,
  'not-understood': 0,
  'not-offered': 0,
  'not-connected': 0,
} satisfies Record<CobrowseErrorKind, number>);

const isKind = (kind: string): kind is CobrowseErrorKind => kinds.includes(kind);
const allWords = kinds.filter(isKind).map((kind) => cobrowseFailureWords({ kind }));

describe('a failure in words', () => {
  it('is one sentence and a next step, another for every kind', () => {
    for (const { text, next } of allWords) {
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(text.split('. ')).toHaveLength(1);
      expect(next).toMatch(/^(?:Search|Wait|Ask|Try|Tell)\b.*\.$/);
    }
    expect(new Set(allWords.map(({ text }) => text)).size).toBe(kinds.length);
  });

  it('names the setting where a link leads to a host that was not named', () => {
    const { next } = cobrowseFailureWords({ kind: 'not-understood', code: 'other-host' });
    expect(next).toMatch(/^Ask whoever runs the app to check WATCH_HOSTS: .*\.$/);
  });
});
