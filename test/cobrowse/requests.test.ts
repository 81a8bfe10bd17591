import { inspect } from 'node:util';
import nock from 'nock';
import { afterEach, describe, expect, it } from 'vitest';
import { createOnPremiseClient } from '../../src/cobrowse/on-premise.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import type { WireNames } from '../../src/cobrowse/wire-names.ts';
import { closing, connect, origin, overridden, rejection, sam } from './stage.ts';

afterEach(() => nock.cleanAll());

const installed = 'https://support.example';
const linkReply = { status: 'ok', watch_url: `${origin}/w/1` };

const connectWith = (wireNames: WireNames) => connect(origin, { wireNames });

const install = (baseEndpoint = installed, wireNames = defaultWireNames) =>
  closing(createOnPremiseClient({ baseEndpoint, restKey: 'rest-key-1', wireNames }));

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

describe('overridden wire names', () => {
  it.each([
    ['X-Token', { 'x-token': 'key-123' }],
    ['authorization', { authorization: 'key-123' }],
    ['Authorization Token', { authorization: 'Token key-123' }],
  ])('send the key as %s', async (authHeader, reqheaders) => {
    nock(origin, { reqheaders, badheaders: ['x-api-key'] })
      .get('/v1.3/usage')
      .reply(200, { usage: {} });
    const client = connectWith(overridden({ authHeader }));
    expect(await client.usage()).toBeDefined();
  });

  it('change the prefix, the header and the queries', async () => {
    const names = overridden({
      versionPrefix: '/v1.4',
      authHeader: 'Authorization Bearer',
      listSearch: 'q',
      listLimit: 'limit',
      visitorHistoryQuery: 'history',
    });
    const scope = nock(origin, {
      reqheaders: { authorization: 'Bearer key-123' },
      badheaders: ['x-api-key'],
    });
    scope.get('/v1.4/list').query({ q: 'jane', limit: '3' }).reply(200, { visitors: [] });
    scope
      .get('/v1.4/visitors/v1')
      .query({ history: 'true' })
      .reply(200, { visitor: { short_id: 'v1' } });
    await connectWith(names).listVisitors({ search: 'jane', limit: 3 });
    await connectWith(names).visitor('v1', { withHistory: true });
    expect(nock.isDone()).toBe(true);
  });

  it('change the fields of a watch link', async () => {
    const names = overridden({
      bodyInitialNotes: 'notes',
      bodyViewer: 'watcher',
      viewerId: 'watcher_id',
      viewerName: 'watcher_name',
      brandingRetryUrl: 'again',
      brandingOnEndUrl: 'after',
      permissionClick: 'can_click',
      permissionVideoAudio: 'allow_video_audio',
    });
    const body = {
      agent: sam,
      branding: { again: 'https://a.example/', after: 'https://b.example/' },
      permissions: { can_click: true, allow_video_audio: true },
      notes: 'Hello',
      watcher: { watcher_id: 'v', watcher_name: 'Vera' },
    };
    nock(origin).post('/v1.3/visitors/v1/watch_url', body).reply(200, linkReply);
    await connectWith(names).createWatchLink('v1', {
      agent: sam,
      permissions: { click: true, videoAudio: true },
      initialNotes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
      retryUrl: 'https://a.example/',
      onEndUrl: 'https://b.example/',
    });
    expect(nock.isDone()).toBe(true);
  });

  it('change which fields of a visitor are read, in a list and alone', async () => {
    const names = overridden({ visitorEmail: 'mail', visitorIsOnline: 'online' });
    const sent = { short_id: 'v1', mail: 'jane@acme.example', online: true, email: 'old@acme.example' };
    nock(origin).get('/v1.3/visitors/v1').reply(200, { visitor: sent });
    nock(origin)
      .get('/v1.3/list')
      .query(true)
      .reply(200, { visitors: [sent, null] });
    const read = { email: 'jane@acme.example', is_online: true, mail: 'jane@acme.example' };
    expect(await connectWith(names).visitor('v1')).toMatchObject(read);
    expect(await connectWith(names).listVisitors({ limit: 5 })).toMatchObject([read]);
    expect(nock.isDone()).toBe(true);
  });

  it('put a value elsewhere where they are paths', async () => {
    const names = overridden({
      bodyInitialNotes: 'metadata.notes',
      brandingRetryUrl: '.retry_url',
      brandingOnEndUrl: 'branding.urls.end',
      permissionClick: '.can.click',
      viewerId: 'agent.viewer',
    });
    const body = {
      agent: { ...sam, viewer: 'v' },
      branding: { naked: true, urls: { end: 'https://b.example/' } },
      permissions: { allow_draw: true },
      metadata: { link: 'g1', notes: 'Hello' },
      retry_url: 'https://a.example/',
      can: { click: false },
      viewer: { name: 'Vera' },
    };
    nock(origin).post('/v1.3/visitors/v1/watch_url', body).reply(200, linkReply);
    await connectWith(names).createWatchLink('v1', {
      agent: sam,
      branding: { naked: true },
      permissions: { click: false, draw: true },
      metadata: { link: 'g1' },
      initialNotes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
      retryUrl: 'https://a.example/',
      onEndUrl: 'https://b.example/',
    });
    expect(nock.isDone()).toBe(true);
  });

  it('leave out what they leave empty, and offer nothing for it', async () => {
    const names = overridden({
      bodyInitialNotes: '',
      bodyViewer: '',
      brandingRetryUrl: '',
      permissionClick: '',
      visitorHistoryQuery: '',
      visitorEmail: '',
    });
    const client = connectWith(names);
    expect(client.offers).toMatchObject({ initialNotes: false, pageviews: false, videoAudio: false });
    const body = { agent: sam, permissions: { allow_draw: true } };
    nock(origin).post('/v1.3/visitors/v1/watch_url', body).reply(200, linkReply);
    await client.createWatchLink('v1', {
      agent: sam,
      permissions: { click: true, draw: true },
      initialNotes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
      retryUrl: 'https://a.example/',
    });
    nock(origin)
      .get('/v1.3/visitors/v1')
      .reply(200, { visitor: { short_id: 'v1', email: 'a@b.example' } });
    expect((await client.visitor('v1', { withHistory: true })).email).toBeUndefined();
    expect(nock.isDone()).toBe(true);
  });

  it('never let a link do what should be forbidden, where its name is empty', async () => {
    const client = connectWith(overridden({ permissionClick: '' }));
    const request = { agent: sam, permissions: { click: false } };
    const error = await rejection(client.createWatchLink('v1', request));
    expect(error.kind).toBe('not-offered');
    expect(error.message).toContain('permissionClick');
  });

  it('say where a visitor’s field is, and a session’s link', async () => {
    const names = overridden({ visitorEmail: 'contact.email', sessionLinkId: 'custom.link' });
    const session = { id: 's1', custom: { link: 'g1' }, metadata: { slack_link: 'other' } };
    const sent = { short_id: 'v1', contact: { email: 'jane@acme.example' }, sessions: [session] };
    nock(origin).get('/v1.3/visitors/v1').reply(200, { visitor: sent });
    expect(await connectWith(names).visitor('v1')).toMatchObject({
      email: 'jane@acme.example',
      sessions: [{ id: 's1', metadata: { slack_link: 'g1' } }],
    });
    nock(origin)
      .get('/v1.3/agents/lookup')
      .query({ email: 'a@b.example' })
      .reply(200, { agent: { id: 'a', sessions: [session, { id: 's2' }] } });
    const sessions = { since: new Date(Date.UTC(2999, 0)), linkIds: new Set(['g1']) };
    const agent = await connectWith(names).lookupAgent({ email: 'a@b.example' }, { sessions });
    expect(agent.sessions).toMatchObject([{ id: 's1', metadata: { slack_link: 'g1' } }]);
  });

  it('are needed for a permission without a known name', async () => {
    const error = await rejection(
      connect().createWatchLink('v1', { agent: sam, permissions: { videoAudio: false } }),
    );
    expect(error.kind).toBe('not-offered');
    expect(error.message).toContain('permissionVideoAudio');
  });
});

describe('what the on-premise client sends', () => {
  it('has the bare key in Authorization, and a path without a version', async () => {
    nock(installed, { badheaders: ['x-api-key'] })
      .matchHeader('authorization', 'rest-key-1')
      .matchHeader('accept', 'application/json')
      .get('/api/visitors/v1')
      .reply(200, { visitor: { short_id: 'v1' } });
    expect((await install().visitor('v1')).short_id).toBe('v1');
    expect(nock.isDone()).toBe(true);
  });

  it('keeps an id within its part of the path', async () => {
    const list = nock(installed)
      .get(/list/)
      .reply(200, { visitor: { short_id: 'v1' } });
    // A server that decodes paths first would answer with the list.
    expect(await rejection(install().visitor('list/latest'))).toMatchObject({ kind: 'not-found' });
    expect(list.isDone()).toBe(false);
  });

  it('leaves out what the document doesn’t have here', async () => {
    const body = {
      licenseToken: 'licence-1',
      agent: sam,
      branding: { naked: 'page_only', retry_url: null },
      metadata: { link: 'g1' },
    };
    nock(installed).post('/api/visitors/v1/watch_url', body).reply(200, linkReply);
    await install().createWatchLink(
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
    const names = overridden({ permissionVideoAudio: 'allow_video_audio', onPremiseSearch: 'query' });
    const body = { agent: sam, permissions: { allow_click: true } };
    nock(installed).post('/api/visitors/v1/watch_url', body).reply(200, linkReply);
    nock(installed).get('/api/visitors/list/search').query({ query: 'jane' }).reply(200, { visitors: [] });
    const client = install(installed, names);
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
  return install(baseEndpoint).createWatchLink('v1', { agent: sam }, undefined);
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

function askWithLicence() {
  return install().createWatchLink('v1', { agent: sam }, 'licence.secret-1');
}

describe('an error of the on-premise client', () => {
  it('shows neither the key nor the licence token', async () => {
    nock(installed)
      .post(/watch_url$/)
      .reply(403, { error: 'licence.secret-1' });
    const refused = await rejection(askWithLicence());
    nock(installed)
      .post(/watch_url$/)
      .replyWithError(new Error('failed: {"licenseToken":"licence.secret-1"} with rest-key-1'));
    const failed = await rejection(askWithLicence());
    nock(installed)
      .post(/watch_url$/)
      .reply(200, '{"watch_url":"licence.secret-1"');
    const odd = await rejection(askWithLicence());
    for (const error of [refused, failed, odd]) {
      expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/licence\.secret-1|rest-key-1/);
    }
    expect(refused).toMatchObject({ kind: 'refused-key', code: undefined });
  });

  it('names the endpoint, so that it is clear which service failed', async () => {
    nock(installed).get('/api/visitors/v1').reply(418);
    const error = await rejection(install().visitor('v1'));
    expect(error.message).toBe('GET /api/visitors/{visitor_id}: answered 418');
  });
});
