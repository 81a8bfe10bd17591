import { readFile, readdir } from 'node:fs/promises';
import { format, inspect } from 'node:util';
import { serialize } from 'node:v8';
import nock from 'nock';
import { pino, type Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import type { CobrowseSettings } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { parseWatchLink, type LinkRules, type WatchLink } from '../../src/cobrowse/watch-link.ts';
import { defaultWireNames as wireNames } from '../../src/cobrowse/wire-names.ts';
import { deploy, rejection, sam } from './stage.ts';
import { onlyNock } from '../support/only-nock.ts';

onlyNock();

const url = 'https://cobrowse.example/w/secret-part?sig=a%2Fb';

const LIVE = 'live.service.example';
const IDN = 'live.xn--mnchen-3ya.example';
const rules = { hosts: [LIVE, IDN, '[::1]', '10.0.0.7'], plainHost: '127.0.0.1' };

function refusal(text: string, given?: LinkRules): unknown {
  try {
    return parseWatchLink(text, given).locationHeader();
  } catch (error) {
    return error;
  }
}

/** What a line of the log has of something. */
function logged(log: (into: Logger) => void): string {
  const lines: string[] = [];
  log(pino({ level: 'trace' }, { write: (line) => void lines.push(line) }));
  return lines.join('');
}

const deeply = { depth: 9, showHidden: true, getters: true } as const;

/** Every way that text is made of a thing that somebody may take without thinking of links. */
const WRITINGS: readonly (readonly [string, (link: WatchLink) => string])[] = [
  ['String', (link) => String(link)],
  ['JSON', (link) => JSON.stringify({ link, list: [link], text: JSON.stringify(link) })],
  ['a deep inspection', (link) => inspect({ deep: { link, map: new Map([[link, link]]) } }, deeply)],
  ['format', (link) => format('%s %o %O %j %d %i', link, link, link, link, link, link)],
  ['a clone', (link) => inspect(structuredClone(link), deeply)],
  ['serialized bytes', (link) => serialize({ link }).toString('latin1')],
  ['entries', (link) => JSON.stringify([Object.entries(link), Object.values(link)])],
  ['the cause of an error', (link) => inspect(new Error('failed', { cause: link }), deeply)],
  ['a log line', (link) => logged((log) => log.info({ link, err: new Error('x', { cause: link }) }))],
  ['a log line’s message', (link) => logged((log) => log.warn(link, 'at %s %o %j', link, link, link))],
];

describe('a watch link', () => {
  it.each(WRITINGS)('refuses to be written down: %s', (_how, write) => {
    const link = parseWatchLink(url, { expiration: '2030-01-01T00:00:00Z' });
    const written = write(link);
    expect(written).not.toMatch(/secret-part|sig=a|cobrowse\.example/);
  });

  it('gives its address to the redirect, and to the button if no redirect is possible', async () => {
    const folder = new URL('../../src/', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const asking: string[] = [];
    for (const name of files) {
      if ((await readFile(new URL(name, folder), 'utf8')).includes('.locationHeader(')) asking.push(name);
    }
    expect(asking.toSorted()).toEqual(['watch/link-here.ts', 'watch/route.ts']);
  });

  it.each(['http://localhost:3001/w/1', 'http://127.8.9.1:80/', 'http://[::1]:3001/w/1'])(
    'can be plain http on this machine if the service is: %s',
    (loopback) => {
      expect(parseWatchLink(loopback, { plainHost: '127.0.0.1' }).locationHeader()).toBe(
        new URL(loopback).href,
      );
      // Any other service would lead the agent's browser to whatever runs beside it.
      expect(() => parseWatchLink(loopback)).toThrow(CobrowseError);
      expect(() => parseWatchLink(loopback, { plainHost: 'support.example' })).toThrow(CobrowseError);
    },
  );

  it.each([
    '',
    '//cobrowse.example/secret-part',
    'http://cobrowse.example/secret-part',
    'http://localhost.evil.example/secret-part',
    'javascript:alert("secret-part")',
    'data:text/html,secret-part',
    'https://user:secret-part@cobrowse.example/',
    ' https://cobrowse.example/secret-part',
    'https://cobrowse.example/secret-part\r\nSet-Cookie: a=b',
    'https://cobrowse.example/secret-part\u0000',
    `https://cobrowse.example/secret-part${'x'.repeat(8_000)}`,
    // Where hosts are allowed, it must still be safe.
    `https://${LIVE}@evil.example/secret-part`,
    `https://user:word@${LIVE}/secret-part`,
    `http://${LIVE}/secret-part`,
    `javascript://${LIVE}/%0aalert(1)`,
    `https://${LIVE}\t.evil.example/secret-part`,
    `https://${LIVE}/\r\nset-cookie: a=b`,
  ])('is never %j', (text) => {
    const error = refusal(text, text.includes(LIVE) ? rules : undefined);
    expect(error).toBeInstanceOf(CobrowseError);
    expect(error).toMatchObject({ kind: 'not-understood', code: undefined });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-part');
  });

  it('always fits in a header', () => {
    expect(parseWatchLink('https://cobrowse.example/ü/☃?q=é').locationHeader()).toMatch(/^[\x21-\x7e]+$/);
  });
});

const apiOrigin = 'https://api.service.example';
const installed = 'http://support.example:8080';

const cloud: CobrowseSettings = {
  wireNames,
  cloud: { baseUrl: apiOrigin, apiKey: 'key' },
  onPremise: undefined,
};
const onPremise: CobrowseSettings = {
  wireNames,
  cloud: undefined,
  onPremise: { baseEndpoint: installed, restKey: 'key', connected: true },
};

describe('a watch link with allowed hosts', () => {
  it.each([
    [`https://${LIVE}:8443/w/secret`, `https://${LIVE}:8443/w/secret`],
    [`HTTPS://LIVE.Service.Example/w/secret`, `https://${LIVE}/w/secret`],
    ['https://live.münchen.example/', `https://${IDN}/`],
    ['https://ｌｉｖｅ.service.example/', `https://${LIVE}/`],
    ['https://10.7/', 'https://10.0.0.7/'],
    ['http://[0:0::1]:3001/', 'http://[::1]:3001/'],
  ])('can lead to one of them, however it is spelled: %s', (text, href) => {
    expect(parseWatchLink(text, rules).locationHeader()).toBe(href);
  });

  it.each([
    'https://evil.example/secret',
    'https://service.example/secret',
    `https://deep.${LIVE}/secret`,
    `https://${LIVE}.evil.example/secret`,
    `https://evil-${LIVE}/secret`,
    `https://${LIVE}./secret`,
    'https://livе.service.example/secret',
    `https://evil.example/?https://${LIVE}/secret`,
    `https://evil.example/#@${LIVE}/secret`,
    `https://evil.example\\@${LIVE}/secret`,
    'https://10.0.0.8/secret',
    'http://localhost/secret',
  ])('never leads elsewhere, and its refusal names the setting: %s', (text) => {
    const error = refusal(text, rules);
    expect(error).toMatchObject({
      kind: 'not-understood',
      code: 'other-host',
      message: 'The link in the answer leads to a host that WATCH_HOSTS does not name.',
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/\/secret|evil/);
  });
});

/** The cloud's next links lead there. */
function answer(to: string) {
  const service = nock(apiOrigin);
  service.post('/v1.3/visitors/v1/watch_url').reply(200, { watch_url: `${to}/w/1` });
  service.post('/v1.3/proxy_sessions').reply(200, { proxy_url: `${to}/p/1` });
}

const askFor = [
  (client: ReturnType<typeof deploy>) => client.createWatchLink('v1', { agent: sam }),
  (client: ReturnType<typeof deploy>) => client.createProxyLink(),
];

describe('WATCH_HOSTS', () => {
  it.each([
    ['applies to the watch and proxy links of the cloud', [LIVE], LIVE, 'https://evil.example', 'other-host'],
    // As the service itself.
    [
      'lets links lead anywhere over https if it isn’t set',
      [],
      'a.example',
      'http://api.service.example',
      undefined,
    ],
  ])('%s', async (_what, hosts, good, bad, code) => {
    const client = deploy(cloud, hosts);
    answer(`https://${good}`);
    for (const ask of askFor) expect((await ask(client)).locationHeader()).toContain(`https://${good}/`);
    answer(bad);
    for (const ask of askFor)
      expect(await rejection(ask(client))).toMatchObject({ kind: 'not-understood', code });
  });

  it.each([
    ['http://support.example/w/1', ['support.example'], 'http://support.example/w/1'],
    ['https://support.example/w/1', ['support.example'], 'https://support.example/w/1'],
    // Named, it is still reached by https alone: plain http is the installation's.
    [`http://${LIVE}/w/1`, ['support.example', LIVE], 'no https address'],
    // The installation's own host is no exception: what is named is all there is.
    ['http://support.example/w/1', [LIVE], 'WATCH_HOSTS'],
  ])('applies to the links of an installation too: %s of %j is %s', async (link, named, outcome) => {
    nock(installed).post('/api/visitors/v1/watch_url').reply(200, { watch_url: link });
    const asked = deploy(onPremise, named).createWatchLink('v1', { agent: sam });
    const given = asked.then(
      (made) => made.locationHeader(),
      (error: unknown) => String(error),
    );
    expect(await given).toContain(outcome);
  });
});
