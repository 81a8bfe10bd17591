import { describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { sendRaw } from '../http/served.ts';
import { RANDOM } from '../subscriptions/stage.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { issueSessionEndTicket, serveRoute, summariesSeenBy, webhooksOf } from './webhook-stage.ts';

describe('POST /webhooks/session-end/:ticket with a bad ticket', () => {
  const { sandbox } = checkedSandbox();

  function ticketsThatAreNotGood(): Readonly<Record<string, string>> {
    const keys = sandbox().config.secretKeys;
    const good = issueSessionEndTicket(keys);
    const tickets = createTickets(keys);
    const { linkId: _, ...watchGrant } = alexInSupport;
    return {
      'a good one cut short': good.slice(0, -1),
      'one altered at its beginning': (good.startsWith('A') ? 'B' : 'A') + good.slice(1),
      padded: `${good}=`,
      expired: issueSessionEndTicket(keys, alexInSupport, -1),
      'of a key that is not ours': issueSessionEndTicket(['another key of 32 bytes or longer']),
      'of another purpose': tickets('watch', IssuedLink).issue(alexInSupport, 60_000),
      'without a link id': tickets('session-end', WatchRequest).issue(watchGrant, 60_000),
      'far too long': 'A'.repeat(4_000),
      'another language': encodeURIComponent('билет'),
    };
  }

  /** The answer as it comes over the wire, but for its date. */
  async function wholeAnswer(ticket: string, body: string, contentType: string) {
    const answer = await sendRaw(
      Number(new URL(sandbox().publicUrl).port),
      `POST /webhooks/session-end/${ticket} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${contentType}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    return { ...answer, head: answer.head.replace(/^date: .*/m, '') };
  }

  it.each([
    ['a session', JSON.stringify(endedSession('refused')), 'application/json'],
    ['no JSON', 'id=refused', 'text/plain'],
  ])('gives the same answer, byte for byte, whatever is wrong with it, to %s', async (_, body, type) => {
    const answers = await Promise.all(
      Object.entries(ticketsThatAreNotGood()).map(async ([what, ticket]) => ({
        what,
        answer: await wholeAnswer(ticket, body, type),
      })),
    );
    const expected = await wholeAnswer('x', body, type);
    expect(expected).toMatchObject({ status: 404, body: '{"status":"error","error":"unknown address"}' });
    for (const { what, answer } of answers) expect([what, answer]).toEqual([what, expected]);
    expect(await webhooksOf(sandbox()).allUntilNow()).toEqual([]);
  });
});

const named = (linkId: string) => ({ metadata: { slack_link: linkId } });
const refusal = (error: string) => ({ status: 422, body: JSON.stringify({ status: 'error', error }) });

describe('a ticket that somebody read in a log', () => {
  const { sandbox } = checkedSandbox();
  const mine = () => webhooksOf(sandbox()).address({ ...alexInSupport, linkId: 'mine' });

  it('can’t report a session that names another link', async () => {
    const webhooks = webhooksOf(sandbox());
    const send = (body: object) => webhooks.send(body, { to: mine() });
    const foreign = endedSession('foreign', named('theirs'));
    expect(await send(foreign)).toMatchObject(refusal('a session of another link'));
    expect(await send({ session: foreign })).toMatchObject({ status: 422 });
    expect(await send(endedSession('own', named('mine')))).toMatchObject({ status: 200 });
    expect(await webhooks.allUntilNow()).toEqual(['own']);
    const answer = await fetch(`${sandbox().publicUrl}/metrics`);
    expect(await answer.text()).toContain('session_end_webhooks_total{outcome="another-link"} 2');
  });

  it.each([
    ['another visitor', { visitor_id: 'priya55' }],
    ['no visitor', { visitor_id: undefined }],
  ])('takes no summary away from another channel with a session of %s', async (_, claimed) => {
    const webhooks = webhooksOf(sandbox());
    const id = `taken ${String(claimed.visitor_id)}`;
    const theirs = { ...alexInSupport, linkId: 'theirs', visitorId: 'priya55', channelId: RANDOM };
    expect(await webhooks.send(endedSession(id, claimed), { to: mine() })).toMatchObject({ status: 200 });
    await webhooks.summaryOf(id);
    const truly = endedSession(id, { visitor_id: 'priya55' });
    expect(await webhooks.send(truly, { to: webhooks.address(theirs) })).toMatchObject({ status: 200 });
    const seen = () => summariesSeenBy(sandbox().slack).filter((summary) => summary.id === id);
    await expect.poll(() => seen().map(({ channel }) => channel)).toContain(RANDOM);
  });

  it('can report only so many sessions, which the service is told', async () => {
    const { send, reports } = await serveRoute({ link: alexInSupport, accept: async () => 'too-many' });
    expect(await send(endedSession('one-more'))).toEqual(refusal('too many sessions for one link'));
    expect(reports).toEqual(['too-many']);
  });
});
