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

/** The content and purpose of each route's tickets. A Watch button that is good would wait for its press. */
const routes = [{ path: '/watch/', purpose: 'watch', content: visitor, lifetimeMs: -MINUTE }] as const;

type Keys = readonly [string, ...string[]];
const issue = (keys: Keys, purpose: string, content: unknown, lifetimeMs = MINUTE) =>
  createTickets(keys)(purpose, z.unknown()).issue(content, lifetimeMs);

/** The same ticket with some bytes from another one. */
function withBytes(ticket: string, other: string, from: number, to: number): string {
  const bytes = Buffer.from(ticket, 'base64url');
  Buffer.from(other, 'base64url').copy(bytes, from, from, to);
  return bytes.toString('base64url');
}

/** Each is refused at another step: spelling, length, key, seal, form, content. */
function badTickets(keys: Keys, purpose: string, content: unknown): Readonly<Record<string, string>> {
  const good = issue(keys, purpose, content);
  const foreign = issue([OTHER_KEY], purpose, content);
  const bytes = Buffer.from(good, 'base64url');
  return {
    'one letter': 'A',
    'no base64': `${good.slice(0, -2)}%C3%A9`,
    padded: `${good}=`,
    'a key id alone': bytes.subarray(0, 4).toString('base64url'),
    'all but the seal': bytes.subarray(0, -16).toString('base64url'),
    'of a key that is not ours': foreign,
    'of a key that is not ours, with the id of ours': withBytes(foreign, good, 0, 4),
    'with the id of another key': withBytes(good, foreign, 0, 4),
    'altered in its last byte': withBytes(
      good,
      Buffer.alloc(bytes.length, (bytes.at(-1) ?? 0) ^ 1).toString('base64url'),
      bytes.length - 1,
      bytes.length,
    ),
    'for another purpose': issue(keys, 'some other purpose', content),
    'for the end of a session': issue(keys, 'session-end', { ...visitor, linkId: 'g' }),
    'that says nothing': issue(keys, purpose, null),
    'that says something else': issue(keys, purpose, ['other']),
    'expired and of a key that is not ours': issue([OTHER_KEY], purpose, content, -MINUTE),
    'expired and for another purpose': issue(keys, 'some other purpose', content, -MINUTE),
    'longer than any': 'A'.repeat(2_049),
    'as long as a header may be': 'A'.repeat(12_000),
  };
}

describe.each(routes)('a bad ticket at $path', ({ path, purpose, content, lifetimeMs }) => {
  const { sandbox } = checkedSandbox();

  /** The answer as it comes over the wire, but for its date. */
  async function answerTo(ticket: string): Promise<string> {
    const { head, body } = await getRaw(Number(new URL(sandbox().publicUrl).port), `${path}${ticket}`);
    return `${head.replace(/^date: .*\r\n/m, '')}\r\n\r\n${body}`;
  }

  it('gets the same answer, byte for byte, whatever is wrong with it', async () => {
    const before = sandbox().service.requests.length;
    const expected = await answerTo('x');
    expect(expected).toMatch(/^http\/1\.1 404 /);
    for (const [what, ticket] of Object.entries(badTickets(sandbox().config.secretKeys, purpose, content))) {
      expect([what, await answerTo(ticket)]).toEqual([what, expected]);
    }
    expect(sandbox().service.requests).toHaveLength(before);
  });

  it('is told apart from one of ours, which for Watch may be expired', async () => {
    const { secretKeys } = sandbox().config;
    const answer = await answerTo(issue(secretKeys, purpose, content, lifetimeMs));
    expect(answer).not.toMatch(/^http\/1\.1 404 /);
  });
});
