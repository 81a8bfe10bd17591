import { createCloudClient } from '../../src/cobrowse/cloud.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { startService } from '../../src/sandbox/service/service.ts';
import { contract } from './contract.ts';

contract('the stand-in service', async () => {
  const service = await startService({ apiKey: 'contract-key', sessionLimit: 1 });
  service.addVisitor({ short_id: 'contract-offline', email: 'off@contract.example', is_online: false });
  service.addVisitor({ short_id: 'contract-online', email: 'on@contract.example', is_online: true });
  return {
    baseUrl: service.url,
    apiKey: service.apiKey,
    online: { id: 'contract-online', email: 'on@contract.example' },
    offlineId: 'contract-offline',
    unknownId: 'contract-unknown',
    agent: { id: 'agent_alex', email: 'alex@acme.com' },
    async reachLimit() {
      const client = createCloudClient({
        baseUrl: service.url,
        apiKey: service.apiKey,
        wireNames: defaultWireNames,
      });
      const link = await client.createWatchLink('contract-online', { agent: { id: 'a1', name: 'A' } });
      await service.openWatchLink(link.locationHeader());
      await client.close();
    },
    close: () => service.close(),
  };
});
