import { describe, expect, it } from 'vitest';
import { goneCharts } from '../../src/http/page.ts';
import type { Route } from '../../src/http/server.ts';
import { getRaw, serve } from './served.ts';

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
