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

  it('change the prefix and the queries', async () => {
    const names = overridden({
      versionPrefix: '/v1.4',
      listSearch: 'q',
      listLimit: 'limit',
      visitorHistoryQuery: 'history',
    });
    nock(origin).get('/v1.4/list').query({ q: 'jane', limit: '3' }).reply(200, { visitors: [] });
    nock(origin)
      .get('/v1.4/visitors/v1')
      .query({ history: 'true' })
      .reply(200, { visitor: { short_id: 'v1' } });
    await connectWith(names).listVisitors({ search: 'jane', limit: 3 });
    await connectWith(names).visitor('v1', { withHistory: true });
    expect(nock.isDone()).toBe(true);
  });

  it('change the fields of a watch link, and put a value elsewhere where they are paths', async () => {
    const names = overridden({
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
    nock(origin).post('/v1.3/visitors/v1/watch_url', body).reply(200, linkReply);
    await connectWith(names).createWatchLink('v1', {
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

  it('say where a visitor’s fields are, in a list and alone, and a session’s link', async () => {
    const names = overridden({
      visitorEmail: 'contact.email',
      visitorIsOnline: 'online',
      sessionLinkId: 'custom.link',
    });
    const session = { id: 's1', custom: { link: 'g1' }, metadata: { slack_link: 'other' } };
    const contact = { email: 'jane@acme.example' };
    const sent = { short_id: 'v1', contact, email: 'old', online: true, sessions: [session] };
    nock(origin).get('/v1.3/visitors/v1').reply(200, { visitor: sent });
    nock(origin)
      .get('/v1.3/list')
      .query(true)
      .reply(200, { visitors: [sent] });
    const read = { ...contact, is_online: true, sessions: [{ metadata: { slack_link: 'g1' } }] };
    expect(await connectWith(names).visitor('v1')).toMatchObject(read);
    expect(await connectWith(names).listVisitors({ limit: 5 })).toMatchObject([read]);
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

  it('leaves out what the document doesn’t have here, even if its name is known', async () => {
    const names = overridden({ permissionVideoAudio: 'allow_video_audio', onPremiseSearch: 'query' });
    const body = {
      licenseToken: 'licence-1',
      agent: sam,
      branding: { naked: 'page_only', retry_url: null },
      permissions: { allow_click: true },
      metadata: { link: 'g1' },
    };
    nock(installed).post('/api/visitors/v1/watch_url', body).reply(200, linkReply);
    nock(installed).get('/api/visitors/list/search').query({ query: 'jane' }).reply(200, { visitors: [] });
    const client = install(installed, names);
    const request = {
      agent: sam,
      branding: { naked: 'page_only' },
      retryUrl: null,
      permissions: { click: true, videoAudio: true },
      metadata: { link: 'g1' },
      webhookUrl: 'https://app.example/hook',
      initialNotes: 'Hello',
    } as const;
    await client.createWatchLink('v1', request, 'licence-1');
    await client.listVisitors({ search: 'jane', limit: 5 });
    expect(nock.isDone()).toBe(true);
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
});
