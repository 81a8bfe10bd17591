import nock from 'nock';

import { onPremiseContract } from './on-premise-contract.ts';

const cloudOrigin = 'https://cobrowse.example';
const origin = 'https://support.example';
const base = '/cobrowsing/api/visitors';
const restKey = 'contract-rest-key';
const jane = { short_id: 'Jane', email: 'jane@acme.example', is_online: true };
const noah = { short_id: 'x1y2', email: 'noah@acme.example', is_online: false };
const agent = { id: 'contract-sam', name: 'Sam' };

onPremiseContract('the answers of the service document', async ({ connected, hasMongo }) => {
  let hasRoom = true;
  refuseOtherKeys();
  answerLists(hasMongo);
  answerVisitors(connected, () => hasRoom);
  nock(cloudOrigin, { reqheaders: { 'x-api-key': 'cloud-key' } })
    .persist()
    .post('/v1.3/onpremise/token', { visitor_id: /./, agent })
    .reply(() => (hasRoom ? [200, { authorized: true, token: 'licence-1' }] : [402, '']));
  return {
    cloud: { baseUrl: cloudOrigin, apiKey: 'cloud-key' },
    baseEndpoint: `${origin}/cobrowsing`,
    restKey,
    online: { id: jane.short_id, email: jane.email },
    offlineId: noah.short_id,
    unknownId: 'nobody',
    async reachLimit() {
      hasRoom = false;
    },
    async close() {
      nock.cleanAll();
    },
  };
});

function scope() {
  return nock(origin, { reqheaders: { authorization: restKey }, badheaders: ['x-api-key'] }).persist();
}

function refuseOtherKeys() {
  nock(origin, { reqheaders: { authorization: (key) => key !== restKey } })
    .persist()
    .get(/.*/)
    .reply(401, { status: 'error', error: 'invalid_api_key' });
}

function answerLists(hasMongo: boolean) {
  const latest = scope().get(`${base}/list/latest`);
  if (hasMongo) latest.reply(200, { status: 'ok', visitors: [jane, { short_id: 'abcdefgh' }] });
  else latest.reply(501, 'no');
  const search = () => scope().get(`${base}/list/search`);
  search().reply(200, { status: 'ok', visitors: [jane, noah] });
  search()
    .query({ q: jane.email })
    .reply(200, { status: 'ok', visitors: [jane] });
  search().query({ q: /zzz/ }).reply(200, { status: 'ok', visitors: [] });
}

function answerVisitors(connected: boolean, hasRoom: () => boolean) {
  const plain = connected ? { agent } : { licenseToken: 'licence-1', agent };
  const full = {
    ...plain,
    branding: {
      naked: false,
      retry_url: 'https://app.example/retry',
      on_end_url: 'https://app.example/end',
    },
    permissions: { allow_agent_redirect: true, allow_click: true, allow_console: false },
    metadata: { link: 'g1', attempt: 1, test: true },
    viewer: { id: 'v1', name: 'Vera' },
  };
  for (const body of [plain, full]) {
    scope()
      .post(`${base}/Jane/watch_url`, body)
      .reply(() => (hasRoom() ? [200, { status: 'ok', watch_url: `${origin}/w/1` }] : [402, 'limit']));
  }
  scope().get(`${base}/Jane`).reply(200, { status: 'ok', visitor: jane });
  scope().get(`${base}/nobody`).reply(404, '<h1>Not found</h1>');
  scope().post(`${base}/nobody/watch_url`).reply(404);
}
