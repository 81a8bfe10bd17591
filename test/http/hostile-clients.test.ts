import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/http/server.ts';
import { SHORT, connected, getRaw, heldRoute, sendRaw, serve, world } from './served.ts';

/** Writes again and again, as somebody does who wants a connection to last. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => void socket.write(piece), 10);
  socket.once('close', () => clearInterval(timer));
}

it.each([
  ['says nothing', '', ''],
  ['breaks off in its headers', 'GET /hello HTTP/1.1\r\nHost: a\r\n', ''],
  ['breaks off in its body', 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc', ''],
  ['sends letters of a header', 'GET /hello HTTP/1.1\r\nHost: a\r\nX-A: ', 'b'],
  ['sends a body letter by letter', 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n', 'b'],
])('a client that is slow on purpose and %s is disconnected when its time is up', async (_, start, again) => {
  const { routes, reached } = world();
  const { port, url } = await serve(routes, SHORT);
  const { socket, received, closed } = connected(port);
  socket.write(start);
  if (again !== '') drip(socket, again);
  await closed;
  // Nothing if data was on its way: its reset overtakes the answer.
  expect(received()).toMatch(again === '' ? /^HTTP\/1\.1 408 / : /^(?:HTTP\/1\.1 408 |$)/);
  expect(reached).toEqual([]);
  // Asked again where the machine stood still: then this request is too slow as well.
  await expect.poll(async () => (await fetch(`${url}/hello`)).status).toBe(200);
});

describe('many clients at once', () => {
  it('are accepted up to the limit; one more is closed immediately, and accepted once another has gone', async () => {
    const { port } = await serve(world().routes, { maxConnections: 3 });
    const first = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const client = connected(port);
        client.socket.write('GET /hello HTTP/1.1\r\nHost: a\r\n\r\n');
        await once(client.socket, 'data');
        return client;
      }),
    );
    const tooMany = connected(port);
    await tooMany.closed;
    expect(tooMany.received()).toBe('');
    expect(first.map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
    first[0]?.socket.destroy();
    await expect.poll(async () => (await getRaw(port, '/hello')).status).toBe(200);
  });

  it('that leave bodies unfinished evict the oldest of them, never later clients', async () => {
    const { routes } = world();
    const { port } = await serve(routes, { bodyBytes: 2_400 });
    const head = 'POST /body HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 900\r\n\r\n';
    const holders = Array.from({ length: 4 }, () => connected(port));
    for (const holder of holders) {
      holder.socket.write(head + 'a'.repeat(899));
      expect(await sendRaw(port, head + 'b'.repeat(900))).toMatchObject({ status: 200 });
    }
    const [oldest, , , youngest] = holders;
    await oldest?.closed;
    expect(oldest?.received()).toContain('503 Service Unavailable');
    expect(oldest?.received()).toContain('retry-after: 1\r\n');
    expect(oldest?.received()).toContain('The server is receiving too much at once.\n');
    youngest?.socket.write('a');
    await youngest?.closed;
    expect(youngest?.received()).toContain('900 bytes');
  });

  it('can’t send more body bytes together than there is room for', async () => {
    const { routes, reached } = world();
    const { port } = await serve(routes, { bodyBytes: 1_000 });
    const head = 'POST /body HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 900\r\n\r\n';
    expect((await sendRaw(port, head + 'b'.repeat(900))).status).toBe(503);
    // All memory is returned, even that of refused and broken-off bodies.
    for (const length of [700, 1_000, 700]) {
      const broken = connected(port);
      broken.socket.write(
        `POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'c'.repeat(600)}`,
      );
      await once(broken.socket, 'connect');
      broken.socket.destroy();
    }
    const fitting = head.replace('900', '700');
    await expect.poll(async () => (await sendRaw(port, fitting + 'd'.repeat(700))).status).toBe(200);
    expect(reached.map((body) => body[0])).toContain('d');
  });
});

it.each([
  ['once', 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['thousands of times', 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(4_000)],
  ['with an expectation', 'GET /held HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n'],
])(
  'a client that sends a request before the last was answered again, %s, is cut off, and only the first is handled',
  async (_, again) => {
    const { route, asked } = heldRoute();
    const { server, port, url, failures } = await serve([route, ...world().routes]);
    const { socket, received, closed } = connected(port);
    socket.write(`GET /held HTTP/1.1\r\nHost: a\r\n\r\n${again}`);
    await closed;
    expect(received()).toBe('');
    expect(asked()).toBe(1);
    expect((await fetch(`${url}/hello`)).status).toBe(200);
    expect(failures).toEqual([]);
    // Nothing of it is taken to be under way for ever.
    await server.close();
  },
);

it('a client that doesn’t read is cut off when nothing has moved for too long', async () => {
  const gone = Promise.withResolvers<void>();
  const large: Route = {
    method: 'GET',
    path: '/large',
    handle({ onGone }) {
      onGone(gone.resolve);
      // More than the system keeps for a client that does not read.
      return { status: 200, body: Buffer.alloc(50_000_000) };
    },
  };
  const { port } = await serve([large], { timeout: 1_000 });
  const { socket, received, closed } = connected(port);
  socket.pause();
  socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await gone.promise;
  socket.resume();
  await closed;
  expect(received().length).toBeLessThan(50_000_000);
});
