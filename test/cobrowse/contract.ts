import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusalsOf } from './contract-refusals.ts';
import { connect, sam } from './contract-service.ts';
import type { Account, Client, ContractService } from './contract-service.ts';

/** What cloud client and service promise each other, row by row of the document, whatever plays the service. */
export function contract(name: string, setup: (account: Account) => Promise<ContractService>): void {
  describe(`the cloud client with ${name}`, () => {
    let service: ContractService;
    let client: Client;

    beforeEach(async () => {
      service = await setup({ proxy: true });
      client = connect(service);
    });

    afterEach(async () => {
      await client.close();
      await service.close();
    });

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
      const found = await client.listVisitors({ search: service.online.email, limit: 10 });
      expect(found.map((visitor) => visitor.short_id)).toEqual([service.online.id]);
      expect(found[0]).toMatchObject({ email: service.online.email, is_online: true });
    });

    it('GET /list: finds nobody for a text that fits nobody', async () => {
      expect(await client.listVisitors({ search: 'zzz-nobody-zzz@none.example', limit: 10 })).toEqual([]);
    });

    it('GET /visitors/{visitor_id}: reads one visitor', async () => {
      expect((await client.visitor(service.online.id)).short_id).toBe(service.online.id);
    });

    it('GET /visitors/{visitor_id}: adds the pageviews where asked for', async () => {
      expect((await client.visitor(service.online.id)).history).toEqual([]);
      expect((await client.visitor(service.online.id, { withHistory: true })).history).not.toEqual([]);
    });

    it.each([true, false, 'page_only'] as const)(
      'POST /visitors/{visitor_id}/watch_url: makes a link with every field, naked being %s',
      async (naked) => {
        const link = await client.createWatchLink(service.online.id, {
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
      const link = await client.createWatchLink(service.online.id, { agent: sam });
      await service.open(link.locationHeader());
      await client.stopSession(service.online.id);
      await expect(client.stopSession(service.online.id)).resolves.toBeUndefined();
    });

    it('DELETE /visitors/{visitor_id}: deletes a visitor who is offline', async () => {
      await expect(client.deleteVisitor(service.offlineId)).resolves.toBeUndefined();
    });

    it('DELETE /visitors?all=true: says yes at once, and keeps who is online', async () => {
      await client.deleteOfflineVisitors();
      expect((await client.visitor(service.online.id)).short_id).toBe(service.online.id);
    });

    it('GET /agents/lookup: finds an account user by email, with sessions', async () => {
      const agent = await client.lookupAgent({ email: service.agent.email });
      expect(agent.id).toBe(service.agent.id);
      expect(agent.sessions[0]?.id).toMatch(/./);
    });

    it('GET /agents/lookup: finds an external agent by the id of their link, with the session', async () => {
      const link = await client.createWatchLink(service.online.id, { agent: sam });
      await service.open(link.locationHeader());
      const agent = await client.lookupAgent({ externalId: sam.id });
      expect(agent.name).toBe(sam.name);
      expect(agent.sessions[0]?.visitor_id).toBe(service.online.id);
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
      expect(await client.authorizeOnPremise(service.online.id, sam)).toMatch(/./);
    });

    refusalsOf({ client: () => client, service: () => service, setup });
  });
}
