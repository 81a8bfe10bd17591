import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, duration, short } from '../../src/messages/text.ts';
import { anyCharacter } from '../support/any-text.ts';

describe('foreign text, shortened', () => {
  it.each([
    ['  Jane\n\tCooper  ', 'Jane Cooper'],
    ['Bob \u202Egpj.exe', 'Bob gpj.exe'],
    ['a\u200Bb\uFEFFc\u2066d', 'abcd'],
    ['\u0000\u001B[31mred', '[31mred'],
    ['line\u2028line', 'line line'],
    ['half \uD800', 'half \uFFFD'],
    ['', ''],
    [' \u200B ', ''],
    ['\u3164\u3164', ''],
    ['Jane\u3164Doe \u115F\u1160\uFFA0', 'JaneDoe'],
    ['\u2800\u2800Jane', 'Jane'],
    ['Jane\u{E0068}\u{E0069}\u{E007F}', 'Jane'],
    ['🙂\u{E0068}\u{E0069}\u{E007F}', '🙂'],
    ['Jane\uFE0F\uFE00\uFE01\u{E0100}', 'Jane'],
    ['❤\uFE0F\uFE0F\uFE0F', '❤\uFE0F'],
    ['J\u034F\u200Da\u200Cne', 'Jane'],
  ])('%j becomes %j', (text, clean) => {
    expect(short(text)).toBe(clean);
  });

  it('ends in an ellipsis where it was cut, at a whole character', () => {
    expect(short('x'.repeat(10_000), 5)).toBe('xxxx…');
    expect(short('😀'.repeat(10), 5)).toBe('😀😀…');
    expect(short('😀'.repeat(10), 6)).toBe('😀😀…');
    expect(short('12345', 5)).toBe('12345');
    expect(short('👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 15)).toBe('👨‍👩‍👧‍👦…');
    expect(short('👨‍👩‍👧‍👦', 5)).toBe('👨…');
  });

  it.each(['👨‍👩‍👧‍👦', '👋🏽', '🇳🇱', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴‍☠️', '🏳️‍🌈', '1️⃣', '#⃣', '❤️', '👁‍🗨', '🕵🏻‍♂️', '🏃🏽‍♀️‍➡️', '🧑🏻‍❤️‍💋‍🧑🏼'])(
    'keeps an emoji of several characters whole: %s',
    (emoji) => {
      expect(short(`Jane ${emoji}`)).toBe(`Jane ${emoji}`);
    },
  );

  it('shows nothing of what Unicode calls ignorable, alone', () => {
    const ignorable = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
      .map((code) => String.fromCodePoint(code))
      .filter((one) => /\p{Default_Ignorable_Code_Point}/u.test(one));
    expect(ignorable.length).toBeGreaterThan(4_000);
    expect(ignorable.filter((one) => short(`a${one}b`) !== 'ab')).toEqual([]);
  });

  it('is one line, well formed and no longer than asked, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 500 }),
        fc.integer({ min: 1, max: 150 }),
        (text, longest) => {
          const clean = short(text, longest);
          expect(clean.length).toBeLessThanOrEqual(longest);
          expect(clean.isWellFormed()).toBe(true);
          expect(clean).toBe(clean.trim());
          expect(clean).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
        },
      ),
    );
  });
});

describe('numbers in words', () => {
  it('are singular and plural', () => {
    expect([count(0, 'session'), count(1, 'session'), count(1_234, 'session')]).toEqual([
      '0 sessions',
      '1 session',
      '1,234 sessions',
    ]);
  });

  it('are lengths of time of two parts at most', () => {
    expect([45, 60, 725, 3_600, 7_384, 360_000, -5, 0.4].map(duration)).toEqual([
      '45 seconds',
      '1 minute',
      '12 minutes 5 seconds',
      '1 hour',
      '2 hours 3 minutes',
      '100 hours',
      '0 seconds',
      '0 seconds',
    ]);
  });
});
