import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { goneCharts } from '../../src/http/page.ts';
import type { Route } from '../../src/http/server.ts';
import { connected, getRaw, heldRoute, sendRaw, serve, world } from './served.ts';

const hello: Route = { method: 'GET', path: '/hello', handle: () => ({ status: 200, body: 'hello, wörld' }) };

/** Longer than any test: a server that waited would be seen to hang. */
const PATIENT = {
  requestTimeout: 600_000,
  headersTimeout: 600_000,
  keepAliveTimeout: 600_000,
  connectionsCheckingInterval: 600_000,
};

describe('an answer of the server', () => {
  it('has its length in bytes, and headers against sniffing and referrers', async () => {
    const { url } = await serve([hello]);
    const answer = await fetch(`${url}/hello`);
    expect(answer.headers.get('content-length')).toBe('13');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    // Pages have their own; anything else must not become a page.
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(await answer.text()).toBe('hello, wörld');
  });

  it('to HEAD is that of GET without the body', async () => {
    const { port } = await serve([hello]);
    const answer = await getRaw(port, '/hello', 'HEAD');
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.head).toContain('content-length: 13');
  });

  it('to a request whose body nobody read ends the connection', async () => {
    const { port } = await serve([hello]);
    const answer = await sendRaw(
      port,
      'GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\nGET /smuggled HTTP/1.1\r\n',
    );
    expect(answer.status).toBe(200);
    expect(answer.head).toContain('connection: close');
  });
});

describe('a route that fails', () => {
  const thrown = new Error('broken');
  const fail = () => {
    throw thrown;
  };

  it.each<[string, Route['handle'], unknown]>([
    ['at once', fail, thrown],
    ['later', () => Promise.resolve().then(fail), thrown],
    [
      'by a header that cannot be sent',
      () => ({ status: 302, headers: { location: '/a\r\nset-cookie: b=c' } }),
      expect.any(Error),
    ],
  ])('%s is answered with 500, and the server survives', async (_when, handle, error) => {
    const { url, failures } = await serve([{ method: 'GET', path: '/broken', handle }, hello]);
    const answer = await fetch(`${url}/broken`, { redirect: 'manual' });
    expect([answer.status, await answer.text()]).toEqual([500, 'reference 1234']);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect(failures).toEqual([{ error, where: 'GET /broken' }]);
    expect((await fetch(`${url}/hello`)).status).toBe(200);
  });
});

describe('a server that closes', () => {
  it('lets the current request end, accepts no other, and says that the connection ends', async () => {
    const held = heldRoute();
    const { server, port } = await serve([held.route], PATIENT);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const asked = request({ port, path: '/held', agent }).end();
    await held.entered;
    let closed = false;
    const closing = server.close().then(() => (closed = true));
    await expect(fetch(`http://127.0.0.1:${port}/held`)).rejects.toThrow('fetch failed');
    expect(closed).toBe(false);
    held.answer({ status: 200, body: 'in time' });
    const [response] = await once(asked, 'response');
    expect(response.headers.connection).toBe('close');
    response.resume();
    await closing;
  });

  it('doesn’t wait forever for a body that never comes', async () => {
    const { server, port } = await serve(world().routes, {
      requestTimeout: 200,
      headersTimeout: 200,
      keepAliveTimeout: 1_000,
      connectionsCheckingInterval: 60_000,
    });
    const { socket } = connected(port);
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    // One answered request: the other was read before it.
    await getRaw(port, '/hello');
    await expect(server.close()).resolves.toBeUndefined();
  });
});

const routes: readonly Route[] = [
  { method: 'GET', path: '/fixed', handle: () => ({ status: 200, body: 'fixed' }) },
  { method: 'GET', path: '/watch/:ticket', handle: ({ parameter }) => ({ status: 200, body: parameter }) },
  { method: 'POST', path: '/hook/:ticket', handle: ({ parameter }) => ({ status: 200, body: parameter }) },
  { method: 'POST', path: '/both', handle: () => ({ status: 200, body: 'posted' }) },
  { method: 'GET', path: '/both', handle: () => ({ status: 200, body: 'got' }) },
];

describe('the route for an address', () => {
  it.each([
    ['/fixed', 'fixed'],
    ['/fixed?a=b&c', 'fixed'],
    ['/both', 'got'],
    ['/watch/abc-_1', 'abc-_1'],
    ['/watch/abc?utm=1', 'abc'],
    ['/watch/a%2Fb', 'a/b'],
    [`/watch/${'a'.repeat(10_000)}`, 'a'.repeat(10_000)],
  ])('%.40s is found', async (target, body) => {
    const { port } = await serve(routes);
    expect(await getRaw(port, target)).toMatchObject({ status: 200, body });
  });

  it.each([
    '/',
    '/fixed/',
    '/Fixed',
    '/%66ixed',
    '/watch/',
    '/watch/x/y',
    '/watch/../fixed',
    '/watch/%ff',
    'http://127.0.0.1/fixed',
    '/__proto__',
  ])('%s isn’t found', async (target) => {
    const { port } = await serve(routes);
    const answer = await getRaw(port, target);
    expect(answer).toMatchObject({ status: 404, body: 'Not found.\n' });
    expect(answer.head).not.toContain('allow:');
  });
});

it.each([
  ['POST', '/fixed', 'get, head'],
  ['GET', '/hook/x', 'post'],
  ['PUT', '/both', 'post, get, head'],
])(
  'a method that a route does not have %s %s is answered with 405 and the allowed methods',
  async (method, target, allow) => {
    const { port } = await serve(routes);
    const answer = await getRaw(port, target, method);
    expect(answer.status).toBe(405);
    expect(answer.head).toContain(`allow: ${allow}\r\n`);
  },
);

it('a picture of a digest of an earlier version is gone, whatever its ticket', async () => {
  const { url } = await serve([goneCharts]);
  const answer = await fetch(`${url}/charts/anything`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([410, 'text/plain; charset=utf-8']);
});
