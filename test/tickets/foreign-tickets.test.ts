import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

const tickets = createTickets(['the key of these tests, long enough'], () => noon)('watch', WatchRequest);
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

  it('is bad with anything before, inside or behind it, and spelled in another way', () => {
    const behind = ['=', '==', ' ', '\n', '\0', '/', ticket].map((more) => ticket + more);
    const spaced = [` ${ticket}`, `${ticket.slice(0, 9)}\t${ticket.slice(9)}`];
    expect(taken([...behind, ...spaced, bytes.toString('hex'), ticket.toUpperCase()])).toEqual([]);
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
