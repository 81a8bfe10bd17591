import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

/** A cloud service with something in it. The account has no proxy and at least one visitor of each kind. */
export interface ContractService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The online visitor is the only one a search for this email finds. */
  readonly online: { readonly id: string; readonly email: string };
  readonly offlineId: string;
  readonly unknownId: string;
  /** An account user with at least one session. */
  readonly agent: { readonly id: string; readonly email: string };
  /** Makes the next watch link exceed the plan. */
  reachLimit(): Promise<void>;
  close(): Promise<void>;
}

type Client = ReturnType<typeof createCloudClient>;

const sam = { id: 'contract-sam', name: 'Sam' };

/** What client and service promise each other, whatever plays the service. */
export function contract(name: string, setup: () => Promise<ContractService>): void {
  describe(`the cloud client with ${name}`, () => {
    let service: ContractService;
    let client: Client;

    beforeEach(async () => {
      service = await setup();
      client = connect(service.apiKey);
    });

    afterEach(async () => {
      await client.close();
      await service.close();
    });

    function connect(apiKey: string): Client {
      return createCloudClient({ baseUrl: service.baseUrl, apiKey, wireNames: defaultWireNames });
    }

    it('reads the usage of the account', async () => {
      const usage = await client.usage();
      expect(usage.agents.last_30_days).toBeGreaterThanOrEqual(0);
      expect(usage.session_counts.now).toBeGreaterThanOrEqual(0);
      expect(usage.session_seconds.today).toBeGreaterThanOrEqual(0);
      expect(usage.visitors.online_now).toBeGreaterThan(0);
    });

    it('lists the latest visitors, no more than asked for', async () => {
      expect(await client.listVisitors({ limit: 2 })).toHaveLength(2);
      expect((await client.listVisitors({ limit: 100 })).length).toBeGreaterThan(1);
    });

    it('finds a visitor by email', async () => {
      const found = await client.listVisitors({ search: service.online.email, limit: 10 });
      expect(found.map((visitor) => visitor.short_id)).toEqual([service.online.id]);
      expect(found[0]).toMatchObject({ email: service.online.email, is_online: true });
    });

    it('finds nobody for a text that fits nobody', async () => {
      expect(await client.listVisitors({ search: 'zzz-nobody-zzz@none.example', limit: 10 })).toEqual([]);
    });

    it('reads one visitor', async () => {
      const visitor = await client.visitor(service.online.id, { withHistory: true });
      expect(visitor.short_id).toBe(service.online.id);
    });

    it('makes a watch link that lives for a while', async () => {
      const link = await client.createWatchLink(service.online.id, {
        agent: sam,
        branding: { naked: false },
        permissions: { click: true, console: false, redirect: true },
        metadata: { grant: 'g1', attempt: 1, test: true },
        webhookUrl: 'https://app.example/webhooks/session-end/t',
        initialNotes: 'Asked about the invoice.',
        viewer: { id: 'v1', name: 'Vera' },
        retryUrl: 'https://app.example/retry',
        onEndUrl: 'https://app.example/end',
      });
      expect(link.locationHeader()).toMatch(/^https?:\/\/.+/);
      expect(link.expiresAt?.getTime()).toBeGreaterThan(Date.now());
    });

    it('says when the plan leaves no room for another session', async () => {
      await service.reachLimit();
      const error = await rejection(client.createWatchLink(service.online.id, { agent: sam }));
      expect(error).toMatchObject({ kind: 'limit-reached', status: 402 });
    });

    it('stops a session, and again when none is running', async () => {
      await client.stopSession(service.online.id);
      await expect(client.stopSession(service.online.id)).resolves.toBeUndefined();
    });

    it('finds an account user by email, with sessions', async () => {
      const agent = await client.lookupAgent({ email: service.agent.email });
      expect(agent.id).toBe(service.agent.id);
      expect(agent.sessions[0]?.id).toMatch(/./);
    });

    it('does not know an agent nobody has heard of', async () => {
      expect(await rejection(client.lookupAgent({ email: 'none@none.example' }))).toMatchObject({
        kind: 'not-found',
      });
      expect(await rejection(client.lookupAgent({ externalId: 'none' }))).toMatchObject({
        kind: 'not-found',
      });
    });

    it('deletes a visitor who is offline, and one who is online never', async () => {
      await client.deleteVisitor(service.offlineId);
      const error = await rejection(client.deleteVisitor(service.online.id));
      expect(error).toMatchObject({ kind: 'visitor-online', status: 409 });
    });

    it('deletes all visitors who are offline and keeps the others', async () => {
      await client.deleteOfflineVisitors();
      expect((await client.visitor(service.online.id)).short_id).toBe(service.online.id);
    });

    it('gets no proxy link where the account has no proxy', async () => {
      const error = await rejection(client.createProxyLink({ initialUrl: 'https://shop.example/' }));
      expect(error).toMatchObject({ kind: 'not-offered', status: 402 });
    });

    it('gets a licence token for an on-premise session', async () => {
      expect(await client.authorizeOnPremise(service.online.id, sam)).toMatch(/./);
    });

    it('says which visitor calls know that there is no such visitor', async () => {
      const id = service.unknownId;
      const calls = [
        client.visitor(id),
        client.createWatchLink(id, { agent: sam }),
        client.stopSession(id),
        client.deleteVisitor(id),
      ];
      const errors = await Promise.all(calls.map((call) => rejection(call)));
      expect(errors.map((error) => `${error.kind} ${error.status}`)).toEqual(Array(4).fill('not-found 404'));
    });

    it('is refused with a wrong key, and told why', async () => {
      const stranger = connect('not-the-key');
      const error = await rejection(stranger.usage());
      expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
      await stranger.close();
    });
  });
}
