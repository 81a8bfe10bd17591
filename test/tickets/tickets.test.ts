import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/tickets.ts';

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
  it('gives back what it was issued for', () => {
    const { tickets } = watchTickets();
    expect(tickets.read(tickets.issue(link, MINUTE))).toEqual({
      state: 'good',
      content: link,
      expiresAt: noon + MINUTE,
    });
  });

  it('gives back any content, letter for letter', () => {
    const anything = watchTickets().kind('anything', z.unknown());
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (content) => {
        fc.pre(Buffer.byteLength(JSON.stringify(content)) < 1_400);
        const ticket = anything.issue(content, MINUTE);
        const reading = anything.read(ticket);
        expect(reading.state).toBe('good');
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
    clock.time = noon + 1_000 * MINUTE;
    expect(tickets.read(ticket)).toEqual({ state: 'expired' });
  });

  it('can be part of an address as it is', () => {
    const { tickets } = watchTickets();
    const ticket = tickets.issue(link, MINUTE);
    expect(ticket).toMatch(/^[\w-]+$/);
    expect(ticket.length).toBeLessThan(400);
  });
});

describe('what a ticket reveals', () => {
  it('is nothing that it was issued for', () => {
    const { tickets } = watchTickets();
    const ticket = tickets.issue(link, MINUTE);
    const seen = [ticket, Buffer.from(ticket, 'base64url').toString('latin1')];
    for (const hidden of [...Object.values(link), 'watch', 'visitorId', String(noon + MINUTE), KEY]) {
      for (const text of seen) expect(text).not.toContain(hidden);
    }
  });
});

describe('the ring of keys', () => {
  it.each([
    ['opens what an older key sealed', [KEY], [OTHER_KEY, KEY], 'good'],
    ['opens what the newest key sealed', [OTHER_KEY, KEY], [OTHER_KEY], 'good'],
    ['seals with the newest key alone', [OTHER_KEY, KEY], [KEY], 'bad'],
    ['opens nothing of a key that was removed', [KEY], [OTHER_KEY], 'bad'],
  ] as const)('%s', (_what, sealing, opening, state) => {
    const ticket = watchTickets(sealing).tickets.issue(link, MINUTE);
    expect(watchTickets(opening).tickets.read(ticket).state).toBe(state);
  });
});
