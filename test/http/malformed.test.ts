import { describe, expect, it } from 'vitest';
import { SHORT, SHORT_WHEN_IDLE, getRaw, sendRaw, serve, world } from './served.ts';

const post = (...headers: readonly string[]) =>
  ['POST /body HTTP/1.1', 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n');
const chunked = (text: string) => `${post('Transfer-Encoding: chunked')}${text}`;

describe('a malformed request', () => {
  it.each([
    ['no Host', 'GET /hello HTTP/1.1\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
    ['a zero in a header', 'GET /hello HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n'],
    ['two lengths', `${post('Content-Length: 3', 'Content-Length: 4')}abc`],
    ['a length and chunks', `${post('Content-Length: 3', 'Transfer-Encoding: chunked')}abc`],
    ['a length too large for any number', `${post(`Content-Length: ${'9'.repeat(30)}`)}abc`],
    ['chunks longer than they say', chunked('3\r\nabcdef\r\n0\r\n\r\n')],
  ])('reaches no route with %s, and the server survives', async (_, text) => {
    const { routes, reached } = world();
    const { port, failures } = await serve(routes, SHORT);
    const answer = await sendRaw(port, text);
    expect(answer.head).not.toMatch(/^http\/1\.1 200/);
    expect(reached).toEqual([]);
    expect(failures).toEqual([]);
    // Asked again where the machine stood still: then this request is too slow.
    await expect.poll(async () => (await getRaw(port, '/hello')).status).toBe(200);
  });

  it('gets an explanation if only the Host is missing, and its connection ends', async () => {
    const { port } = await serve(world().routes);
    const answer = await sendRaw(port, 'GET /hello HTTP/1.1\r\n\r\n');
    expect(answer).toMatchObject({ status: 400, body: 'The Host header is missing.\n' });
  });

  it.each([
    ['an address of 20 KB', '', 'a'.repeat(20_000)],
    ['thousands of headers', Array.from({ length: 5_000 }, (_, index) => `X-${index}: a`).join('\r\n')],
  ])('is too large with %s', async (_, headers, address = 'hello') => {
    const { routes, reached } = world();
    const { port } = await serve(routes);
    const answer = await sendRaw(port, `GET /${address} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`);
    expect(answer.status).toBe(431);
    expect(reached).toEqual([]);
  });

  it.each([
    ['HTTP/1.0', 'GET /hello HTTP/1.0\r\n\r\n', 200],
    [
      'an upgrade',
      'GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
    ['TRACE', 'TRACE /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Secret: b\r\n\r\n', 405],
    ['a long extension of a chunk', chunked(`3;${'x'.repeat(1_000)}\r\nabc\r\n0\r\n\r\n`), 200],
  ])('with %s is answered properly, without repeating any of it', async (_, text, status) => {
    const { port } = await serve(world().routes, SHORT_WHEN_IDLE);
    const answer = await sendRaw(port, text);
    expect(answer.status).toBe(status);
    expect(answer.head + answer.body).not.toMatch(/secret|websocket|tea/);
  });

  it('with CONNECT gets no connection to anywhere', async () => {
    const { routes, reached } = world();
    const { port } = await serve(routes, SHORT);
    const answer = await sendRaw(
      port,
      'CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    expect(answer).toMatchObject({ head: '', body: '' });
    expect(reached).toEqual([]);
  });

  it.each(['/watch/a%0d%0aset-cookie:%20b=c', '/watch/%00', '/hello%0d%0ax:y'])(
    'with the address %s adds nothing to the headers of the answer',
    async (target) => {
      const { port, failures } = await serve(world().routes);
      const answer = await getRaw(port, target);
      expect(answer.head).not.toMatch(/set-cookie|^x:/m);
      expect(answer.status).toBe(target.startsWith('/watch/') ? 200 : 404);
      expect(failures).toEqual([]);
    },
  );
});
