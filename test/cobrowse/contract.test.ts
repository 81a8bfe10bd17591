import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../sandbox/service/service.ts';
import type { StandInService } from '../../sandbox/service/service.ts';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

type Client = ReturnType<typeof createCloudClient>;

const sam = { id: 'contract-sam', name: 'Sam' };
const [ONLINE, OFFLINE, UNKNOWN] = ['contract-online', 'contract-offline', 'contract-unknown'];
const EMAIL = 'on@contract.example';

function connect(baseUrl: string, apiKey: string): Client {
  const client = createCloudClient({ baseUrl, apiKey, wireNames: defaultWireNames });
  onTestFinished(() => client.close());
  return client;
}

async function start(proxyEnabled: boolean) {
  const service = await startService({ apiKey: 'contract-key', sessionLimit: 1, proxyEnabled });
  onTestFinished(() => service.close());
  service.addVisitor({ short_id: OFFLINE, email: 'off@contract.example', is_online: false });
  const last_url = 'https://shop.example/cart';
  service.addVisitor({ short_id: ONLINE, email: EMAIL, is_online: true, last_url });
  return { service, client: connect(service.url, service.apiKey) };
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
        agent: sam,
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
        metadata: { link: 'g1', attempt: 1, test: true },
        webhookUrl: 'https://app.example/webhooks/session-end/t',
        initialNotes: 'Asked about the invoice.',
        viewer: { id: 'v1', name: 'Vera' },
        retryUrl: naked === true ? null : 'https://app.example/retry',
        onEndUrl: 'https://app.example/end',
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
    const error = await rejection(connect(service.url, 'not-the-key').usage());
    expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
  });
});
