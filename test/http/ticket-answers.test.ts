import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTickets } from '../../src/http/tickets.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { getRaw } from './served.ts';

const MINUTE = 60_000;
const visitor = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX00001',
  visitorId: 'jane4821',
  access: 'full',
  channelId: 'C0SUPPORT01',
};
const OTHER_KEY = 'the key of some other app, that is long enough';

type Keys = readonly [string, ...string[]];
const issue = (keys: Keys, purpose = 'watch', content: unknown = visitor, lifetimeMs = MINUTE) =>
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
    'for the end of a session': issue(keys, 'session-end', { ...visitor, linkId: 'g' }),
    'that says nothing': issue(keys, 'watch', null),
    'that says something else': issue(keys, 'watch', ['other']),
    'expired and of a key that is not ours': issue([OTHER_KEY], 'watch', visitor, -MINUTE),
    'expired and for another purpose': issue(keys, 'some other purpose', visitor, -MINUTE),
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
    expect(await answerTo(issue(secretKeys, 'watch', visitor, -MINUTE))).not.toMatch(/^http\/1\.1 404 /);
    expect(sandbox().service.requests).toHaveLength(before);
  });
});
