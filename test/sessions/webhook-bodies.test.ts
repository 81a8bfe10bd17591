import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { endedSession } from './ended-session.ts';
import { webhooksOf } from './webhook-stage.ts';

const MIB = 1_048_576;

/** A session whose JSON has exactly this many bytes. */
function padded(id: string, bytes: number): string {
  const rest = JSON.stringify(endedSession(id, { padding: '' }));
  return JSON.stringify(endedSession(id, { padding: 'x'.repeat(bytes - Buffer.byteLength(rest)) }));
}

describe('POST /webhooks/session-end/:ticket with a good ticket', () => {
  let sandbox: Sandbox;
  let webhooks: ReturnType<typeof webhooksOf>;
  beforeAll(async () => {
    sandbox = await startSandbox({ paceMs: 0 });
    webhooks = webhooksOf(sandbox);
  });
  afterAll(() => sandbox.close());

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
});
