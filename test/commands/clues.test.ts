import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emailClues, visitorClues } from '../../src/commands/clues.ts';
import { anyCharacter, longAddress } from '../support/any-text.ts';

const cluesOf = (text: string) => visitorClues({ text }).all;

/** What may be used without asking, for Stop session and for Find visitor. */
const clearIn = (text: string) => [visitorClues({ text }).clear, emailClues({ text }).clear];

describe('an email in a message', () => {
  it.each([
    ["pat.o'brien@example.test", "pat.o'brien@example.test"],
    // Slack takes a part of it for an address.
    ["pat.o'<mailto:brien@example.test|brien@example.test>", "pat.o'brien@example.test"],
    ['pat@mün<http://chen.example|chen.example>', 'pat@münchen.example'],
    ['用户@例子.测试', '用户@例子.测试'],
    ['<mailto:a/b=c@example.test|a/b=c@example.test>', 'a/b=c@example.test'],
    ['*_zoe@example.test_*, please', 'zoe@example.test'],
    ['<mailto:zoe@example.test|zoe@example.test>’s screen', 'zoe@example.test'],
    ['Zoë Müller &lt;<mailto:zoe@example.test|zoe@example.test>&gt;', 'zoe@example.test'],
    ['Zoe@Example.test, zoe@example.test', 'zoe@example.test'],
  ])('is used at once where it’s surely whole: %s', (text, email) => {
    expect(clearIn(`from ${text} today`)).toEqual([email, email]);
  });

  it.each([
    // Shown, to choose or to edit.
    ['email=zoe@example.test', ['email=zoe@example.test']],
    ['邮箱是zoe@example.test谢谢', ['邮箱是zoe@example.test谢谢']],
    ['zoe@example.tes…', ['zoe@example.tes']],
    ['<mailto:zoe@example.test|liam@example.test>', ['zoe@example.test', 'liam@example.test']],
    [`${'z'.repeat(64)}@example.test or liam@example.test`, ['liam@example.test']],
    // Not at all, nor is another one then the only one.
    ['m\uFFFDller@example.test', []],
    ['pat\u2010brien@example.test', []],
    ['pat\\brien@example.test', []],
    ['zoe@example.test/returns', []],
    ['"pat brien"@example.test', []],
    ['m\uFFFDller@example.test, cc boss@example.test', ['boss@example.test']],
  ])('is never used at once where it may be a piece: %s', (text, shown) => {
    expect(cluesOf(`from ${text} today`)).toEqual(shown);
    expect(clearIn(`from ${text} today`)).toEqual([undefined, undefined]);
  });

  it('is whole or nothing, whatever signs are in it', () => {
    const part = fc.stringMatching(/^[a-z]{1,4}$/);
    const sign = fc.constantFrom(...Array.from(".!#$%&*+/=?^_`{|}~-'’‘\\\uFFFD‐–·´…ß×€é漢"), '');
    const address = fc.tuple(part, sign, part, sign, part).map((parts) => `${parts.join('')}@example.test`);
    fc.assert(
      fc.property(address, (whole) => {
        // Marks at its end are the sentence's.
        const words = new Set([undefined, whole, whole.replace('’', "'")]);
        // A bar ends the address in a link of Slack's.
        const linked = whole.includes('|') ? [] : [`<mailto:${whole}>`];
        for (const text of [`from ${whole}, please`, ...linked])
          for (const clue of [...cluesOf(text), ...clearIn(text)]) expect(words).toContain(clue);
      }),
    );
  });
});

describe('what a message says of a visitor', () => {
  it.each([
    ['New message from <mailto:jane@acme.com|jane@acme.com>: help', ['jane@acme.com']],
    ['From Jane <jane.d+shop@acme.co.uk>, urgent', ['jane.d+shop@acme.co.uk']],
    ['the customer reads lookup code 4821 from the page', ['4821']],
    ['code: 4821.', ['4821']],
    ['please see id:customer-1001', ['id:customer-1001']],
    ['integration_id:zendesk:90210 is stuck', ['integration_id:zendesk:90210']],
    ['from ip:203.0.113.7', ['ip:203.0.113.7']],
    ['visitor jane4821 is waiting', ['jane4821']],
    ['Visitor ID: `lm3`', ['lm3']],
    ['<https://dashboard.example/visitors/Xq9Z?tab=1>', ['Xq9Z']],
    ['<https://dashboard.example/dashboard/visitors/Xq9Z|open>', ['Xq9Z']],
    ['<https://shop.acme.com/returns?order=1042&amp;token=secret#frag>', ['shop.acme.com/returns']],
    ['nothing here', []],
    ['', []],
  ])('%j gives %j', (text, clues) => {
    expect(cluesOf(text)).toEqual(clues);
  });

  it.each(['order 10421', 'version 1.2.3.4', 'call +15550100', '2026-01-02', 'at 12:3000', '#4821'])(
    'finds no lookup code in %j',
    (text) => {
      expect(cluesOf(text)).toEqual([]);
    },
  );

  it.each([
    ['codes', 'é4821 4821é 4821€ $4821 4,821 4821’000 4821-b'],
    ['codes in longer numbers', '+49 4821 123456 or 4821 1234 5678'],
    ['ids', 'visitor jane4821.5, visitor o’9, visitor 9é, éid:7, id:customer’1, id:a/b'],
    ['ids of pages', 'https://d.example/visitors/o%27brien'],
  ])('never takes a piece for the whole: %s', (_what, text) => {
    expect(cluesOf(text).filter((clue) => !clue.includes('/'))).toEqual([]);
  });

  it('uses a code at once where nothing else is there, also in wide digits', () => {
    expect(clearIn('the code is ４８２１.')).toEqual(['4821', undefined]);
    expect(clearIn('4821, or 4822')).toEqual([undefined, undefined]);
  });

  it('takes the likelier first, each once, ten at most, and nothing that is too long to choose', () => {
    const text = '4821 https://a.example/x 4821 <mailto:jane@acme.com|jane@acme.com> JANE jane@acme.com';
    expect(cluesOf(text)).toEqual(['jane@acme.com', '4821', 'a.example/x']);
    const many = Array.from({ length: 30 }, (_, index) => `p${index}@acme.com`).join(' ');
    for (const of of [visitorClues, emailClues]) expect(of({ text: many }).all).toHaveLength(10);
    expect(cluesOf(`https://shop.example/${'a'.repeat(80)}`)).toEqual([]);
  });

  it('never holds a query string or a fragment of an address', () => {
    fc.assert(
      fc.property(longAddress, (url) => {
        for (const clue of cluesOf(`see <${url}> please`)) expect(clue).not.toMatch(/[?]|secret/);
      }),
    );
  });

  it('fits into a choice, whatever the message', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 2_000 }), (text) => {
        for (const clue of cluesOf(text)) expect(clue).toMatch(/^.{1,75}$/su);
      }),
    );
  });

  it('is found in time that grows with the length alone', () => {
    const pieces = ['a', 'a.', 'a@', 'visitor ', 'mailto:', '<http://a|', "a'"];
    const links = `https://a.example/${'.'.repeat(1_900)}x `.repeat(20);
    for (const hostile of [...pieces.map((piece) => piece.repeat(40_000 / piece.length)), links])
      expect(cluesOf(hostile).length).toBeLessThanOrEqual(10);
  });
});
