import { beforeEach, describe, expect, it } from 'vitest';
import { startService } from '../../sandbox/service/service.ts';
import type { StandInService } from '../../sandbox/service/service.ts';
import { defaultWireNames as wireNames } from '../../src/cobrowse/wire-names.ts';
import { closing, connect, deploy, rejection } from './stage.ts';

type Client = ReturnType<typeof connect>;

const sam = { id: 'contract-sam', name: 'Sam' };
const [ONLINE, OFFLINE, UNKNOWN] = ['contract-online', 'contract-offline', 'contract-unknown'];
const EMAIL = 'on@contract.example';
const everyField = {
  agent: sam,
  metadata: { link: 'g1', attempt: 1, test: true },
  webhookUrl: 'https://app.example/webhooks/session-end/t',
  initialNotes: 'Asked about the invoice.',
  viewer: { id: 'v1', name: 'Vera' },
  onEndUrl: 'https://app.example/end',
};

async function start(proxyEnabled: boolean) {
  const service = closing(await startService({ apiKey: 'contract-key', sessionLimit: 1, proxyEnabled }));
  service.addVisitor({ short_id: OFFLINE, email: 'off@contract.example', is_online: false });
  const last_url = 'https://shop.example/cart';
  service.addVisitor({ short_id: ONLINE, email: EMAIL, is_online: true, last_url });
  return { service, client: connect(service.url, { apiKey: service.apiKey }) };
}

/** What client and service promise each other, row by row of the document, with the stand-in as the service. */
describe('the cloud client with the stand-in service', () => {
  let service: StandInService;
  let client: Client;

  beforeEach(async () => {
    ({ service, client } = await start(true));
  });

  /** A session of the agent with the visitor who is online, the only one that the plan has room for. */
  async function open() {
    const link = await client.createWatchLink(ONLINE, { agent: sam });
    await service.openWatchLink(link.locationHeader());
  }

  it('GET /usage: reads the usage of the account', async () => {
    const usage = await client.usage();
    expect(usage.agents.last_30_days).toBeGreaterThanOrEqual(0);
    expect(usage.session_counts.now).toBeGreaterThanOrEqual(0);
    expect(usage.session_seconds.today).toBeGreaterThanOrEqual(0);
    expect(usage.visitors.online_now).toBeGreaterThan(0);
  });

  it('GET /list: lists the latest visitors, no more than asked for', async () => {
    expect(await client.listVisitors({ limit: 2 })).toHaveLength(2);
    expect((await client.listVisitors({ limit: 100 })).length).toBeGreaterThan(1);
  });

  it('GET /list: finds a visitor by email', async () => {
    const found = await client.listVisitors({ search: EMAIL, limit: 10 });
    expect(found.map((visitor) => visitor.short_id)).toEqual([ONLINE]);
    expect(found[0]).toMatchObject({ email: EMAIL, is_online: true });
  });

  it('GET /list: finds nobody for a text that fits nobody', async () => {
    expect(await client.listVisitors({ search: 'zzz-nobody-zzz@none.example', limit: 10 })).toEqual([]);
  });

  it('GET /visitors/{visitor_id}: reads one visitor', async () => {
    expect((await client.visitor(ONLINE)).short_id).toBe(ONLINE);
  });

  it('GET /visitors/{visitor_id}: adds the pageviews where asked for', async () => {
    expect((await client.visitor(ONLINE)).history).toEqual([]);
    expect((await client.visitor(ONLINE, { withHistory: true })).history).not.toEqual([]);
  });

  it.each([true, false, 'page_only'] as const)(
    'POST /visitors/{visitor_id}/watch_url: makes a link with every field, naked being %s',
    async (naked) => {
      const link = await client.createWatchLink(ONLINE, {
        ...everyField,
        branding: { naked },
        permissions: {
          redirect: true,
          audio: false,
          click: true,
          console: false,
          draw: true,
          scroll: true,
          type: false,
        },
        retryUrl: naked === true ? null : 'https://app.example/retry',
      });
      expect(link.locationHeader()).toMatch(/^https?:\/\/.+/);
      expect(link.expiresAt?.getTime()).toBeGreaterThan(Date.now());
    },
  );

  it('DELETE /visitors/{visitor_id}/session: stops a session, and again when none is running', async () => {
    await open();
    await client.stopSession(ONLINE);
    await expect(client.stopSession(ONLINE)).resolves.toBeUndefined();
  });

  it('DELETE /visitors/{visitor_id}: deletes a visitor who is offline', async () => {
    await expect(client.deleteVisitor(OFFLINE)).resolves.toBeUndefined();
  });

  it('DELETE /visitors?all=true: says yes at once, and keeps who is online', async () => {
    await client.deleteOfflineVisitors();
    expect((await client.visitor(ONLINE)).short_id).toBe(ONLINE);
  });

  it('GET /agents/lookup: finds an account user by email, with sessions', async () => {
    const agent = await client.lookupAgent({ email: 'alex@acme.com' });
    expect(agent.id).toBe('agent_alex');
    expect(agent.sessions[0]?.id).toMatch(/./);
  });

  it('GET /agents/lookup: finds an external agent by the id of their link, with the session', async () => {
    await open();
    const agent = await client.lookupAgent({ externalId: sam.id });
    expect(agent.name).toBe(sam.name);
    expect(agent.sessions[0]?.visitor_id).toBe(ONLINE);
  });

  it('POST /proxy_sessions: makes a link with every field, and with none', async () => {
    const link = await client.createProxyLink({
      initialUrl: 'https://shop.example/',
      allowedDomains: ['shop.example'],
      retryUrl: null,
    });
    expect(link.locationHeader()).toMatch(/^https?:\/\/.+/);
    expect((await client.createProxyLink()).locationHeader()).toMatch(/^https?:\/\/.+/);
  });

  it('POST /onpremise/token: gets a licence token', async () => {
    expect(await client.authorizeOnPremise(ONLINE, sam)).toMatch(/./);
  });

  it.each<[string, (asked: Client) => Promise<unknown>, string, number]>([
    ['GET /visitors/{visitor_id}', (asked) => asked.visitor(UNKNOWN), 'not-found', 404],
    ['POST watch_url', (asked) => asked.createWatchLink(UNKNOWN, { agent: sam }), 'not-found', 404],
    ['DELETE session', (asked) => asked.stopSession(UNKNOWN), 'not-found', 404],
    ['DELETE /visitors/{visitor_id}', (asked) => asked.deleteVisitor(UNKNOWN), 'not-found', 404],
    ['DELETE who is online', (asked) => asked.deleteVisitor(ONLINE), 'visitor-online', 409],
    ['GET lookup, email', (asked) => asked.lookupAgent({ email: 'none@none.example' }), 'not-found', 404],
    ['GET lookup, external id', (asked) => asked.lookupAgent({ externalId: 'none' }), 'not-found', 404],
  ])('%s is refused as the document says', async (_row, call, kind, status) => {
    expect(await rejection(call(client))).toMatchObject({ kind, status });
  });

  it('POST watch_url and POST /onpremise/token: 402, beyond the subscription', async () => {
    await open();
    const link = client.createWatchLink(ONLINE, { agent: sam });
    expect(await rejection(link)).toMatchObject({ kind: 'limit-reached', status: 402 });
    const token = client.authorizeOnPremise(ONLINE, sam);
    expect(await rejection(token)).toMatchObject({ kind: 'not-authorized', status: 402 });
  });

  it('POST /proxy_sessions: 402, the account has no proxy', async () => {
    const poorer = await start(false);
    const asked = poorer.client.createProxyLink({ initialUrl: 'https://shop.example/' });
    expect(await rejection(asked)).toMatchObject({ kind: 'not-offered', status: 402 });
  });

  it('any row: 401 with a wrong key, and why', async () => {
    const error = await rejection(connect(service.url, { apiKey: 'not-the-key' }).usage());
    expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
  });
});

const restKey = 'contract-rest-key';

/** An installation with its own visitors, beside a cloud that issues licence tokens and has room for one session. */
async function install({ connected = false, hasMongo = true } = {}) {
  const service = closing(
    await startService({
      apiKey: 'contract-key',
      sessionLimit: 1,
      onPremise: { connected, hasMongo, restKey },
      seed: [{ short_id: 'cloud-visitor', is_online: true }],
    }),
  );
  const { addVisitor, baseEndpoint } = service.onPremise;
  addVisitor({ short_id: OFFLINE, email: 'off@contract.example', is_online: false });
  addVisitor({ short_id: ONLINE, email: EMAIL, is_online: true });
  const cloud = { baseUrl: service.url, apiKey: service.apiKey };
  const connectWith = (key: string) => {
    const onPremise = { baseEndpoint, restKey: key };
    return deploy(
      connected
        ? { wireNames, cloud: undefined, onPremise: { ...onPremise, connected } }
        : { wireNames, cloud, onPremise: { ...onPremise, connected } },
    );
  };
  const client = connectWith(restKey);
  const ids = async (asked: Parameters<typeof client.listVisitors>[0]) =>
    (await client.listVisitors(asked)).map(({ short_id }) => short_id);
  return { service, connectWith, client, ids };
}

/** What client and installation promise each other, row by row of the document. */
describe('the on-premise client with the stand-in service', () => {
  it.each([true, false])(
    'lists who is online, no more than asked for, with MongoDB: %s',
    async (hasMongo) => {
      const { client, ids } = await install({ hasMongo });
      expect(await ids({ online: true, limit: 100 })).toContain(ONLINE);
      expect(await ids({ online: true, limit: 100 })).not.toContain(OFFLINE);
      expect(await ids({ online: true, limit: 1 })).toHaveLength(1);
      expect(client.understands('listLatest')).toBe(hasMongo);
      expect(await ids({ limit: 100 })).toEqual(expect.arrayContaining([ONLINE, OFFLINE]));
    },
  );

  it('GET /visitors/list/search: finds a visitor by email, and nobody where nobody fits', async () => {
    const { ids } = await install();
    expect(await ids({ search: EMAIL, limit: 10 })).toEqual([ONLINE]);
    expect(await ids({ search: 'zzz-nobody-zzz@none.example', limit: 10 })).toEqual([]);
  });

  it('GET /visitors/{visitor_id}: reads one visitor', async () => {
    const { client } = await install();
    const visitor = await client.visitor(ONLINE, { withHistory: true });
    expect(visitor).toMatchObject({ short_id: ONLINE, email: EMAIL });
  });

  it.each([true, false])('makes a link with every field, connected: %s', async (connected) => {
    const { client } = await install({ connected });
    const link = await client.createWatchLink(ONLINE, {
      ...everyField,
      branding: { naked: false },
      permissions: { redirect: true, click: true, console: false, videoAudio: true },
      retryUrl: 'https://app.example/retry',
    });
    expect(link.locationHeader()).toMatch(/^https?:\/\/.+/);
    expect(link.expiresAt).toBeUndefined();
  });

  it('404, the visitor does not exist', async () => {
    const { client } = await install();
    for (const asked of [client.visitor('nobody'), client.createWatchLink('nobody', { agent: sam })])
      expect(await rejection(asked)).toMatchObject({ kind: 'not-found', status: 404 });
  });

  it.each([
    [true, 'limit-reached'],
    [false, 'not-authorized'],
  ])('402, the session would exceed the subscription, connected: %s', async (connected, kind) => {
    const { service, client } = await install({ connected });
    const first = await client.createWatchLink(ONLINE, { agent: sam });
    await service.openWatchLink(first.locationHeader());
    const error = await rejection(client.createWatchLink(ONLINE, { agent: sam }));
    expect(error).toMatchObject({ kind, status: 402 });
  });

  it('any row: 401 with a wrong key, and why', async () => {
    const stranger = (await install()).connectWith('not-the-key');
    const error = await rejection(stranger.visitor(ONLINE));
    expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
    expect(await rejection(stranger.listVisitors({ limit: 1 }))).toMatchObject({ kind: 'refused-key' });
  });
});
