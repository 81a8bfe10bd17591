import { startService } from '../../sandbox/service/service.ts';
import { connect, sam } from './contract-service.ts';
import { onPremiseContract } from './on-premise-contract.ts';

onPremiseContract('the stand-in service', async (installation) => {
  const restKey = 'contract-rest-key';
  const service = await startService({
    apiKey: 'contract-key',
    sessionLimit: 1,
    onPremise: { ...installation, restKey },
    seed: [{ short_id: 'cloud-visitor', is_online: true }],
  });
  const { addVisitor, baseEndpoint } = service.onPremise;
  addVisitor({ short_id: 'contract-offline', email: 'off@contract.example', is_online: false });
  addVisitor({ short_id: 'contract-online', email: 'on@contract.example', is_online: true });
  const cloud = { baseUrl: service.url, apiKey: service.apiKey };
  return {
    cloud,
    baseEndpoint,
    restKey,
    online: { id: 'contract-online', email: 'on@contract.example' },
    offlineId: 'contract-offline',
    unknownId: 'contract-unknown',
    async reachLimit() {
      const client = connect(cloud);
      const link = await client.createWatchLink('cloud-visitor', { agent: sam });
      await service.openWatchLink(link.locationHeader());
      await client.close();
    },
    close: () => service.close(),
  };
});
