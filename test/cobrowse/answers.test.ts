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

const kindOf = async (...answered: Parameters<typeof refused>) => (await refused(...answered)).kind;

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

  it.each([
    ['', undefined],
    ['<html>', undefined],
    ['{"error":{"a":1}}', undefined],
    [`{"error":"<!channel> ${'x'.repeat(500)}"}`, `_channel_${'x'.repeat(55)}`],
  ])('of the key carries a code of one clean word or none: %j', async (body, code) => {
    const error = await refused('usage', 403, body);
    expect(error).toMatchObject({ kind: 'refused-key', status: 403, code });
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

  it('confirms a deletion with "ok" alone, as text or as JSON', async () => {
    for (const body of ['<html>', '', '{"status":"error"}', 'ok?', 'not ok'])
      expect([body, await kindOf('stopSession', 200, body)]).toEqual([body, 'not-understood']);
    for (const body of ['ok\n', '"ok"', '{"status":"ok"}']) {
      answer('stopSession', 200, body);
      expect(await client.stopSession('v1')).toBeUndefined();
    }
  });

  it('is cut to the limit, without its unusable visitors', async () => {
    const visitors = [null, {}, { short_id: '' }, { short_id: 1 }, 'x', { short_id: 'b' }, { short_id: 'c' }];
    answer('listVisitors', 200, { visitors });
    const found = await client.listVisitors({ limit: 2 });
    expect(found.map((visitor) => visitor.short_id)).toEqual(['1', 'b']);
    answer('listVisitors', 200, { visitors: null });
    expect(await client.listVisitors({ limit: 2 })).toEqual([]);
    // With only unusable ones it isn’t an empty list.
    expect(await kindOf('listVisitors', 200, { visitors: [{ id: 'a' }] })).toBe('not-understood');
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
    const refusing = { authorized: false, token: null };
    expect(await kindOf('authorizeOnPremise', 200, refusing)).toBe('not-authorized');
    expect(await kindOf('authorizeOnPremise', 200, { authorized: true })).toBe('not-understood');
  });
});
