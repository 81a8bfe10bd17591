import { beforeAll, describe, expect, it } from 'vitest';
import { createTickets } from '../../src/http/tickets.ts';
import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { sendRaw } from '../http/served.ts';
import { RANDOM } from '../subscriptions/stage.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { alexInSupport, endedSession } from './ended-session.ts';
import { issueSessionEndTicket, serveRoute, summariesSeenBy, webhooksOf } from './webhook-stage.ts';

describe('POST /webhooks/session-end/:ticket with a good ticket', () => {
  const { sandbox } = checkedSandbox();
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(() => void (webhooks = webhooksOf(sandbox())));

  it.each([
    ['bare', endedSession('bare')],
    ['wrapped', { session: endedSession('wrapped'), event: 'end' }],
  ])('posts the summary of a session that comes %s', async (id, body) => {
    expect(await webhooks.send(body)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    const { text } = await webhooks.summaryOf(id);
    expect(text).toContain(`Jane Cooper with Agent of ${id} · 1 min\n`);
    expect(text).toContain('Tools used: click, scroll');
  });

  it.each([
    ['', 400, 'not JSON'],
    ['{"id":"refused"', 400, 'not JSON'],
    ['undefined', 400, 'not JSON'],
    ['[{"id":"refused"}]', 422, 'not a session with an id'],
    ['{"id":" \\t\\n"}', 422, 'not a session with an id'],
    ['{"id":1.5}', 422, 'not a session with an id'],
    ['{"id":"\\ud800"}', 422, 'not a session with an id'],
    ['{"id":"https://live.example/go?key=kQ3v9xZt7LpW"}', 422, 'not a session with an id'],
    ['{"__proto__":{"id":"refused"}}', 422, 'not a session with an id'],
  ])('posts nothing of %s, which it answers with %i', async (sent, status, error) => {
    const before = await webhooks.allUntilNow();
    const body = JSON.stringify({ status: 'error', error });
    expect(await webhooks.sendText(sent)).toMatchObject({ status, body });
    expect(await webhooks.allUntilNow()).toEqual(before);
  });

  it('accepts any id that is text or a whole number, once', async () => {
    const ids = [4_294_967_296, 0, 'a\u0000b', "'; DROP TABLE records; --", 'x'.repeat(255)];
    for (const [index, id] of ids.entries()) {
      const agents = [{ id: 1, name: `Agent of row-${index}` }];
      for (const sent of [id, String(id)])
        expect(await webhooks.send(endedSession(sent, { agents }))).toMatchObject({ status: 200 });
    }
    const rows = (await webhooks.allUntilNow()).filter((seen) => seen.startsWith('row-'));
    expect(rows.toSorted()).toEqual(ids.map((_id, index) => `row-${index}`));
  });

  it('accepts a session that has nothing but its id', async () => {
    expect(await webhooks.send({ id: 'bare-id' })).toMatchObject({ status: 200 });
    // Without a name from the service, the agent is the Slack user who pressed Watch.
    const { text } = await personIn(sandbox()).message((message) =>
      message.text.includes(`Agent: <@${ALEX}>`),
    );
    expect(text).toMatch(/^Jane Cooper\n.* · No tools used\n/);
  });

  it('accepts a session that still runs, without an end', async () => {
    for (const ended_at of [null, undefined, '', 'soon', 0]) {
      const id = `no-end-${String(ended_at)}`;
      expect(await webhooks.send(endedSession(id, { ended_at }))).toMatchObject({ status: 200 });
      expect((await webhooks.summaryOf(id)).text).toContain(' · 1 min\n');
    }
  });

  // What hostile words in a session come to is in test/messages/properties.test.ts.
  it('accepts fields of the wrong type', async () => {
    const times = { started_at: 7, ended_at: {}, length_seconds: '75' };
    const nonsense = { ...times, features_used: 'click', on_premise: 'no', quality_feedback: [null, [[]]] };
    expect(await webhooks.send(endedSession('odd', nonsense))).toMatchObject({ status: 200 });
    await webhooks.summaryOf('odd');
  });
});

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
    const expected = await wholeAnswer('x', body, type);
    expect(expected).toMatchObject({ status: 404, body: '{"status":"error","error":"unknown address"}' });
    for (const [what, ticket] of Object.entries(ticketsThatAreNotGood()))
      expect([what, await wholeAnswer(ticket, body, type)]).toEqual([what, expected]);
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
