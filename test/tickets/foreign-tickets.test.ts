import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/tickets.ts';

const MINUTE = 60_000;
const noon = Date.UTC(2026, 0, 1, 12);
const link = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX00001',
  visitorId: 'jane4821',
  access: 'full',
} as const;

const kind = createTickets(['the key of these tests, long enough'], () => noon);
const tickets = kind('watch', WatchRequest);
const ticket = tickets.issue(link, MINUTE);
const bytes = Buffer.from(ticket, 'base64url');

/** Those of the texts that are taken for tickets. */
const taken = (texts: readonly string[]) => texts.filter((text) => tickets.read(text).state !== 'bad');

const flipped = (index: number, bit: number) =>
  Buffer.from(bytes.map((byte, at) => (at === index ? byte ^ (1 << bit) : byte))).toString('base64url');

const OTHER_CHARACTERS = ['A', 'b', '0', '-', '_', ' ', '%', '.', '=', 'é'];

function misspelled(index: number): readonly string[] {
  const [before, at = '', after] = [ticket.slice(0, index), ticket[index], ticket.slice(index + 1)];
  const replaced = OTHER_CHARACTERS.filter((other) => other !== at).map((other) => before + other + after);
  return [...replaced, before + after, before + at + at + after];
}

describe('a ticket that isn’t ours', () => {
  it('is bad with any bit changed', () => {
    const altered = [...bytes.keys()].flatMap((index) =>
      Array.from({ length: 8 }, (_, bit) => flipped(index, bit)),
    );
    expect(new Set(altered).size).toBe(bytes.length * 8);
    expect(taken(altered)).toEqual([]);
  });

  it('is bad with any character replaced, removed or doubled', () => {
    expect(taken(Array.from(ticket, (_, index) => misspelled(index)).flat())).toEqual([]);
  });

  it.each([
    ['padding', `${ticket}=`],
    ['more padding', `${ticket}==`],
    ['a space before', ` ${ticket}`],
    ['a space behind', `${ticket} `],
    ['a line end', `${ticket}\n`],
    ['a tab inside', `${ticket.slice(0, 9)}\t${ticket.slice(9)}`],
    ['a zero behind', `${ticket}\0`],
    ['a slash behind', `${ticket}/`],
    ['its bytes in hexadecimal', bytes.toString('hex')],
    ['upper case alone', ticket.toUpperCase()],
    ['a second ticket behind', ticket + ticket],
  ])('is bad with %s', (_, text) => {
    expect(tickets.read(text)).toEqual({ state: 'bad' });
  });

  it('is bad when it is for another purpose', () => {
    const sessionEnd = kind('session-end', WatchRequest);
    expect(taken([sessionEnd.issue(link, MINUTE)])).toEqual([]);
    expect(sessionEnd.read(ticket)).toEqual({ state: 'bad' });
    expect(kind('', WatchRequest).read(ticket)).toEqual({ state: 'bad' });
  });

  it('is bad when its content has the wrong form', () => {
    const loose = kind('watch', z.unknown());
    const contents = [null, 'text', [], {}, { ...link, visitorId: 7 }, { ...link, userId: null }];
    expect(taken(contents.map((content) => loose.issue(content, MINUTE)))).toEqual([]);
  });

  it('is bad when it is longer than any of ours', () => {
    expect(taken(['A'.repeat(2_049), 'A'.repeat(5_000_000)])).toEqual([]);
  });

  it('is bad whatever the text is, and never an error', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.string({ maxLength: 3_000 }),
      fc
        .uint8Array({ maxLength: 300 })
        .map((random) => Buffer.concat([bytes.subarray(0, 4), random]).toString('base64url')),
    );
    fc.assert(
      fc.property(anyText, (text) => tickets.read(text).state === 'bad'),
      { numRuns: 1_000 },
    );
    expect(tickets.read(ticket).state).toBe('good');
  });
});
