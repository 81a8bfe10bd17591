import { expect, it } from 'vitest';
import { connect, sam } from './contract-service.ts';
import type { Account, Client, ContractService } from './contract-service.ts';
import { rejection } from './rejection.ts';

interface Parts {
  readonly client: () => Client;
  readonly service: () => ContractService;
  readonly setup: (account: Account) => Promise<ContractService>;
}

/** Each row of the document's table of errors, and a key that is refused. */
export function refusalsOf({ client, service, setup }: Parts): void {
  it('GET /visitors/{visitor_id}: 404, the visitor does not exist', async () => {
    const error = await rejection(client().visitor(service().unknownId));
    expect(error).toMatchObject({ kind: 'not-found', status: 404 });
  });

  it('POST /visitors/{visitor_id}/watch_url: 404, the visitor does not exist', async () => {
    const error = await rejection(client().createWatchLink(service().unknownId, { agent: sam }));
    expect(error).toMatchObject({ kind: 'not-found', status: 404 });
  });

  it('POST /visitors/{visitor_id}/watch_url: 402, the session would exceed the subscription', async () => {
    await service().reachLimit();
    const error = await rejection(client().createWatchLink(service().online.id, { agent: sam }));
    expect(error).toMatchObject({ kind: 'limit-reached', status: 402 });
  });

  it('DELETE /visitors/{visitor_id}/session: 404, the visitor does not exist', async () => {
    const error = await rejection(client().stopSession(service().unknownId));
    expect(error).toMatchObject({ kind: 'not-found', status: 404 });
  });

  it('DELETE /visitors/{visitor_id}: 404, the visitor does not exist', async () => {
    const error = await rejection(client().deleteVisitor(service().unknownId));
    expect(error).toMatchObject({ kind: 'not-found', status: 404 });
  });

  it('DELETE /visitors/{visitor_id}: 409, the visitor is online', async () => {
    const error = await rejection(client().deleteVisitor(service().online.id));
    expect(error).toMatchObject({ kind: 'visitor-online', status: 409 });
  });

  it.each([{ email: 'none@none.example' }, { externalId: 'none' }])(
    'GET /agents/lookup: 404, nobody with %j',
    async (key) => {
      const error = await rejection(client().lookupAgent(key));
      expect(error).toMatchObject({ kind: 'not-found', status: 404 });
    },
  );

  it('POST /proxy_sessions: 402, the account has no proxy', async () => {
    await service().close();
    const poorer = await setup({ proxy: false });
    const stranger = connect(poorer);
    const error = await rejection(stranger.createProxyLink({ initialUrl: 'https://shop.example/' }));
    expect(error).toMatchObject({ kind: 'not-offered', status: 402 });
    await stranger.close();
    await poorer.close();
  });

  it('POST /onpremise/token: 402, the session was not authorized', async () => {
    await service().reachLimit();
    const error = await rejection(client().authorizeOnPremise(service().online.id, sam));
    expect(error).toMatchObject({ kind: 'not-authorized', status: 402 });
  });

  it('any row: 401 with a wrong key, and why', async () => {
    const stranger = connect({ baseUrl: service().baseUrl, apiKey: 'not-the-key' });
    const error = await rejection(stranger.usage());
    expect(error).toMatchObject({ kind: 'refused-key', status: 401, code: 'invalid_api_key' });
    await stranger.close();
  });
}
