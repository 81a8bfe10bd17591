import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createWebhookSender } from '../../src/webhooks/send.ts';
import { createWebhookSecret, signatureHeaders } from '../../src/webhooks/sign.ts';
import { closing, serve, serveBytes } from '../cobrowse/stage.ts';

const NOW = Date.parse('2026-05-04T09:00:00Z');
const secrets = [createWebhookSecret()];
const body = '{"type":"test"}';

/** A sender whose names are looked up as the test says. */
function createSender(hosts: readonly string[], found: readonly string[] = [], patienceMs = 60_000) {
  const resolve: LookupFunction = (_hostname, _options, callback) =>
    setImmediate(
      callback,
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  return closing(createWebhookSender({ hostsFor: () => hosts, now: () => NOW, resolve, patienceMs }));
}

const post = (url: string, sender = createSender([new URL(url).host])) =>
  sender.send({ workspaceId: 'T0ACME00000', url, id: 'evt_1', body, secrets });

/** What a server of the test's own got, and what came of it. */
async function sentTo(answer: RequestListener) {
  const got: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        answer(request, response);
      });
  });
  const reply = await post(`${server.url}/hooks?team=7`);
  return { reply, got, requests: server.requests };
}

describe('a webhook', () => {
  it('is one signed POST of JSON', async () => {
    const { reply, got, requests } = await sentTo((_request, response) => response.end('ok'));
    expect(reply).toEqual({ is: 'answered', status: 200, retryAfterMs: undefined, text: 'ok' });
    expect(requests).toEqual(['POST /hooks?team=7']);
    expect(got).toEqual([{ body, headers: expect.objectContaining({ 'content-type': 'application/json' }) }]);
    expect(got[0]?.headers).toMatchObject(signatureHeaders({ id: 'evt_1', at: NOW, body }, secrets));
  });

  it.each([
    ['120', 120_000],
    ['Mon, 04 May 2026 09:01:00 GMT', 60_000],
    ['Mon, 04 May 2026 08:00:00 GMT', 0],
    ['soon', undefined],
  ])('hears for how long to wait: %s', async (after, retryAfterMs) => {
    const { reply } = await sentTo((_request, response) =>
      response.writeHead(429, { 'retry-after': after }).end(),
    );
    expect(reply).toEqual({ is: 'answered', status: 429, retryAfterMs, text: '' });
  });

  it('follows no redirect', async () => {
    const inner = await serve((_request, response) => response.end());
    const { reply } = await sentTo((_request, response) =>
      response.writeHead(307, { location: inner.url }).end('elsewhere'),
    );
    expect(reply).toMatchObject({ is: 'answered', status: 307, text: 'elsewhere' });
    expect(inner.requests).toEqual([]);
  });

  it('reads the first 200 characters of an answer that goes on for ever', async () => {
    const { reply } = await sentTo((_request, response) => {
      const more = () => response.write('😀'.repeat(1_000)) && setImmediate(more);
      response.on('drain', more).on('close', () => response.off('drain', more));
      more();
    });
    expect(reply).toEqual({ is: 'answered', status: 200, retryAfterMs: undefined, text: '😀'.repeat(100) });
  });

  it('has been taken once the status is there, whatever becomes of the rest', async () => {
    const { reply } = await sentTo((_request, response) => {
      response.write('half', () => response.destroy());
    });
    expect(reply).toMatchObject({ is: 'answered', status: 200 });
  });

  it('gives up where nothing comes in time', async () => {
    const silent = await serveBytes(() => undefined);
    const sender = createSender([new URL(silent).host], [], 50);
    expect(await post(silent, sender)).toEqual({ is: 'failed', reason: 'timed_out' });
  });

  it.each([
    ['isn’t HTTP', 'no_answer', (url: string) => url],
    ['has no certificate', 'bad_certificate', (url: string) => url.replace('http:', 'https:')],
  ])('fails at a server that %s', async (_what, reason, addressed) => {
    const server = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await post(addressed(server))).toEqual({ is: 'failed', reason });
  });

  it('fails where nobody listens', async () => {
    const server = await serve(() => undefined);
    await server.close();
    expect(await post(server.url)).toEqual({ is: 'failed', reason: 'connection_refused' });
  });

  // Which addresses are public: public-agent.test.ts.
  it.each([
    ['https://example.com', ['8.8.8.8', '::ffff:169.254.169.254']],
    ['https://169.254.169.254', []],
    ['http://example.com', ['8.8.8.8']],
  ])('doesn’t go to %s where that’s %o', async (url, found) => {
    expect(await post(url, createSender([], found))).toEqual({ is: 'failed', reason: 'not_public' });
  });

  it('goes to the operator’s own hosts only for the workspaces that may', async () => {
    const server = await serve((_request, response) => response.end());
    const { host } = new URL(server.url);
    const hostsFor = (workspaceId: string) => (workspaceId === 'T0ACME00000' ? [host] : []);
    const sender = closing(createWebhookSender({ hostsFor, now: () => NOW }));
    const from = (workspaceId: string) =>
      sender.send({ workspaceId, url: server.url, id: 'evt_1', body, secrets });
    expect(await from('T0OTHER0000')).toEqual({ is: 'failed', reason: 'not_public' });
    expect(await from('T0ACME00000')).toMatchObject({ status: 200 });
    expect(await from('T0OTHER0000')).toEqual({ is: 'failed', reason: 'not_public' });
    expect(server.connections()).toBe(1);
  });
});
