import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emailClues, visitorClues } from '../../src/commands/clues.ts';
import { anyCharacter, longAddress } from '../support/any-text.ts';

const cluesOf = (text: string) => visitorClues({ text }).all.map(({ argument }) => argument);

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

  it('takes the likelier first, and each once', () => {
    const text = '4821 https://a.example/x 4821 <mailto:jane@acme.com|jane@acme.com> JANE jane@acme.com';
    expect(cluesOf(text)).toEqual(['jane@acme.com', '4821', 'a.example/x']);
  });

  it('takes ten at most', () => {
    const text = Array.from({ length: 30 }, (_, index) => `p${index}@acme.com`).join(' ');
    expect(cluesOf(text)).toHaveLength(10);
    expect(emailClues({ text }).all).toHaveLength(10);
  });

  it('leaves out what is too long to choose', () => {
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
        for (const { text: shown, argument } of visitorClues({ text }).all) {
          expect(shown.length).toBeGreaterThan(0);
          expect(argument.length).toBeLessThanOrEqual(75);
        }
      }),
    );
  });

  it('is found in time that grows with the length alone', () => {
    for (const hostile of [
      'a'.repeat(40_000),
      'a.'.repeat(20_000),
      'a@'.repeat(20_000),
      'visitor '.repeat(5_000),
    ]) {
      expect(cluesOf(hostile).length).toBeLessThanOrEqual(10);
    }
  });
});
