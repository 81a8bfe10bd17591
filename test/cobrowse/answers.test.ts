import nock from 'nock';
import { beforeEach, describe, expect, it } from 'vitest';
import { connect, operations, origin, rejection, sam } from './stage.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const NOON = Date.UTC(2030, 0, 1, 12);
let client: ReturnType<typeof connect>;
beforeEach(() => void (client = connect(origin, { now: () => new Date(NOON) })));

/** The request of every call. */
const REQUESTS = {
  usage: 'GET /usage',
  listVisitors: 'GET /list',
  visitor: 'GET /visitors/v1',
  createWatchLink: 'POST /visitors/v1/watch_url',
  stopSession: 'DELETE /visitors/v1/session',
  deleteVisitor: 'DELETE /visitors/v1',
  deleteOfflineVisitors: 'DELETE /visitors',
  lookupAgent: 'GET /agents/lookup',
  createProxyLink: 'POST /proxy_sessions',
  authorizeOnPremise: 'POST /onpremise/token',
} as const;
type Name = keyof typeof REQUESTS;
const NAMES = Object.keys(REQUESTS).filter((name): name is Name => name in REQUESTS);

function answer(name: Name, status: number, body: nock.Body = '') {
  const [method = '', path] = REQUESTS[name].split(' ');
  return nock(origin).intercept(`/v1.3${path}`, method).query(true).reply(status, body);
}

async function refused(name: Name, status: number, body?: nock.Body) {
  answer(name, status, body);
  return rejection(operations(client)[name]());
}

describe('a refusal of the service', () => {
  it.each([
    ['visitor', 404, 'not-found'],
    ['createWatchLink', 404, 'not-found'],
    ['createWatchLink', 402, 'limit-reached'],
    ['stopSession', 404, 'not-found'],
    ['deleteVisitor', 404, 'not-found'],
    ['deleteVisitor', 409, 'visitor-online'],
    ['lookupAgent', 404, 'not-found'],
    ['listVisitors', 402, 'not-in-plan'],
    ['createProxyLink', 402, 'not-offered'],
    ['authorizeOnPremise', 402, 'not-authorized'],
  ] as const)('of %s with %i is %s', async (name, status, kind) => {
    expect(await refused(name, status, '<html>')).toMatchObject({ kind, status });
  });

  it.each(NAMES)('of the key is recognized for %s', async (name) => {
    const body = { status: 'error', error: 'no_subscription' };
    expect(await refused(name, 401, body)).toMatchObject({
      kind: 'refused-key',
      status: 401,
      code: 'no_subscription',
    });
  });

  it.each(['', '<html>', '{"error":{"a":1}}'])('of the key may say nothing: %j', async (body) => {
    const error = await refused('usage', 403, body);
    expect(error).toMatchObject({ kind: 'refused-key', status: 403, code: undefined });
  });

  it('carries a code cut to one clean word', async () => {
    const error = await refused('usage', 401, { error: `<!channel> ${'x'.repeat(500)}` });
    expect(error.code).toMatch(/^_channel_x+$/);
    expect(error.code).toHaveLength(64);
  });

  it.each([201, 400, 404, 418, 501])('that isn’t in the document isn’t understood: %i', async (status) => {
    expect(await refused('usage', status)).toMatchObject({ kind: 'not-understood', status });
  });

  it('names the endpoint of the document and no id', async () => {
    expect((await refused('visitor', 404)).message).toBe('GET /visitors/{visitor_id}: answered 404');
  });
});

describe('an answer with 200', () => {
  it.each(['', 'ok', '<html>secret</html>', '[]', 'null', '{}', '{"status":"error","error":"x"}'])(
    'is not understood where the object is missing: %j',
    async (body) => {
      for (const name of NAMES.filter((one) => !/^(?:stop|delete)/.test(one))) {
        const error = await refused(name, 200, body);
        expect(error).toMatchObject({ kind: 'not-understood', status: 200 });
        expect(error.message).not.toContain('secret');
      }
    },
  );

  it.each(['<html>', '', '{"status":"error"}', 'ok?'])('confirms no deletion with %j', async (body) => {
    expect(await refused('stopSession', 200, body)).toMatchObject({ kind: 'not-understood' });
  });

  it.each(['ok\n', '"ok"', '{"status":"ok"}'])('confirms a deletion with %j', async (body) => {
    answer('stopSession', 200, body);
    expect(await client.stopSession('v1')).toBeUndefined();
  });

  it('is cut to the limit, without its unusable visitors', async () => {
    const visitors = [null, {}, { short_id: '' }, { short_id: 1 }, 'x', { short_id: 'b' }, { short_id: 'c' }];
    answer('listVisitors', 200, { visitors });
    const found = await client.listVisitors({ limit: 2 });
    expect(found.map((visitor) => visitor.short_id)).toEqual(['1', 'b']);
    answer('listVisitors', 200, { visitors: null });
    expect(await client.listVisitors({ limit: 2 })).toEqual([]);
    // With only unusable ones it isn’t an empty list.
    expect(await refused('listVisitors', 200, { visitors: [{ id: 'a' }] })).toMatchObject({
      kind: 'not-understood',
    });
  });

  it.each([
    [undefined, null],
    ['2030-01-01T13:05:00+01:00', 5],
    ['2030-01-01T11:59:00Z', null],
  ])('says how long a link lives: until %s', async (expiration, minutes) => {
    answer('createWatchLink', 200, { watch_url: `${origin}/w/1`, expiration });
    const { expiresAt } = await client.createWatchLink('v1', { agent: sam });
    expect(expiresAt?.getTime()).toBe(minutes === null ? undefined : NOON + minutes * 60_000);
  });

  it('that authorizes nothing is a refusal', async () => {
    expect(await refused('authorizeOnPremise', 200, { authorized: false, token: null })).toMatchObject({
      kind: 'not-authorized',
    });
    expect(await refused('authorizeOnPremise', 200, { authorized: true })).toMatchObject({
      kind: 'not-understood',
    });
  });
});
