import { startService } from '../../sandbox/service/service.ts';
import { connect, sam } from './contract-service.ts';
import { contract } from './contract.ts';

contract('the stand-in service', async ({ proxy }) => {
  const service = await startService({ apiKey: 'contract-key', sessionLimit: 1, proxyEnabled: proxy });
  service.addVisitor({ short_id: 'contract-offline', email: 'off@contract.example', is_online: false });
  service.addVisitor({
    short_id: 'contract-online',
    email: 'on@contract.example',
    is_online: true,
    last_url: 'https://shop.example/cart',
  });
  const open = async (link: string) => void (await service.openWatchLink(link));
  return {
    baseUrl: service.url,
    apiKey: service.apiKey,
    online: { id: 'contract-online', email: 'on@contract.example' },
    offlineId: 'contract-offline',
    unknownId: 'contract-unknown',
    agent: { id: 'agent_alex', email: 'alex@acme.com' },
    open,
    async reachLimit() {
      const client = connect({ baseUrl: service.url, apiKey: service.apiKey });
      const link = await client.createWatchLink('contract-online', { agent: sam });
      await open(link.locationHeader());
      await client.close();
    },
    close: () => service.close(),
  };
});
