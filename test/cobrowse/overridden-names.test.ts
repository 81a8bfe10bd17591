import nock from 'nock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { createServiceAgent } from '../../src/cobrowse/http.ts';
import { defaultWireNames, parseWireNames } from '../../src/cobrowse/wire-names.ts';
import type { WireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

const origin = 'https://cobrowse.example';
const sam = { id: 'sam-1', name: 'Sam' };
const linkReply = { status: 'ok', watch_url: `${origin}/w/1` };

const dispatcher = createServiceAgent();

function connect(wireNames: WireNames = defaultWireNames) {
  return createCloudClient({ baseUrl: origin, apiKey: 'key-123', wireNames, dispatcher });
}

function overridden(overrides: object): WireNames {
  const read = parseWireNames(JSON.stringify(overrides));
  if (!read.ok) throw new Error(read.complaint);
  return read.names;
}

afterEach(() => nock.cleanAll());
afterAll(() => dispatcher.close());

describe('overridden wire names', () => {
  it.each([
    ['X-Token', { 'x-token': 'key-123' }],
    ['authorization', { authorization: 'key-123' }],
    ['Authorization Token', { authorization: 'Token key-123' }],
  ])('send the key as %s', async (authHeader, reqheaders) => {
    nock(origin, { reqheaders, badheaders: ['x-api-key'] })
      .get('/v1.3/usage')
      .reply(200, { usage: {} });
    const client = connect(overridden({ authHeader }));
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
    await connect(names).listVisitors({ search: 'jane', limit: 3 });
    await connect(names).visitor('v1', { withHistory: true });
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
    await connect(names).createWatchLink('v1', {
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
    expect(await connect(names).visitor('v1')).toMatchObject(read);
    expect(await connect(names).listVisitors({ limit: 5 })).toMatchObject([read]);
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
    await connect(names).createWatchLink('v1', {
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
    const client = connect(names);
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
    const client = connect(overridden({ permissionClick: '' }));
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
    expect(await connect(names).visitor('v1')).toMatchObject({
      email: 'jane@acme.example',
      sessions: [{ id: 's1', metadata: { slack_link: 'g1' } }],
    });
    nock(origin)
      .get('/v1.3/agents/lookup')
      .query({ email: 'a@b.example' })
      .reply(200, { agent: { id: 'a', sessions: [session, { id: 's2' }] } });
    const sessions = { since: new Date(Date.UTC(2999, 0)), linkIds: new Set(['g1']) };
    const agent = await connect(names).lookupAgent({ email: 'a@b.example' }, { sessions });
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
