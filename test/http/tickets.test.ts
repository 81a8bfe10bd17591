import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { anyCharacter } from '../support/any-text.ts';

const KEY = 'the key of these tests, long enough';
const OTHER_KEY = 'another key of these tests, as long';
const MINUTE = 60_000;
const noon = Date.UTC(2026, 0, 1, 12);

const link = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX00001',
  visitorId: 'jane4821',
  access: 'full',
  channelId: 'C0SUPPORT01',
  threadTs: '1700000000.000100',
} as const;

function watchTickets(keys: readonly [string, ...string[]] = [KEY]) {
  const clock = { time: noon };
  const kind = createTickets(keys, () => clock.time);
  return { clock, kind, tickets: kind('watch', WatchRequest) };
}

describe('a ticket', () => {
  it('gives back what it was issued for, letter for letter, and when it expires', () => {
    const anything = watchTickets().kind('anything', z.unknown());
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (content) => {
        fc.pre(Buffer.byteLength(JSON.stringify(content)) < 1_400);
        const reading = anything.read(anything.issue(content, MINUTE));
        expect(reading).toMatchObject({ state: 'good', expiresAt: noon + MINUTE });
        expect('content' in reading && JSON.stringify(reading.content)).toBe(JSON.stringify(content));
      }),
    );
  });

  it('has room for the longest visitor id with a message’s address', () => {
    const tickets = watchTickets().kind('session-end', IssuedLink);
    const longest = {
      ...link,
      visitorId: '店'.repeat(255),
      notes: `https://${'w'.repeat(60)}.slack.com/archives/C0SUPPORT01/p1700000000000100?thread_ts=1700000000.000100&cid=C0SUPPORT01`,
      linkId: crypto.randomUUID(),
    };
    expect(tickets.read(tickets.issue(longest, MINUTE))).toMatchObject({ state: 'good', content: longest });
  });

  it('is never issued so long that it couldn’t be read', () => {
    const anything = watchTickets().kind('anything', z.unknown());
    expect(() => anything.issue('x'.repeat(1_500), MINUTE)).toThrow('too long');
  });

  it('is good until its time is over, and expired from then on', () => {
    const { clock, tickets } = watchTickets();
    const ticket = tickets.issue(link, MINUTE);
    clock.time = noon + MINUTE - 1;
    expect(tickets.read(ticket).state).toBe('good');
    clock.time = noon + MINUTE;
    expect(tickets.read(ticket)).toEqual({ state: 'expired' });
  });

  it('can be part of an address as it is, and reveals nothing that it was issued for', () => {
    const { tickets } = watchTickets();
    const ticket = tickets.issue(link, MINUTE);
    expect(ticket).toMatch(/^[\w-]{1,400}$/);
    const seen = [ticket, Buffer.from(ticket, 'base64url').toString('latin1')];
    for (const hidden of [...Object.values(link), 'watch', 'visitorId', String(noon + MINUTE), KEY]) {
      for (const text of seen) expect(text).not.toContain(hidden);
    }
  });
});

it.each([
  ['opens what an older key sealed', [KEY], [OTHER_KEY, KEY], 'good'],
  ['opens what the newest key sealed', [OTHER_KEY, KEY], [OTHER_KEY], 'good'],
  ['seals with the newest key alone', [OTHER_KEY, KEY], [KEY], 'bad'],
  ['opens nothing of a key that was removed', [KEY], [OTHER_KEY], 'bad'],
] as const)('the ring of keys %s', (_what, sealing, opening, state) => {
  const ticket = watchTickets(sealing).tickets.issue(link, MINUTE);
  expect(watchTickets(opening).tickets.read(ticket).state).toBe(state);
});

const { tickets: ours } = watchTickets();
const ticket = ours.issue(link, MINUTE);
const bytes = Buffer.from(ticket, 'base64url');

/** Those of the texts that are taken for tickets. */
const taken = (texts: readonly string[]) => texts.filter((text) => ours.read(text).state !== 'bad');

const flipped = (index: number, bit: number) =>
  Buffer.from(bytes.map((byte, at) => (at === index ? byte ^ (1 << bit) : byte))).toString('base64url');

describe('a ticket that isn’t ours', () => {
  it('is bad with any bit changed', () => {
    const altered = [...bytes.keys()].flatMap((index) =>
      Array.from({ length: 8 }, (_, bit) => flipped(index, bit)),
    );
    expect(new Set(altered).size).toBe(bytes.length * 8);
    expect(taken(altered)).toEqual([]);
  });

  it('is bad whatever the text is, and never an error', () => {
    const anyText = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.base64String(),
      fc.string({ maxLength: 3_000 }),
      fc
        .uint8Array({ maxLength: 300 })
        .map((random) => Buffer.concat([bytes.subarray(0, 4), random]).toString('base64url')),
    );
    fc.assert(
      fc.property(anyText, (text) => ours.read(text).state === 'bad'),
      { numRuns: 1_000 },
    );
    expect(ours.read(ticket).state).toBe('good');
  });
});
