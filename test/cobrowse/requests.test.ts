import { inspect } from 'node:util';
import nock from 'nock';
import { describe, expect, it } from 'vitest';
import { connect, install, origin, overridden, rejection, sam } from './stage.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const installed = 'https://support.example';
const linkReply = { status: 'ok', watch_url: `${origin}/w/1` };

const connectWith = (names: object) => connect(origin, { wireNames: overridden(names) });
/** Answers a request for a watch link that has this body. */
const linkFor = (body: nock.RequestBodyMatcher) =>
  nock(origin).post('/v1.3/visitors/v1/watch_url', body).reply(200, linkReply);

/** All that a watch link can be requested with. */
const everything = {
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
} as const;
const { agent, metadata, viewer } = everything;
/** What both documents have of it. */
const documented = {
  agent,
  branding: { naked: 'page_only', retry_url: null, on_end_url: 'https://app.example/end' },
  permissions: Object.fromEntries(
    Object.entries(everything.permissions).map(([name, can]) => [
      name === 'redirect' ? 'allow_agent_redirect' : `allow_${name}`,
      can,
    ]),
  ),
  metadata,
  viewer,
};

describe('what the cloud client sends', () => {
  it.each(['', '/eu/api', '/eu/api/'])(
    'names itself and its key, below an address’s path: %j',
    async (path) => {
      const named = { 'user-agent': 'cobrowse-for-slack', 'x-api-key': 'key-123' };
      const service = nock(origin, { reqheaders: { ...named, accept: 'application/json' } });
      service.get(`${path.replace(/\/$/, '')}/v1.3/usage`).reply(200, { usage: {} });
      await connect(`${origin}${path}`).usage();
      expect(nock.isDone()).toBe(true);
    },
  );

  it('leaves out an empty search, asks for no more than the limit, and for an agent in one way', async () => {
    const service = nock(origin);
    service.get('/v1.3/list').query({ max_results: '11' }).twice().reply(200, { visitors: [] });
    service.get('/v1.3/agents/lookup?email=a%2Bb%40c.example').reply(200, { agent: { id: 'a' } });
    service.get('/v1.3/agents/lookup?external_id=slack-1').reply(200, { agent: { id: 'a' } });
    for (const search of [undefined, '  ']) await connect().listVisitors({ limit: 11, search });
    await connect().lookupAgent({ email: 'a+b@c.example' });
    await connect().lookupAgent({ externalId: 'slack-1' });
    expect(nock.isDone()).toBe(true);
  });

  it('never names an id that leads elsewhere', async () => {
    for (const id of ['', '.', '..', '\u{d800}', 'a/b', '../v2', 'a\\b', 'a\r\nb', '\u0000']) {
      const error = await rejection(connect().deleteVisitor(id));
      expect([id, error]).toMatchObject([id, { kind: 'not-found', status: undefined }]);
    }
  });

  it('asks for a watch link with all that it’s given, and nothing else', async () => {
    linkFor({ ...documented, webhook_url: 'https://app.example/hook', initial_notes: 'Hello' });
    await connect().createWatchLink('v1', everything);
    linkFor({ agent: sam });
    await connect().createWatchLink('v1', { agent: sam, permissions: {}, branding: {} });
    expect(nock.isDone()).toBe(true);
  });

  it('asks for a proxy link in the words of the document', async () => {
    const body = { initial_url: 'https://a.example/', branding: { retry_url: null } };
    const proxy_url = `${origin}/p/1`;
    nock(origin).post('/v1.3/proxy_sessions', body).reply(200, { proxy_url });
    const link = await connect().createProxyLink({ initialUrl: 'https://a.example/', retryUrl: null });
    expect(link.locationHeader()).toBe(`${origin}/p/1`);
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
    expect(await connectWith({ authHeader }).usage()).toBeDefined();
  });

  it('change the prefix and the queries', async () => {
    const queries = { listSearch: 'q', listLimit: 'limit', visitorHistoryQuery: 'history' };
    const client = connectWith({ versionPrefix: '/v1.4', ...queries });
    const service = nock(origin);
    service.get('/v1.4/list?q=jane&limit=3').reply(200, { visitors: [] });
    service.get('/v1.4/visitors/v1?history=true').reply(200, { visitor: { short_id: 'v1' } });
    await client.listVisitors({ search: 'jane', limit: 3 });
    await client.visitor('v1', { withHistory: true });
    expect(nock.isDone()).toBe(true);
  });

  it('change the fields of a watch link, and put a value elsewhere where they are paths', async () => {
    const client = connectWith({
      bodyInitialNotes: 'metadata.notes',
      bodyViewer: 'watcher',
      viewerId: 'agent.viewer',
      viewerName: 'watcher_name',
      brandingRetryUrl: '.retry_url',
      brandingOnEndUrl: 'urls.end',
      permissionClick: '.can.click',
      permissionDraw: 'can_draw',
      permissionVideoAudio: 'allow_video_audio',
    });
    const body = {
      agent: { ...sam, viewer: 'v' },
      branding: { naked: true },
      permissions: { can_draw: true, allow_video_audio: true },
      metadata: { link: 'g1', notes: 'Hello' },
      urls: { end: 'https://b.example/' },
      retry_url: 'https://a.example/',
      can: { click: false },
      watcher: { watcher_name: 'Vera' },
    };
    linkFor(body);
    await client.createWatchLink('v1', {
      agent: sam,
      branding: { naked: true },
      permissions: { click: false, draw: true, videoAudio: true },
      metadata: { link: 'g1' },
      initialNotes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
      retryUrl: 'https://a.example/',
      onEndUrl: 'https://b.example/',
    });
    expect(nock.isDone()).toBe(true);
  });

  it('leave out what they leave empty, and offer nothing for it', async () => {
    const client = connectWith({
      bodyInitialNotes: '',
      bodyViewer: '',
      brandingRetryUrl: '',
      permissionClick: '',
      visitorHistoryQuery: '',
      visitorEmail: '',
    });
    expect(client.offers).toMatchObject({ initialNotes: false, pageviews: false, videoAudio: false });
    linkFor({ agent: sam, permissions: { allow_draw: true } });
    await client.createWatchLink('v1', {
      agent: sam,
      permissions: { click: true, draw: true },
      initialNotes: 'Hello',
      viewer: { id: 'v', name: 'Vera' },
      retryUrl: 'https://a.example/',
    });
    const visitor = { short_id: 'v1', email: 'a@b.example' };
    nock(origin).get('/v1.3/visitors/v1').reply(200, { visitor });
    expect((await client.visitor('v1', { withHistory: true })).email).toBeUndefined();
    expect(nock.isDone()).toBe(true);
  });

  it.each([
    ['permissionClick', { permissionClick: '' }, { click: false }],
    ['permissionVideoAudio', {}, { videoAudio: false }],
  ])(
    'never let a link do what should be forbidden, without the name %s',
    async (name, names, permissions) => {
      const error = await rejection(connectWith(names).createWatchLink('v1', { agent: sam, permissions }));
      expect(error.kind).toBe('not-offered');
      expect(error.message).toContain(name);
    },
  );

  it('say where a visitor’s fields are, in a list and alone, and a session’s link', async () => {
    const fields = { visitorEmail: 'contact.email', visitorIsOnline: 'online' };
    const client = connectWith({ ...fields, sessionLinkId: 'custom.link' });
    const session = { id: 's1', custom: { link: 'g1' }, metadata: { slack_link: 'other' } };
    const contact = { email: 'jane@acme.example' };
    const sent = { short_id: 'v1', contact, email: 'old', online: true, sessions: [session] };
    const service = nock(origin);
    service.get('/v1.3/visitors/v1').reply(200, { visitor: sent });
    service.get(/list/).reply(200, { visitors: [sent] });
    service.get(/lookup/).reply(200, { agent: { id: 'a', sessions: [session, { id: 's2' }] } });
    const read = { ...contact, is_online: true, sessions: [{ metadata: { slack_link: 'g1' } }] };
    expect(await client.visitor('v1')).toMatchObject(read);
    expect(await client.listVisitors({ limit: 5 })).toMatchObject([read]);
    const sessions = { since: new Date(Date.UTC(2999, 0)), linkIds: new Set(['g1']) };
    const found = await client.lookupAgent({ email: 'a@b.example' }, { sessions });
    expect(found.sessions).toMatchObject([{ id: 's1', metadata: { slack_link: 'g1' } }]);
  });
});

it('asks an installation with the bare key, without what its document doesn’t have, even if the name is known', async () => {
  const names = overridden({ permissionVideoAudio: 'allow_video_audio', onPremiseSearch: 'query' });
  const service = nock(installed, {
    reqheaders: { authorization: 'rest-key-1', accept: 'application/json' },
    badheaders: ['x-api-key'],
  });
  service
    .post('/api/visitors/v1/watch_url', { licenseToken: 'license-1', ...documented })
    .reply(200, linkReply);
  service.get('/api/visitors/list/search').query({ query: 'jane' }).reply(200, { visitors: [] });
  const client = install(installed, { wireNames: names }, async () => 'license-1');
  const permissions = { ...everything.permissions, videoAudio: true };
  await client.createWatchLink('v1', { ...everything, permissions });
  await client.listVisitors({ search: 'jane', limit: 5 });
  expect(nock.isDone()).toBe(true);
});

it('shows neither an installation’s key nor its license token in an error', async () => {
  const asked = () => nock(installed).post(/watch_url$/);
  asked().reply(403, { error: 'license.secret-1' });
  asked().replyWithError(new Error('failed: {"licenseToken":"license.secret-1"} with rest-key-1'));
  asked().reply(200, '{"watch_url":"license.secret-1"');
  const client = install(installed, {}, async () => 'license.secret-1');
  for (const kind of ['refused-key', 'unreachable', 'not-understood']) {
    const error = await rejection(client.createWatchLink('v1', { agent: sam }));
    expect(error.kind).toBe(kind);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/license\.secret-1|rest-key-1/);
  }
});
