import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { anyCharacter } from '../support/any-text.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { getRaw } from './served.ts';

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

type Keys = readonly [string, ...string[]];
function watchTickets(keys: Keys = [KEY]) {
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
const ofOurs = ours.issue(link, MINUTE);
const ourBytes = Buffer.from(ofOurs, 'base64url');

/** Those of the texts that are taken for tickets. */
const taken = (texts: readonly string[]) => texts.filter((text) => ours.read(text).state !== 'bad');

const flipped = (index: number, bit: number) =>
  Buffer.from(ourBytes.map((byte, at) => (at === index ? byte ^ (1 << bit) : byte))).toString('base64url');

describe('a ticket that isn’t ours', () => {
  it('is bad with any bit changed', () => {
    const altered = [...ourBytes.keys()].flatMap((index) =>
      Array.from({ length: 8 }, (_, bit) => flipped(index, bit)),
    );
    expect(new Set(altered).size).toBe(ourBytes.length * 8);
    expect(taken(altered)).toEqual([]);
  });

  it('is bad whatever the text is, and never an error', () => {
    const anyText = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.base64String(),
      fc.string({ maxLength: 3_000 }),
      fc
        .uint8Array({ maxLength: 300 })
        .map((random) => Buffer.concat([ourBytes.subarray(0, 4), random]).toString('base64url')),
    );
    fc.assert(
      fc.property(anyText, (text) => ours.read(text).state === 'bad'),
      { numRuns: 1_000 },
    );
    expect(ours.read(ofOurs).state).toBe('good');
  });
});

const issue = (keys: Keys, purpose = 'watch', content: unknown = link, lifetimeMs = MINUTE) =>
  createTickets(keys)(purpose, z.unknown()).issue(content, lifetimeMs);

/** The same ticket with some bytes from another one. */
function withBytes(ticket: string, other: string, from: number, to: number): string {
  const bytes = Buffer.from(ticket, 'base64url');
  Buffer.from(other, 'base64url').copy(bytes, from, from, to);
  return bytes.toString('base64url');
}

/** Each is refused at another step: spelling, length, key, seal, form, content. */
function badTickets(keys: Keys): Readonly<Record<string, string>> {
  const good = issue(keys);
  const foreign = issue([OTHER_KEY]);
  const bytes = Buffer.from(good, 'base64url');
  const altered = Buffer.from(bytes);
  altered[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return {
    'one letter': 'A',
    'no base64': `${good.slice(0, -2)}%C3%A9`,
    padded: `${good}=`,
    'a key id alone': bytes.subarray(0, 4).toString('base64url'),
    'all but the seal': bytes.subarray(0, -16).toString('base64url'),
    'of a key that is not ours': foreign,
    'of a key that is not ours, with the id of ours': withBytes(foreign, good, 0, 4),
    'with the id of another key': withBytes(good, foreign, 0, 4),
    'altered in its last byte': altered.toString('base64url'),
    'for another purpose': issue(keys, 'some other purpose'),
    'for the end of a session': issue(keys, 'session-end', { ...link, linkId: 'g' }),
    'that says nothing': issue(keys, 'watch', null),
    'that says something else': issue(keys, 'watch', ['other']),
    'expired and of a key that is not ours': issue([OTHER_KEY], 'watch', link, -MINUTE),
    'expired and for another purpose': issue(keys, 'some other purpose', link, -MINUTE),
    'longer than any': 'A'.repeat(2_049),
    'as long as a header may be': 'A'.repeat(12_000),
  };
}

describe('a bad ticket of Watch', () => {
  const { sandbox } = checkedSandbox();

  /** The answer as it comes over the wire, but for its date. */
  async function answerTo(ticket: string): Promise<string> {
    const { head, body } = await getRaw(Number(new URL(sandbox().publicUrl).port), `/watch/${ticket}`);
    return `${head.replace(/^date: .*\r\n/m, '')}\r\n\r\n${body}`;
  }

  it('gets the same answer, byte for byte, whatever is wrong with it, told apart from an expired one of ours', async () => {
    const before = sandbox().service.requests.length;
    const { secretKeys } = sandbox().config;
    const expected = await answerTo('x');
    expect(expected).toMatch(/^http\/1\.1 404 /);
    for (const [what, ticket] of Object.entries(badTickets(secretKeys)))
      expect([what, await answerTo(ticket)]).toEqual([what, expected]);
    expect(await answerTo(issue(secretKeys, 'watch', link, -MINUTE))).not.toMatch(/^http\/1\.1 404 /);
    expect(sandbox().service.requests).toHaveLength(before);
  });
});
