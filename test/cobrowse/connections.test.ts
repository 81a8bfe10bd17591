import { inspect } from 'node:util';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCobrowse } from '../../src/cobrowse/client.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { createDispatcher } from '../../src/http/dispatcher.ts';
import { closing, connect, rejection, serve, serveBytes } from './stage.ts';

describe('the connections to the service', () => {
  it.each([200, 404])('are reused after an answer with %i', async (status) => {
    const service = await serve((_, response) => response.writeHead(status).end('<html>'.repeat(400)));
    const client = connect(service.url);
    for (let count = 0; count < 10; count += 1) await client.usage().catch(() => undefined);
    expect(service.requests).toHaveLength(10);
    // A call made right afterwards may find the first connection still busy, and open a second.
    expect(service.connections()).toBeLessThanOrEqual(2);
  });

  it('end with the client, unless they’re shared', async () => {
    const service = await serve((_, response) => response.end('{"status":"ok","usage":{}}'));
    const own = createCobrowse({
      cloud: { baseUrl: service.url, apiKey: 'key' },
      onPremise: undefined,
      wireNames: defaultWireNames,
    });
    const sharing = connect(service.url, { dispatcher: closing(createDispatcher(undefined)) });
    for (const client of [own, sharing]) await client.close();
    expect(await rejection(own.usage())).toMatchObject({ kind: 'unreachable' });
    await sharing.usage();
    expect(service.requests).toHaveLength(1);
  });
});

describe('a service that cannot be talked to', () => {
  it('takes too long where no connection is made, and is unreachable if nobody listens', async () => {
    const dispatcher = new Agent({ connect: () => undefined });
    onTestFinished(() => dispatcher.destroy());
    const unconnected = connect('http://127.0.0.1:1', { dispatcher, timeoutMs: 50 });
    expect(await rejection(unconnected.usage())).toMatchObject({ kind: 'timed-out' });
    const service = await serve(() => {});
    await service.close();
    const error = await rejection(connect(service.url).usage());
    expect(error).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('isn’t understood if it doesn’t speak HTTP', async () => {
    const url = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    const error = await rejection(connect(url).usage());
    expect(error.kind).toBe('not-understood');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('OpenSSH');
  });
});
