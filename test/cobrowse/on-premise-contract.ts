import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCobrowse } from '../../src/cobrowse/client.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

/** An on-premise installation with its own visitors, beside a cloud that issues licence tokens. */
export interface OnPremiseContractService {
  readonly cloud: { readonly baseUrl: string; readonly apiKey: string };
  /** It has a path. */
  readonly baseEndpoint: string;
  readonly restKey: string;
  /** The online visitor is the only one a search for this email finds. */
  readonly online: { readonly id: string; readonly email: string };
  readonly offlineId: string;
  readonly unknownId: string;
  /** Makes the next session exceed the plan. */
  reachLimit(): Promise<void>;
  close(): Promise<void>;
}

/** What the installation is like. */
export interface Installation {
  readonly connected: boolean;
  readonly hasMongo: boolean;
}

type Client = ReturnType<typeof createCobrowse>;

const sam = { id: 'contract-sam', name: 'Sam' };
const usual: Installation = { connected: false, hasMongo: true };

/** What the client and an installation promise each other, row by row of the document, whatever plays the service. */
export function onPremiseContract(
  name: string,
  setup: (installation: Installation) => Promise<OnPremiseContractService>,
): void {
  describe(`the on-premise client with ${name}`, () => {
    let service: OnPremiseContractService;
    let client: Client;

    async function begin(installation: Installation) {
      service = await setup(installation);
      client = connect(installation.connected, service.restKey);
    }
    async function end() {
      await client.close();
      await service.close();
    }
    function connect(connected: boolean, restKey: string): Client {
      const { baseEndpoint, cloud } = service;
      const onPremise = { baseEndpoint, restKey };
      return createCobrowse(
        connected
          ? { wireNames: defaultWireNames, cloud: undefined, onPremise: { ...onPremise, connected } }
          : { wireNames: defaultWireNames, cloud, onPremise: { ...onPremise, connected } },
      );
    }

    beforeEach(() => begin(usual));
    afterEach(end);

    it('GET /visitors/list/latest: lists who is online, no more than asked for', async () => {
      const ids = (await client.listVisitors({ online: true, limit: 100 })).map(({ short_id: id }) => id);
      expect(ids).toContain(service.online.id);
      expect(ids).not.toContain(service.offlineId);
      expect(await client.listVisitors({ online: true, limit: 1 })).toHaveLength(1);
      expect(client.understands('listLatest')).toBe(true);
    });

    it('GET /visitors/list/search: has who is online where the data store is not MongoDB', async () => {
      await end();
      await begin({ ...usual, hasMongo: false });
      const ids = (await client.listVisitors({ online: true, limit: 100 })).map(({ short_id: id }) => id);
      expect(ids).toContain(service.online.id);
      expect(ids).not.toContain(service.offlineId);
      expect(client.understands('listLatest')).toBe(false);
    });

    it.each([true, false])(
      'GET /visitors/list/search: lists the latest, with MongoDB: %s',
      async (hasMongo) => {
        await end();
        await begin({ ...usual, hasMongo });
        const ids = (await client.listVisitors({ limit: 100 })).map((visitor) => visitor.short_id);
        expect(ids).toEqual(expect.arrayContaining([service.online.id, service.offlineId]));
      },
    );

    it('GET /visitors/list/search: finds a visitor by email, and nobody where nobody fits', async () => {
      const found = await client.listVisitors({ search: service.online.email, limit: 10 });
      expect(found.map((visitor) => visitor.short_id)).toEqual([service.online.id]);
      expect(await client.listVisitors({ search: 'zzz-nobody-zzz@none.example', limit: 10 })).toEqual([]);
    });

    it('GET /visitors/{visitor_id}: reads one visitor', async () => {
      const visitor = await client.visitor(service.online.id, { withHistory: true });
      expect(visitor).toMatchObject({ short_id: service.online.id, email: service.online.email });
    });

    it('POST /visitors/{visitor_id}/watch_url: makes a link with every field and a token of the cloud', async () => {
      const link = await client.createWatchLink(service.online.id, {
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

    it('POST /visitors/{visitor_id}/watch_url: needs no token where it is connected', async () => {
      await end();
      await begin({ ...usual, connected: true });
      const link = await client.createWatchLink(service.online.id, { agent: sam });
      expect(link.locationHeader()).toMatch(/^https?:\/\/.+/);
    });

    it('GET /visitors/{visitor_id}: 404, the visitor does not exist', async () => {
      const error = await rejection(client.visitor(service.unknownId));
      expect(error).toMatchObject({ kind: 'not-found', status: 404 });
    });

    it('POST /visitors/{visitor_id}/watch_url: 404, the visitor does not exist', async () => {
      const error = await rejection(client.createWatchLink(service.unknownId, { agent: sam }));
      expect(error).toMatchObject({ kind: 'not-found', status: 404 });
    });

    it('POST /visitors/{visitor_id}/watch_url: 402, the session would exceed the subscription', async () => {
      await end();
      await begin({ ...usual, connected: true });
      await service.reachLimit();
      const error = await rejection(client.createWatchLink(service.online.id, { agent: sam }));
      expect(error).toMatchObject({ kind: 'limit-reached', status: 402 });
    });

    it('POST /onpremise/token: 402, the cloud does not authorize the session', async () => {
      await service.reachLimit();
      const error = await rejection(client.createWatchLink(service.online.id, { agent: sam }));
      expect(error).toMatchObject({ kind: 'not-authorized', status: 402 });
    });

    it('any row: 401 with a wrong key, and why', async () => {
      const stranger = connect(false, 'not-the-key');
      const error = await rejection(stranger.visitor(service.online.id));
      expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
      expect(await rejection(stranger.listVisitors({ limit: 1 }))).toMatchObject({ kind: 'refused-key' });
      await stranger.close();
    });
  });
}
