import { inspect } from 'node:util';
import nock from 'nock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import type { CobrowseErrorKind } from '../../src/cobrowse/errors.ts';
import { defaultWireNames, parseWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

const origin = 'https://cobrowse.example';
const apiKey = 'sk-Top.Secret+1';
const link = `${origin}/w/link-secret`;
const sam = { id: 'sam-1', name: 'Sam' };

const client = createCloudClient({ baseUrl: origin, apiKey, wireNames: defaultWireNames });

afterEach(() => nock.cleanAll());
afterAll(() => client.close());

/** Everything about an error that could reach a log. */
function everythingOf(error: unknown): string {
  const shown = inspect(error, { depth: 20, showHidden: true, getters: true });
  return `${shown}\n${JSON.stringify(error)}\n${String(error)}`;
}

function secretsIn(value: unknown): readonly string[] {
  return everythingOf(value).match(/Top\.Secret|link-secret|query-secret/g) ?? [];
}

/** Each kind there is: one that is added is missed here by the compiler. */
const EVERY = {
  'not-found': 'not-found',
  'limit-reached': 'limit-reached',
  'not-in-plan': 'not-in-plan',
  'visitor-online': 'visitor-online',
  'not-authorized': 'not-authorized',
  'refused-key': 'refused-key',
  busy: 'busy',
  unreachable: 'unreachable',
  'timed-out': 'timed-out',
  'called-off': 'called-off',
  'not-understood': 'not-understood',
  'not-offered': 'not-offered',
} as const satisfies { readonly [Kind in CobrowseErrorKind]: Kind };
const KINDS: readonly CobrowseErrorKind[] = Object.values(EVERY);

describe('an error of the co-browsing client', () => {
  it('hides the key where a network failure repeats the request', async () => {
    const unexpected = Object.assign(new Error(`failed: {"x-api-key":"${apiKey}"} at ${link}`), {
      code: 'ECONNREFUSED',
      request: { headers: { 'x-api-key': apiKey } },
    });
    nock(origin).get('/v1.3/usage').replyWithError(unexpected);
    const error = await rejection(client.usage());
    expect(error).toMatchObject({ kind: 'unreachable', cause: { code: 'ECONNREFUSED' } });
    expect(secretsIn(error)).toEqual([]);
  });

  it('hides the key that a refusal repeats', async () => {
    nock(origin)
      .get('/v1.3/usage')
      .reply(401, { error: `unknown key ${apiKey}` });
    const error = await rejection(client.usage());
    expect(error).toMatchObject({ kind: 'refused-key', code: undefined });
    expect(secretsIn(error)).toEqual([]);
  });

  it('hides a link in an answer that isn’t JSON', async () => {
    nock(origin).post('/v1.3/visitors/v1/watch_url').reply(200, `{"watch_url":"${link}",}`);
    const error = await rejection(client.createWatchLink('v1', { agent: sam }));
    expect(error.kind).toBe('not-understood');
    expect(secretsIn(error)).toEqual([]);
  });

  it('hides a link in an answer of another shape', async () => {
    nock(origin)
      .post('/v1.3/visitors/v1/watch_url')
      .reply(200, { watch_url: [link], [link]: link, status: link });
    const error = await rejection(client.createWatchLink('v1', { agent: sam }));
    expect(error.message).toContain('watch_url');
    expect(secretsIn(error)).toEqual([]);
  });

  it('hides an unsafe link', async () => {
    const unsafe = link.replace('https:', 'http:');
    nock(origin).post('/v1.3/visitors/v1/watch_url').reply(200, { watch_url: unsafe });
    expect(secretsIn(await rejection(client.createWatchLink('v1', { agent: sam })))).toEqual([]);
  });

  it('hides what was searched for and where a redirect leads', async () => {
    nock(origin).get('/v1.3/list').query(true).reply(302, '', { location: link });
    expect(secretsIn(await rejection(client.listVisitors({ search: 'query-secret', limit: 1 })))).toEqual([]);
  });

  it('hides a bearer key too', async () => {
    const read = parseWireNames('{"authHeader":"Authorization Bearer"}');
    if (!read.ok) throw new Error(read.complaint);
    const bearer = createCloudClient({ baseUrl: origin, apiKey, wireNames: read.names });
    nock(origin)
      .get('/v1.3/usage')
      .replyWithError(new Error(`authorization: Bearer ${apiKey}`));
    expect(secretsIn(await rejection(bearer.usage()))).toEqual([]);
    await bearer.close();
  });

  it('hides secrets in its message, its stack and every cause', () => {
    const deepest = new Error(`Bearer ${apiKey}`);
    const middle = new AggregateError([new Error(`no way to ${link}`)], '', { cause: deepest });
    const error = new CobrowseError('unreachable', `GET ${link} with ${apiKey}`, {
      cause: new TypeError(`at ${link}`, { cause: middle }),
      secrets: [apiKey],
    });
    expect(secretsIn(error)).toEqual([]);
    expect(error.message).toBe('GET [link] with [secret]');
    expect(error).toMatchObject({ cause: { name: 'TypeError', message: 'at [link]' } });
    expect(everythingOf(error)).toContain('no way to [link]');
    expect(everythingOf(error)).toContain('Bearer [secret]');
  });

  it.each(KINDS)('also hides them if the kind is %s, with everything it carries', (kind) => {
    const request = { headers: { 'x-api-key': apiKey }, url: link };
    const cause = Object.assign(new Error(`${link} ${apiKey}`), { request, code: 'ECONNRESET' });
    const error = new CobrowseError(kind, `${link} ${apiKey}`, {
      code: `${link} ${apiKey}`,
      status: 500,
      cause: new Error('above', { cause }),
      secrets: [apiKey],
    });
    expect(error.kind).toBe(kind);
    expect(secretsIn(error)).toEqual([]);
    expect(secretsIn(new Error('further up', { cause: error }))).toEqual([]);
  });

  it('says nothing about a cause that isn’t an error', () => {
    const error = new CobrowseError('unreachable', 'failed', { cause: { token: apiKey }, secrets: [] });
    expect(secretsIn(error)).toEqual([]);
  });

  it('doesn’t show the key in the client itself', () => {
    expect(secretsIn(client)).toEqual([]);
  });
});
