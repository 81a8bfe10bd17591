import { inspect } from 'node:util';
import nock from 'nock';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createCobrowse } from '../../src/cobrowse/client.ts';
import type { CobrowseSettings } from '../../src/cobrowse/client.ts';
import { parseWatchLink } from '../../src/cobrowse/watch-link.ts';
import { defaultWireNames } from '../../src/cobrowse/wire-names.ts';
import { rejection } from './rejection.ts';

const LIVE = 'live.service.example';
const IDN = 'live.xn--mnchen-3ya.example';
const hosts = [LIVE, IDN, '[::1]', '10.0.0.7'];
const sam = { id: 'sam-1', name: 'Sam' };
const apiOrigin = 'https://api.service.example';
const installed = 'http://support.example:8080';

const cloud: CobrowseSettings = {
  wireNames: defaultWireNames,
  cloud: { baseUrl: apiOrigin, apiKey: 'key' },
  onPremise: undefined,
};
const onPremise: CobrowseSettings = {
  wireNames: defaultWireNames,
  cloud: undefined,
  onPremise: { baseEndpoint: installed, restKey: 'key', connected: true },
};

function connect(settings: CobrowseSettings, watchHosts: readonly string[]) {
  const client = createCobrowse(settings, { watchHosts });
  onTestFinished(() => client.close());
  return client;
}

function refusal(text: string): unknown {
  try {
    return parseWatchLink(text, { hosts, plainHost: '127.0.0.1' }).locationHeader();
  } catch (error) {
    return error;
  }
}

describe('a watch link with allowed hosts', () => {
  it.each([
    [`https://${LIVE}/w/secret`, `https://${LIVE}/w/secret`],
    [`https://${LIVE}:8443/w/secret`, `https://${LIVE}:8443/w/secret`],
    [`HTTPS://LIVE.Service.Example/w/secret`, `https://${LIVE}/w/secret`],
    ['https://live.münchen.example/', `https://${IDN}/`],
    ['https://live.m%C3%BCnchen.example/', `https://${IDN}/`],
    [`https://${IDN.toUpperCase()}/`, `https://${IDN}/`],
    ['https://ｌｉｖｅ.service.example/', `https://${LIVE}/`],
    ['https://10.7/', 'https://10.0.0.7/'],
    ['http://[0:0::1]:3001/', 'http://[::1]:3001/'],
  ])('can lead to one of them, however it is spelled: %s', (text, href) => {
    expect(parseWatchLink(text, { hosts, plainHost: '127.0.0.1' }).locationHeader()).toBe(href);
  });

  it.each([
    'https://evil.example/secret',
    'https://service.example/secret',
    `https://deep.${LIVE}/secret`,
    `https://${LIVE}.evil.example/secret`,
    `https://evil-${LIVE}/secret`,
    `https://${LIVE}./secret`,
    'https://live.service.exampl/secret',
    'https://livе.service.example/secret',
    `https://evil.example/${LIVE}/secret`,
    `https://evil.example/?https://${LIVE}/secret`,
    `https://evil.example/#@${LIVE}/secret`,
    `https://evil.example\\@${LIVE}/secret`,
    'https://[::2]/secret',
    'https://10.0.0.8/secret',
    'http://localhost/secret',
    'http://127.0.0.1/secret',
  ])('never leads elsewhere, and its refusal names the setting: %s', (text) => {
    const error = refusal(text);
    expect(error).toMatchObject({
      kind: 'not-understood',
      code: 'other-host',
      message: 'The link in the answer leads to a host that WATCH_HOSTS does not name.',
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/\/secret|evil/);
  });

  it.each([
    `https://${LIVE}@evil.example/secret`,
    `https://user:word@${LIVE}/secret`,
    `http://${LIVE}/secret`,
    `javascript://${LIVE}/%0aalert(1)`,
    `data:text/html,${LIVE}`,
    `//${LIVE}/secret`,
    `https://${LIVE}\t.evil.example/secret`,
    `https://${LIVE}/\r\nset-cookie: a=b`,
  ])('must still be safe: %j', (text) => {
    expect(refusal(text)).toMatchObject({ kind: 'not-understood', code: undefined });
  });
});

function answer(host: string) {
  nock(apiOrigin)
    .post('/v1.3/visitors/v1/watch_url')
    .reply(200, { watch_url: `https://${host}/w/1` });
  nock(apiOrigin)
    .post('/v1.3/proxy_sessions')
    .reply(200, { proxy_url: `https://${host}/p/1` });
}

describe('WATCH_HOSTS', () => {
  afterEach(() => nock.cleanAll());

  it('applies to the watch and proxy links of the cloud', async () => {
    const client = connect(cloud, [LIVE]);
    answer(LIVE);
    expect((await client.createWatchLink('v1', { agent: sam })).locationHeader()).toBe(`https://${LIVE}/w/1`);
    expect((await client.createProxyLink()).locationHeader()).toBe(`https://${LIVE}/p/1`);
    answer('evil.example');
    expect(await rejection(client.createWatchLink('v1', { agent: sam }))).toMatchObject({
      code: 'other-host',
    });
    expect(await rejection(client.createProxyLink())).toMatchObject({ code: 'other-host' });
  });

  it('lets links lead anywhere if it isn’t set', async () => {
    const client = connect(cloud, []);
    answer('elsewhere.example');
    expect((await client.createProxyLink()).locationHeader()).toBe('https://elsewhere.example/p/1');
  });

  it.each(['http://support.example/w/1', 'https://support.example/w/1'])(
    'lets the links of an installation lead to its own host where that is named: %s',
    async (link) => {
      nock(installed).post('/api/visitors/v1/watch_url').reply(200, { watch_url: link });
      const asked = connect(onPremise, ['support.example']).createWatchLink('v1', { agent: sam });
      expect((await asked).locationHeader()).toBe(link);
    },
  );

  it.each([
    // Named, it is still reached by https alone: plain http is the installation's.
    [`http://${LIVE}/w/1`, ['support.example', LIVE], 'no https address'],
    // The installation's own host is no exception: what is named is all there is.
    ['http://support.example/w/1', [LIVE], 'WATCH_HOSTS'],
  ])('applies to the links of an installation too: %s of %j', async (link, named, complaint) => {
    nock(installed).post('/api/visitors/v1/watch_url').reply(200, { watch_url: link });
    const error = await rejection(connect(onPremise, named).createWatchLink('v1', { agent: sam }));
    expect(error.message).toContain(complaint);
  });
});
