import type { RequestListener } from 'node:http';
import { Agent } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { TimeLimitError, ask } from '../../src/cobrowse/http.ts';
import { startLocalService } from './local-service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Asks a real server that answers like this. */
async function asking(answer: RequestListener) {
  const service = await startLocalService(answer);
  const agent = new Agent();
  closers.push(
    () => service.close(),
    () => agent.destroy(),
  );
  const request = { origin: service.url, path: '/', method: 'GET' };
  return (ms = 10_000, bytes = 1_000) => ask(agent, request, { ms, bytes });
}

const refusing = (status: number) => asking((_request, response) => response.writeHead(status).end('words'));

const large = (status: number) =>
  asking((_request, response) => response.writeHead(status).end('x'.repeat(1_001)));

const breakingOff = (status: number) =>
  asking((_request, response) => {
    response.writeHead(status, { 'content-length': 100 }).write('wor');
    setImmediate(() => response.destroy());
  });

describe('one request to the service', () => {
  it('is answered by the final answer, not an informational one', async () => {
    const once = await asking((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end('late'));
    });
    expect(await once()).toMatchObject({ status: 200, text: 'late' });
  });

  it('gives the headers and the whole text, even if a letter arrives in two parts', async () => {
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    const once = await asking((_request, response) => {
      response.writeHead(200, { 'retry-after': '7' }).write(Buffer.concat([Buffer.from('\uFEFFcaf'), first]));
      setImmediate(() => response.end(second));
    });
    const answer = await once();
    expect(answer.headers['retry-after']).toBe('7');
    // The byte order mark that some servers send isn't part of the text.
    expect(answer.text).toBe('café');
  });

  it('reads the body of a refused key, and of no other refusal', async () => {
    for (const status of [401, 403]) {
      expect(await (await refusing(status))()).toMatchObject({ status, text: 'words' });
    }
    for (const status of [302, 404, 429, 500]) {
      expect(await (await refusing(status))()).toMatchObject({ status, text: '' });
    }
  });

  it('fails if a 200 breaks off, but recognises a refused key even if its body breaks off', async () => {
    await expect((await breakingOff(200))()).rejects.toThrow('other side closed');
    expect(await (await breakingOff(401))()).toMatchObject({ status: 401, text: '' });
  });

  it('fails if a 200 is too large, but recognises a refused key even if its body is', async () => {
    await expect((await large(200))()).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
    expect(await (await large(401))()).toMatchObject({ status: 401, text: '' });
    expect((await (await large(200))(10_000, 1_001)).text).toHaveLength(1_001);
  });

  it('ends when its time is up, before and after it was sent', async () => {
    const silent = await asking(() => undefined);
    await expect(silent(100)).rejects.toBeInstanceOf(TimeLimitError);
    const once = await asking((_request, response) => response.write('half'));
    await expect(once(100)).rejects.toBeInstanceOf(TimeLimitError);
  });

  it('ends when its time is up while no connection is made', async () => {
    const agent = new Agent({ connect: () => undefined });
    const request = { origin: 'http://127.0.0.1:1', path: '/', method: 'GET' };
    await expect(ask(agent, request, { ms: 50, bytes: 1_000 })).rejects.toBeInstanceOf(TimeLimitError);
  });
});
