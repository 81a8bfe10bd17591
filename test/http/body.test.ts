import { describe, expect, it } from 'vitest';
import { BodyError, createByteBudget } from '../../src/http/body.ts';
import type { Route } from '../../src/http/server.ts';
import { connected, heldRoute, sendRaw, serve } from './served.ts';

const LIMIT = 100;

function takingRoute(limit = LIMIT) {
  const taken = Promise.withResolvers<Buffer>();
  const entered = Promise.withResolvers<void>();
  taken.promise.catch(() => undefined);
  const route: Route = {
    method: 'POST',
    path: '/body',
    async handle({ body }) {
      entered.resolve();
      const reading = body(limit);
      reading.then(taken.resolve, taken.reject);
      return { status: 200, body: `${(await reading).length} bytes` };
    },
  };
  return { route, taken: taken.promise, entered: entered.promise };
}

const head = (...lines: readonly string[]) =>
  ['POST /body HTTP/1.1', 'Host: a', 'Connection: close', ...lines, '', ''].join('\r\n');
const chunk = (size: number) => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`;

describe('the body of a request', () => {
  it('is read up to its limit, byte for byte', async () => {
    const { route, taken } = takingRoute();
    const { url } = await serve([route]);
    const bytes = Buffer.alloc(LIMIT, 0xff);
    const answer = await fetch(`${url}/body`, { method: 'POST', body: bytes });
    expect(answer.status).toBe(200);
    expect(await taken).toEqual(bytes);
  });

  it('is joined from thousands of chunks, each of which counts with what it takes', async () => {
    const { route, taken } = takingRoute(1_000_000);
    const text = `${head('Transfer-Encoding: chunked')}${chunk(1).repeat(10_000)}0\r\n\r\n`;
    const { port } = await serve([route], { bodyBytes: 3_000_000 });
    expect(await sendRaw(port, text)).toMatchObject({ status: 200, body: '10000 bytes' });
    expect(await taken).toEqual(Buffer.alloc(10_000, 'a'));
    const small = await serve([takingRoute(1_000_000).route], { bodyBytes: 1_000_000 });
    expect(await sendRaw(small.port, text)).toMatchObject({ status: 503 });
  });

  it('that no route asked for is dropped as it arrives, before the answer', async () => {
    const held = heldRoute();
    const { port } = await serve([held.route]);
    const { socket, received, closed } = connected(port);
    socket.write('GET /held HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n');
    // More than the system keeps for a server that does not read.
    await new Promise((resolve) => void socket.write(Buffer.alloc(50_000_000), resolve));
    held.answer({ status: 200, body: 'no body was needed' });
    await closed;
    expect(received()).toContain('no body was needed');
  });

  it.each([
    ['announced, before a byte of it came', head(`Content-Length: ${LIMIT + 1}`)],
    ['sent in chunks that never end', `${head('Transfer-Encoding: chunked')}${chunk(60)}${chunk(60)}`],
    ['sent in one chunk', `${head('Transfer-Encoding: chunked')}${chunk(101)}0\r\n\r\n`],
  ])('over the limit is refused when %s', async (_, text) => {
    const { route } = takingRoute();
    const { port, failures } = await serve([route], { linger: 10 });
    const answer = await sendRaw(port, text);
    expect(answer.status).toBe(413);
    expect(answer.body).toContain('larger than 100 bytes');
    expect(failures).toEqual([]);
  });

  it('over the limit is sent whole before it’s refused, since the answer would otherwise be lost with the connection', async () => {
    const { route } = takingRoute();
    const { port } = await serve([route]);
    const { socket, received, closed } = connected(port);
    // As a proxy does, which reads no answer while it writes.
    socket.pause().write(head('Content-Length: 8000000'));
    await new Promise((resolve) => void socket.write(Buffer.alloc(8_000_000), resolve));
    socket.resume();
    await closed;
    expect(received()).toContain('larger than 100 bytes');
  });

  it('shorter than announced is refused', async () => {
    const { route, taken, entered } = takingRoute();
    const { port, failures } = await serve([route]);
    const { socket } = connected(port);
    socket.write(`${head('Content-Length: 10')}abc`);
    await entered;
    socket.destroy();
    await expect(taken).rejects.toThrow(BodyError);
    await expect(taken).rejects.toMatchObject({ reason: 'broken-off' });
    expect(failures).toEqual([]);
  });
});

it('the memory for bodies evicts no complete body, and nobody needlessly', () => {
  const budget = createByteBudget(1_000);
  const comingIn = (bytes: number) => {
    const share = budget.share(expect.unreachable);
    return { ...share, isTaken: share.take(bytes) };
  };
  const complete = comingIn(800);
  complete.keep();
  expect([comingIn(100).isTaken, comingIn(300).isTaken]).toEqual([true, false]);
  complete.release();
  expect(comingIn(300).isTaken).toBe(true);
});
