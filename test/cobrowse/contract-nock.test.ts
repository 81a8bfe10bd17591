import nock from 'nock';

import { sam } from './contract-service.ts';
import { contract } from './contract.ts';

const baseUrl = 'https://cobrowse.example';
const apiKey = 'contract-key';
const jane = { short_id: 'Jane', email: 'jane@acme.example', is_online: true, identities: null };
const others = [
  { short_id: 'x1y2', is_online: false },
  { short_id: 'abcdefgh', is_online: true },
];
const alex = { id: 'agent1', email: 'alex@acme.example', sessions: [{ id: 7, agents: null }], _type: 'user' };
const agent = { id: /./, name: /./ };

contract('the answers of the service document', async ({ proxy }) => {
  let hasRoom = true;
  refuseOtherKeys();
  answerAccount();
  answerGrants(proxy, () => hasRoom);
  answerLists();
  answerVisitors(() => hasRoom);
  return {
    baseUrl,
    apiKey,
    online: { id: jane.short_id, email: jane.email },
    offlineId: 'x1y2',
    unknownId: 'nobody',
    agent: { id: alex.id, email: alex.email },
    open: async () => {},
    async reachLimit() {
      hasRoom = false;
    },
    async close() {
      nock.cleanAll();
    },
  };
});

function scope() {
  return nock(baseUrl, { reqheaders: { 'x-api-key': apiKey } }).persist();
}

function refuseOtherKeys() {
  nock(baseUrl, { reqheaders: { 'x-api-key': (key) => key !== apiKey } })
    .persist()
    .get(/.*/)
    .reply(401, { status: 'error', error: 'invalid_api_key' });
}

function answerAccount() {
  const usage = {
    agents: { last_30_days: 3, today: 1 },
    session_counts: { last_30_days: 40, now: 0, today: 2 },
    session_seconds: { last_30_days: 9000, today: 600 },
    visitors: { last_24_hrs: 12, online_now: 2 },
  };
  scope().get('/v1.3/usage').reply(200, { status: 'ok', usage });
  scope().get('/v1.3/agents/lookup').query({ email: alex.email }).reply(200, { status: 'ok', agent: alex });
  const external = { id: 9, name: sam.name, external_id: sam.id, _type: 'external_agent' };
  const session = { id: 8, visitor_id: jane.short_id, agents: [external], ended_at: null };
  scope()
    .get('/v1.3/agents/lookup')
    .query({ external_id: sam.id })
    .reply(200, { status: 'ok', agent: { ...external, sessions: [session] } });
  scope().get('/v1.3/agents/lookup').query(true).reply(404);
}

function answerGrants(proxy: boolean, hasRoom: () => boolean) {
  const { status, body } = proxy
    ? { status: 200, body: { status: 'ok', proxy_url: `${baseUrl}/p/1` } }
    : { status: 402, body: '' };
  scope().post('/v1.3/proxy_sessions').reply(status, body);
  scope()
    .post('/v1.3/onpremise/token', { visitor_id: jane.short_id, agent })
    .reply(() => (hasRoom() ? [200, { authorized: true, token: 'licence' }] : [402, '']));
}

function answerLists() {
  scope()
    .get('/v1.3/list')
    .query({ max_results: /\d+/ })
    .reply(200, { status: 'ok', visitors: [jane, ...others] });
  scope()
    .get('/v1.3/list')
    .query({ max_results: '10', search: jane.email })
    .reply(200, { status: 'ok', visitors: [jane] });
  scope()
    .get('/v1.3/list')
    .query({ max_results: '10', search: /zzz/ })
    .reply(200, { status: 'ok', visitors: null });
}

function answerVisitors(hasRoom: () => boolean) {
  const link = { status: 'ok', watch_url: `${baseUrl}/w/1`, expiration: '2999-01-01T00:00:00+02:00' };
  scope()
    .post('/v1.3/visitors/Jane/watch_url')
    .reply(() => (hasRoom() ? [200, link] : [402, 'limit']));
  scope().get('/v1.3/visitors/Jane').reply(200, { status: 'ok', visitor: jane });
  scope()
    .get('/v1.3/visitors/Jane')
    .query({ with_history: 'true' })
    .reply(200, { status: 'ok', visitor: { ...jane, history: [{ url: 'https://shop.example/' }] } });
  scope().delete('/v1.3/visitors/Jane/session').reply(200, 'ok');
  scope().delete('/v1.3/visitors/Jane').reply(409);
  scope().delete('/v1.3/visitors/x1y2').reply(200, 'ok');
  scope().delete('/v1.3/visitors').query({ all: 'true' }).reply(200, 'ok');
  scope().get('/v1.3/visitors/nobody').reply(404, '<h1>Not found</h1>');
  scope().post('/v1.3/visitors/nobody/watch_url').reply(404);
  scope().delete('/v1.3/visitors/nobody/session').reply(404, { error: 'not_found' });
  scope().delete('/v1.3/visitors/nobody').reply(404);
}
