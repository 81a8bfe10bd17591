import nock from 'nock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { createServiceAgent } from '../../src/cobrowse/http.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

const origin = 'https://cobrowse.example';
const sam = { id: 'sam-1', name: 'Sam' };
const linkReply = { status: 'ok', watch_url: `${origin}/w/1` };

const dispatcher = createServiceAgent();

function connect(baseUrl = origin) {
  return createCloudClient({ baseUrl, apiKey: 'key-123', wireNames: defaultWireNames, dispatcher });
}

afterEach(() => nock.cleanAll());
afterAll(() => dispatcher.close());

describe('what the cloud client sends', () => {
  it('names itself, its key and the kind of answer it reads', async () => {
    nock(origin)
      .matchHeader('x-api-key', 'key-123')
      .matchHeader('accept', 'application/json')
      .matchHeader('user-agent', 'cobrowse-for-slack')
      .get('/v1.3/usage')
      .reply(200, { usage: {} });
    await connect().usage();
    expect(nock.isDone()).toBe(true);
  });

  it('keeps the path of the base address, with or without a slash at its end', async () => {
    nock(origin).get('/eu/api/v1.3/usage').twice().reply(200, { usage: {} });
    await connect(`${origin}/eu/api`).usage();
    await connect(`${origin}/eu/api/`).usage();
    expect(nock.isDone()).toBe(true);
  });

  it('leaves out an empty search and asks for no more than the limit', async () => {
    nock(origin).get('/v1.3/list').query({ max_results: '11' }).twice().reply(200, { visitors: [] });
    await connect().listVisitors({ limit: 11 });
    await connect().listVisitors({ limit: 11, search: '  ' });
    expect(nock.isDone()).toBe(true);
  });

  it('sends search texts whole', async () => {
    const search = 'Zoë & co? #vip +1 50%';
    nock(origin).get('/v1.3/list').query({ max_results: '1', search }).reply(200, { visitors: [] });
    expect(await connect().listVisitors({ limit: 1, search })).toEqual([]);
    expect(nock.isDone()).toBe(true);
  });

  it('keeps an id within its part of the path', async () => {
    nock(origin).get('/v1.3/visitors/a..b%3Fall%3Dtrue%20%25').reply(404);
    expect(await rejection(connect().visitor('a..b?all=true %'))).toMatchObject({ status: 404 });
    expect(nock.isDone()).toBe(true);
  });

  it.each(['', '.', '..', '\u{d800}', 'a/b', '../v2', 'a\\b', 'a\r\nb', '\u0000'])(
    'never sends the id %j',
    async (id) => {
      const error = await rejection(connect().deleteVisitor(id));
      expect(error).toMatchObject({ kind: 'not-found', status: undefined });
    },
  );

  it('asks for an agent by exactly one of email and external id', async () => {
    nock(origin)
      .get('/v1.3/agents/lookup')
      .query({ email: 'a+b@c.example' })
      .reply(200, { agent: { id: 'a' } });
    nock(origin)
      .get('/v1.3/agents/lookup')
      .query({ external_id: 'slack-1' })
      .reply(200, { agent: { id: 'b' } });
    expect((await connect().lookupAgent({ email: 'a+b@c.example' })).id).toBe('a');
    expect((await connect().lookupAgent({ externalId: 'slack-1' })).id).toBe('b');
    expect(nock.isDone()).toBe(true);
  });

  it('asks for a plain watch link with the agent alone', async () => {
    nock(origin).post('/v1.3/visitors/v1/watch_url', { agent: sam }).reply(200, linkReply);
    await connect().createWatchLink('v1', { agent: sam, permissions: {}, branding: {} });
    expect(nock.isDone()).toBe(true);
  });

  it('asks for a watch link with everything', async () => {
    const body = {
      agent: sam,
      branding: { naked: 'page_only', retry_url: null, on_end_url: 'https://app.example/end' },
      permissions: {
        allow_agent_redirect: true,
        allow_audio: false,
        allow_click: true,
        allow_console: false,
        allow_draw: true,
        allow_scroll: true,
        allow_type: false,
      },
      metadata: { link: 'g1', number: 2, test: true },
      webhook_url: 'https://app.example/hook',
      initial_notes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
    };
    nock(origin).post('/v1.3/visitors/v1/watch_url', body).reply(200, linkReply);
    await connect().createWatchLink('v1', {
      agent: sam,
      branding: { naked: 'page_only' },
      permissions: {
        redirect: true,
        audio: false,
        click: true,
        console: false,
        draw: true,
        scroll: true,
        type: false,
      },
      metadata: { link: 'g1', number: 2, test: true },
      webhookUrl: 'https://app.example/hook',
      initialNotes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
      retryUrl: null,
      onEndUrl: 'https://app.example/end',
    });
    expect(nock.isDone()).toBe(true);
  });

  it('asks for a proxy link in the words of the document', async () => {
    const body = {
      initial_url: 'https://a.example/',
      allowed_domains: ['a.example'],
      branding: { retry_url: null },
    };
    nock(origin)
      .post('/v1.3/proxy_sessions', body)
      .reply(200, { status: 'ok', proxy_url: `${origin}/p/1` });
    const link = await connect().createProxyLink({
      initialUrl: 'https://a.example/',
      allowedDomains: ['a.example'],
      retryUrl: null,
    });
    expect(String(link)).toBe('[watch link]');
    expect(link.locationHeader()).toBe(`${origin}/p/1`);
    expect(nock.isDone()).toBe(true);
  });
});
