import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/tickets.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { issueSessionEndTicket, webhooksOf } from './webhook-stage.ts';

describe('POST /webhooks/session-end/:ticket with a bad ticket', () => {
  const { sandbox } = checkedSandbox();
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(() => void (webhooks = webhooksOf(sandbox())));

  function ticketsThatAreNotGood(): Readonly<Record<string, string>> {
    const keys = sandbox().config.secretKeys;
    const good = issueSessionEndTicket(keys);
    const last = good.at(-1) === 'A' ? 'B' : 'A';
    const tickets = createTickets(keys);
    const { linkId: _, ...watchGrant } = alexInSupport;
    return {
      garbage: 'garbage',
      'a good one cut short': good.slice(0, -1),
      'a good one with one more letter': `${good}A`,
      'one altered at its end': good.slice(0, -1) + last,
      'one altered at its beginning': (good.startsWith('A') ? 'B' : 'A') + good.slice(1),
      padded: `${good}=`,
      'with a space after it': `${good}%20`,
      expired: issueSessionEndTicket(keys, alexInSupport, -1),
      'of a key that is not ours': issueSessionEndTicket(['another key of 32 bytes or longer']),
      'for watching': tickets('watch', WatchRequest).issue(watchGrant, 60_000),
      'of another purpose': tickets('session end', IssuedLink).issue(alexInSupport, 60_000),
      'without a link id': tickets('session-end', WatchRequest).issue(watchGrant, 60_000),
      'far too long': 'A'.repeat(4_000),
      'an encoded slash': `${good.slice(0, 10)}%2F${good.slice(10)}`,
      'another language': encodeURIComponent('билет'),
    };
  }

  /** The answer as it comes over the wire, but for its date. */
  async function wholeAnswer(ticket: string, body: string, contentType: string): Promise<string> {
    const { hostname, port } = new URL(sandbox().publicUrl);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.write(
      `POST /webhooks/session-end/${ticket} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: ${contentType}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    await once(socket, 'close');
    return answer.replace(/^Date: .*\r\n/m, '');
  }

  it.each([
    ['a session', JSON.stringify(endedSession('refused')), 'application/json'],
    ['nonsense', '{', 'application/json'],
    ['no JSON', 'id=refused', 'text/plain'],
    ['nothing', '', 'application/json'],
  ])('gives the same answer, byte for byte, whatever is wrong with it, to %s', async (_, body, type) => {
    const answers = await Promise.all(
      Object.entries(ticketsThatAreNotGood()).map(async ([what, ticket]) => ({
        what,
        answer: await wholeAnswer(ticket, body, type),
      })),
    );
    const expected = await wholeAnswer('x', body, type);
    expect(expected).toMatch(/^HTTP\/1\.1 404 /);
    expect(expected).toContain('{"status":"error","error":"unknown address"}');
    for (const { what, answer } of answers) expect([what, answer]).toEqual([what, expected]);
    expect(await webhooks.allUntilNow()).toEqual([]);
  });

  it('doesn’t mention that a body is too large', async () => {
    const to = `${sandbox().publicUrl}/webhooks/session-end/x`;
    const { status } = await webhooks.sendText('x'.repeat(2_000_000), { to });
    expect(status).toBe(404);
  });
});
