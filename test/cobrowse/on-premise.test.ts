import { inspect } from 'node:util';
import nock from 'nock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createOnPremiseClient } from '../../src/cobrowse/on-premise.ts';
import { createServiceAgent } from '../../src/cobrowse/http.ts';
import { defaultWireNames, parseWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

const origin = 'https://support.example';
const sam = { id: 'sam-1', name: 'Sam' };
const linkReply = { status: 'ok', watch_url: `${origin}/w/1` };
const dispatcher = createServiceAgent();

function connect(baseEndpoint = origin, wireNames = defaultWireNames) {
  return createOnPremiseClient({ baseEndpoint, restKey: 'rest-key-1', wireNames, dispatcher });
}

afterEach(() => nock.cleanAll());
afterAll(() => dispatcher.close());

describe('what the on-premise client sends', () => {
  it('has the bare key in Authorization, and a path without a version', async () => {
    nock(origin, { badheaders: ['x-api-key'] })
      .matchHeader('authorization', 'rest-key-1')
      .matchHeader('accept', 'application/json')
      .get('/api/visitors/v1')
      .reply(200, { visitor: { short_id: 'v1' } });
    expect((await connect().visitor('v1')).short_id).toBe('v1');
    expect(nock.isDone()).toBe(true);
  });

  it('keeps an id within its part of the path', async () => {
    const list = nock(origin)
      .get(/list/)
      .reply(200, { visitor: { short_id: 'v1' } });
    // A server that decodes paths first would answer with the list.
    expect(await rejection(connect().visitor('list/latest'))).toMatchObject({ kind: 'not-found' });
    expect(list.isDone()).toBe(false);
  });

  it('leaves out what the document doesn’t have here', async () => {
    const body = {
      licenseToken: 'licence-1',
      agent: sam,
      branding: { naked: 'page_only', retry_url: null },
      metadata: { link: 'g1' },
    };
    nock(origin).post('/api/visitors/v1/watch_url', body).reply(200, linkReply);
    await connect().createWatchLink(
      'v1',
      {
        agent: sam,
        branding: { naked: 'page_only' },
        retryUrl: null,
        permissions: { videoAudio: false },
        metadata: { link: 'g1' },
        webhookUrl: 'https://app.example/hook',
        initialNotes: 'Hello',
      },
      'licence-1',
    );
    expect(nock.isDone()).toBe(true);
  });

  it('leaves out video audio even if its name is known', async () => {
    const read = parseWireNames('{"permissionVideoAudio":"allow_video_audio","onPremiseSearch":"query"}');
    if (!read.ok) throw new Error(read.complaint);
    const body = { agent: sam, permissions: { allow_click: true } };
    nock(origin).post('/api/visitors/v1/watch_url', body).reply(200, linkReply);
    nock(origin).get('/api/visitors/list/search').query({ query: 'jane' }).reply(200, { visitors: [] });
    const client = connect(origin, read.names);
    const permissions = { click: true, videoAudio: true };
    await client.createWatchLink('v1', { agent: sam, permissions }, undefined);
    await client.listVisitors({ search: 'jane', limit: 5 });
    expect(nock.isDone()).toBe(true);
  });
});

function linkFrom(baseEndpoint: string, link: string) {
  nock(new URL(baseEndpoint).origin)
    .post(/watch_url$/)
    .reply(200, { watch_url: link });
  return connect(baseEndpoint).createWatchLink('v1', { agent: sam }, undefined);
}

describe('a watch link of an installation', () => {
  it.each([
    ['http://support.example/w/1', 'http://support.example:8080/x'],
    ['https://other.example/w/1', 'http://support.example'],
  ])('%s can be followed from %s', async (link, baseEndpoint) => {
    expect((await linkFrom(baseEndpoint, link)).locationHeader()).toBe(link);
  });

  it.each([
    ['http://other.example/w/1', 'http://support.example'],
    ['http://support.example/w/1', 'https://support.example'],
  ])('%s can’t be followed from %s', async (link, baseEndpoint) => {
    expect(await rejection(linkFrom(baseEndpoint, link))).toMatchObject({ kind: 'not-understood' });
  });
});

function request() {
  return connect().createWatchLink('v1', { agent: sam }, 'licence.secret-1');
}

describe('an error of the on-premise client', () => {
  it('shows neither the key nor the licence token', async () => {
    nock(origin)
      .post(/watch_url$/)
      .reply(403, { error: 'licence.secret-1' });
    const refused = await rejection(request());
    nock(origin)
      .post(/watch_url$/)
      .replyWithError(new Error('failed: {"licenseToken":"licence.secret-1"} with rest-key-1'));
    const failed = await rejection(request());
    nock(origin)
      .post(/watch_url$/)
      .reply(200, '{"watch_url":"licence.secret-1"');
    const odd = await rejection(request());
    for (const error of [refused, failed, odd]) {
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/licence\.secret-1|rest-key-1/);
    }
    expect(refused).toMatchObject({ kind: 'refused-key', code: undefined });
  });

  it('names the endpoint, so that it is clear which service failed', async () => {
    nock(origin).get('/api/visitors/v1').reply(418);
    const error = await rejection(connect().visitor('v1'));
    expect(error.message).toBe('GET /api/visitors/{visitor_id}: answered 418');
  });
});
