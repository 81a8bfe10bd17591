import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { endedSession } from './ended-session.ts';
import { webhooksOf } from './webhook-stage.ts';

const MIB = 1_048_576;

const oddIds = [
  4_294_967_296,
  0,
  'a/b?c#d',
  '../../etc',
  'ünïcode 雪',
  'a\u0000b',
  "'; DROP TABLE records; --",
  'x'.repeat(255),
];

/** A session whose JSON has exactly this many bytes. */
function padded(id: string, bytes: number): string {
  const rest = JSON.stringify(endedSession(id, { padding: '' }));
  return JSON.stringify(endedSession(id, { padding: 'x'.repeat(bytes - Buffer.byteLength(rest)) }));
}

describe('POST /webhooks/session-end/:ticket with a good ticket', () => {
  const { sandbox } = checkedSandbox();
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(() => void (webhooks = webhooksOf(sandbox())));

  /** Sends a chunked body, without announcing its length. */
  function sendChunks(chunks: readonly Buffer[]): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(webhooks.address(), { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      for (const chunk of chunks) sent.write(chunk);
      sent.end();
    });
  }

  it('posts the summary of a bare session', async () => {
    const answer = await webhooks.send(endedSession('bare'));
    expect(answer).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    const { text } = await webhooks.summaryOf('bare');
    expect(text).toContain('Visitor: Jane Cooper');
    expect(text).toContain('Duration: 1 minute 15 seconds');
    expect(text).toContain('Tools used: click, scroll');
  });

  it('posts the summary of a session in {"session": …}', async () => {
    expect(await webhooks.send({ session: endedSession('wrapped'), event: 'end' })).toMatchObject({
      status: 200,
    });
    expect((await webhooks.summaryOf('wrapped')).text).toContain('Visitor: Jane Cooper');
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset=utf-8',
    'application/vnd.api+json',
    'application/problem+json; charset=utf-8',
  ])('accepts the content type %s', async (contentType) => {
    expect(await webhooks.send(endedSession(contentType), { contentType })).toMatchObject({ status: 200 });
    await webhooks.summaryOf(contentType);
  });

  it.each([
    'none',
    'text/plain',
    'text/plain; application/json',
    'text/json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('answers 415 to the content type %s, and posts nothing', async (contentType) => {
    const answer = await webhooks.send(endedSession('refused'), { contentType });
    expect(answer).toMatchObject({ status: 415, body: '{"status":"error","error":"send application/json"}' });
    expect(await webhooks.allUntilNow()).not.toContain('refused');
  });

  it.each([
    '',
    ' ',
    '{',
    'hello',
    "{'id':'refused'}",
    '{"id":"refused"',
    '{"id":"refused"}}',
    'undefined',
    'NaN',
  ])('answers 400 to %j, and posts nothing', async (body) => {
    expect(await webhooks.sendText(body)).toMatchObject({
      status: 400,
      body: '{"status":"error","error":"not JSON"}',
    });
    expect(await webhooks.allUntilNow()).not.toContain('refused');
  });

  it.each([
    '[]',
    '{}',
    'null',
    'true',
    '42',
    '"refused"',
    '[{"id":"refused"}]',
    '{"id":""}',
    '{"id":" \\t\\n"}',
    '{"id":null}',
    '{"id":1.5}',
    '{"id":true}',
    '{"id":["refused"]}',
    '{"id":"\\ud800"}',
    '{"session":null}',
    '{"session":{}}',
    '{"session":[{"id":"refused"}]}',
    '{"session":{"id":""}}',
    '{"sessions":[{"id":"refused"}]}',
    '{"__proto__":{"id":"refused"}}',
  ])('answers 422 to %s, and posts nothing', async (body) => {
    const before = await webhooks.allUntilNow();
    expect(await webhooks.sendText(body)).toMatchObject({
      status: 422,
      body: '{"status":"error","error":"not a session with an id"}',
    });
    expect(await webhooks.allUntilNow()).toEqual(before);
  });

  it('answers 422 to a session nested too deeply to store, and posts nothing', async () => {
    const depth = 200_000;
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const answer = await webhooks.sendText(`{"id":"refused","extra":${deep}}`);
    expect(answer).toMatchObject({ status: 422 });
    expect(await webhooks.allUntilNow()).not.toContain('refused');
  });

  it('accepts a body of 1 MiB, and answers 413 to one byte more, announced or not', async () => {
    expect(await webhooks.sendText(padded('large', MIB))).toMatchObject({ status: 200 });
    expect(await webhooks.sendText(padded('larger', MIB + 1))).toMatchObject({ status: 413 });
    expect(await sendChunks([Buffer.from(padded('large-chunks', MIB))])).toBe(200);
    const body = Buffer.from(padded('larger-chunks', MIB + 1));
    expect(await sendChunks([body.subarray(0, 500_000), body.subarray(500_000)])).toBe(413);
    const seen = await webhooks.allUntilNow();
    expect(seen).toEqual(expect.arrayContaining(['large', 'large-chunks']));
    expect(seen).not.toEqual(expect.arrayContaining(['larger']));
    expect(seen).not.toEqual(expect.arrayContaining(['larger-chunks']));
  });

  it('posts nothing from a body that breaks off, even if its JSON is complete', async () => {
    const body = JSON.stringify(endedSession('broken-off'));
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length + 10) };
    const sent = request(webhooks.address(), { method: 'POST', headers });
    sent.on('error', () => undefined);
    await new Promise((resolve) => void sent.write(body, resolve));
    sent.destroy();
    expect(await webhooks.allUntilNow()).not.toContain('broken-off');
  });

  it('answers 405 to any other method', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const response = await fetch(webhooks.address(), { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  it.each(oddIds.map((id, index) => ({ id, agent: `row-${index}` })))(
    'accepts any id that is text or a whole number, once ($agent)',
    async ({ id, agent }) => {
      const agents = [{ id: 1, name: `Agent of ${agent}` }];
      expect(await webhooks.send(endedSession(id, { agents }))).toMatchObject({ status: 200 });
      expect(await webhooks.send(endedSession(String(id), { agents }))).toMatchObject({ status: 200 });
      expect((await webhooks.allUntilNow()).filter((seen) => seen === agent)).toHaveLength(1);
    },
  );

  it('accepts a session that has nothing but its id', async () => {
    expect(await webhooks.send({ id: 'bare-id' })).toMatchObject({ status: 200 });
    // Without a name from the service, the agent is the Slack user who pressed Watch.
    const { text } = await personIn(sandbox()).message((message) =>
      message.text.includes(`Agent: <@${ALEX}>`),
    );
    expect(text).toContain('Visitor: Jane Cooper');
    expect(text).toContain('View only, no tools used');
  });

  it('accepts a session that still runs, without an end', async () => {
    for (const ended_at of [null, undefined, '', 'soon', 0]) {
      const id = `no-end-${String(ended_at)}`;
      expect(await webhooks.send(endedSession(id, { ended_at }))).toMatchObject({ status: 200 });
      expect((await webhooks.summaryOf(id)).text).toContain('Duration: 1 minute 15 seconds');
    }
  });

  it('accepts fields of the wrong type and hostile words in the others', async () => {
    const nonsense = {
      started_at: 7,
      ended_at: {},
      length_seconds: '75',
      features_used: 'click',
      on_premise: 'no',
    };
    expect(await webhooks.send(endedSession('odd', nonsense))).toMatchObject({ status: 200 });
    const hostile = {
      features_used: ['<!channel>', '*x*', '\u202Egpj.exe', 'y'.repeat(10_000)],
      quality_feedback: [{ comment: '<https://evil.example|click>' }, 5, null, [[]]],
      video_url: 'javascript:alert(1)',
      length_seconds: 1e300,
    };
    expect(await webhooks.send(endedSession('hostile', hostile))).toMatchObject({ status: 200 });
    const { text } = await webhooks.summaryOf('hostile');
    expect(text).not.toMatch(/<!channel>|<https:|javascript:|\u202E/);
    await webhooks.summaryOf('odd');
  });
});
