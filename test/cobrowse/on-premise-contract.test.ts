import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../../sandbox/service/service.ts';
import { createCobrowse } from '../../src/cobrowse/client.ts';
import { defaultWireNames as wireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

const sam = { id: 'contract-sam', name: 'Sam' };
const [ONLINE, OFFLINE] = ['contract-online', 'contract-offline'];
const EMAIL = 'on@contract.example';
const restKey = 'contract-rest-key';

/** An installation with its own visitors, beside a cloud that issues licence tokens and has room for one session. */
async function install({ connected = false, hasMongo = true } = {}) {
  const service = await startService({
    apiKey: 'contract-key',
    sessionLimit: 1,
    onPremise: { connected, hasMongo, restKey },
    seed: [{ short_id: 'cloud-visitor', is_online: true }],
  });
  onTestFinished(() => service.close());
  const { addVisitor, baseEndpoint } = service.onPremise;
  addVisitor({ short_id: OFFLINE, email: 'off@contract.example', is_online: false });
  addVisitor({ short_id: ONLINE, email: EMAIL, is_online: true });
  const cloud = { baseUrl: service.url, apiKey: service.apiKey };
  const connect = (key: string) => {
    const onPremise = { baseEndpoint, restKey: key };
    const client = createCobrowse(
      connected
        ? { wireNames, cloud: undefined, onPremise: { ...onPremise, connected } }
        : { wireNames, cloud, onPremise: { ...onPremise, connected } },
    );
    onTestFinished(() => client.close());
    return client;
  };
  const client = connect(restKey);
  const ids = async (asked: Parameters<typeof client.listVisitors>[0]) =>
    (await client.listVisitors(asked)).map(({ short_id }) => short_id);
  return { service, connect, client, ids };
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
      agent: sam,
      branding: { naked: false },
      permissions: { redirect: true, click: true, console: false, videoAudio: true },
      metadata: { link: 'g1', attempt: 1, test: true },
      webhookUrl: 'https://app.example/webhooks/session-end/t',
      initialNotes: 'Asked about the invoice.',
      viewer: { id: 'v1', name: 'Vera' },
      retryUrl: 'https://app.example/retry',
      onEndUrl: 'https://app.example/end',
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
    const stranger = (await install()).connect('not-the-key');
    const error = await rejection(stranger.visitor(ONLINE));
    expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
    expect(await rejection(stranger.listVisitors({ limit: 1 }))).toMatchObject({ kind: 'refused-key' });
  });
});
