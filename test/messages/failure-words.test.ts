import { describe, expect, it } from 'vitest';
import type { CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import {
  cobrowseFailureWords,
  failureMessage,
  unexpectedFailureWords,
} from '../../src/messages/failure-words.ts';
import { problemsIn } from '../support/shown.ts';

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
} satisfies Record<CobrowseErrorKind, number>);

const isKind = (kind: string): kind is CobrowseErrorKind => kinds.includes(kind);
const allWords = kinds.filter(isKind).map((kind) => ({ kind, words: cobrowseFailureWords(kind) }));

describe('a failure in words', () => {
  it.each(allWords)('is a title, one sentence and a next step: $kind', ({ words }) => {
    expect(words.title).toMatch(/^[A-Z][^.]{5,60}$/);
    expect(words.text).toMatch(/^[A-Z].*\.$/);
    expect(words.text.split('. ')).toHaveLength(1);
    expect(words.next).toMatch(/^(?:Search|Wait|Ask|Try|Tell)\b.*\.$/);
  });

  it('names the licence token that an installation refused, and not the key', () => {
    const words = cobrowseFailureWords('not-authorized', 'used_license_token');
    expect(words.text).toContain('licence token');
    expect(words.text).toContain('“used_license_token”');
    expect(words.next).not.toContain('REST_KEY');
  });

  it('is another for every kind', () => {
    expect(new Set(allWords.map(({ words }) => words.text)).size).toBe(kinds.length);
  });

  it.each(allWords)('is a sound message: $kind', ({ words }) => {
    const { text, blocks } = failureMessage(words);
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
    expect(text).toBe(`${words.text}\n${words.next}`);
  });

  it('repeats no code that the service did not give', () => {
    expect(cobrowseFailureWords('refused-key').text).not.toContain('said');
  });

  it('names the setting where a link leads to a host that was not named', () => {
    const { next } = cobrowseFailureWords('not-understood', 'other-host');
    expect(next).toMatch(/^Ask your admin to check WATCH_HOSTS: .*\.$/);
  });

  it('gives the reference of what nobody expected', () => {
    expect(unexpectedFailureWords('1a2b3c4d').next).toContain('give your admin the reference 1a2b3c4d');
  });
});
