import type { LookupFunction } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPublicAgent, isObviouslyNotPublic, isPublicAddress } from '../../src/cobrowse/public-agent.ts';
import type { Proxy } from '../../src/http/dispatcher.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { connect, rejection, serve } from './stage.ts';

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::5'])(
    'is one like %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['this machine', '127.0.0.1', '127.255.0.9', '0.0.0.0', '::1', '::'],
    ['a private network', '10.0.0.7', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1'],
    ['a link', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254'],
    ['a provider’s own network', '100.64.0.1', '100.127.255.255', '192.0.0.8', '198.18.0.1'],
    ['many', '224.0.0.1', '255.255.255.255', '240.0.0.1', 'ff02::1'],
    ['an IPv4 address in IPv6', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1'],
    ['a translation of IPv4', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:7f00::1'],
    ['a document', '192.0.2.1', '203.0.113.9', '2001:db8::1'],
    ['no address', '', 'localhost', '127.1', '0x7f000001'],
  ])('isn’t one of %s', (_of, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

const refused = (address: string, ...hosts: string[]) => isObviouslyNotPublic(new URL(address), hosts);

describe('an address that a workspace names', () => {
  it('is https, and not an IP address of somebody’s own network', () => {
    expect(refused('https://cobrowse.example:8443/path')).toBe(false);
    expect(refused('http://cobrowse.example')).toBe(true);
    const hosts = ['127.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1'];
    expect(hosts.filter((host) => !refused(`https://${host}`))).toEqual([]);
  });

  it.each([
    ['localhost', 'LOCALHOST.', 'hooks.localhost', 'hooks', 'nas.local'],
    ['db.internal', 'fritz.home.arpa', 'wiki.corp', 'printer.lan'],
  ])('isn’t a name that leads into somebody’s own network wherever it’s looked up', (...hosts) => {
    expect(hosts.filter((host) => !refused(`https://${host}/in`))).toEqual([]);
    expect(hosts.filter((host) => refused(`https://${host}/in`, host.toLowerCase()))).toEqual([]);
  });

  it('may be a name of the internet', () => {
    const similar = ['localhost.example.com', 'local.example', 'corp.de'];
    const hosts = [...similar, 'xn--bcher-kva.example', 'example.com.'];
    expect(hosts.filter((host) => refused(`https://${host}/in`))).toEqual([]);
  });

  it.each([
    ['http://intern.example', 'intern.example', false],
    ['https://10.0.0.1', '10.0.0.1', false],
    ['http://10.0.0.1:6379', '10.0.0.1', true],
    ['http://intern.example:443', 'intern.example', true],
    ['http://10.0.0.1:8080', '10.0.0.1:8080', false],
    ['http://10.0.0.1', '10.0.0.1:8080', true],
    ['http://[::1]:8080', '[::1]:8080', false],
    ['http://evil.intern.example', 'intern.example', true],
  ])(
    'may be anything at a host that the operator named, at its usual ports or the port named with it: %s by %s',
    (address, named, isRefused) => expect(refused(address, named)).toBe(isRefused),
  );
});

/** What Node's own look-up does where it fails, whatever its type says: it calls back with the error alone. */
const failing: LookupFunction = (_hostname, _options, callback) => {
  const error = Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' });
  setImmediate(() => Reflect.apply(callback, undefined, [error]));
};

/** A client over the agent of a workspace. */
function through(hosts: readonly string[], resolve: LookupFunction, baseUrl: string, proxy?: Proxy) {
  const dispatcher = createPublicAgent(hosts, resolve, proxy);
  onTestFinished(() => dispatcher.destroy());
  return connect(baseUrl, { dispatcher });
}

/** A client whose names are looked up as the test says. */
function clientOf(baseUrl: string, hosts: readonly string[], ...answers: readonly string[][]) {
  const asked: string[] = [];
  const resolve: LookupFunction = (hostname, _options, callback) => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(callback, null, addresses);
  };
  return { client: through(hosts, resolve, baseUrl), asked };
}

const serving = () => serve((_request, response) => response.end('{"status":"ok","usage":{}}'));

const notPublic = { kind: 'unreachable', code: 'not-public' };

describe('a connection to a workspace’s service', () => {
  it.each([
    [['127.0.0.1']],
    [['::ffff:10.0.0.1']],
    [['8.8.8.8', '192.168.0.1']],
    // Looked up anew for each connection, so that a changed answer changes nothing.
    [['fd00::1'], ['10.0.0.1']],
  ])('isn’t made to a name that leads into somebody’s own network: %j', async (...answers) => {
    const { client, asked } = clientOf('https://cobrowse.example', [], ...answers);
    for (const _answer of answers) expect(await rejection(client.usage())).toMatchObject(notPublic);
    expect(asked).toEqual(answers.map(() => 'cobrowse.example'));
  });

  it('isn’t made to a private address, nor over plain http, without saying where', async () => {
    const service = await serving();
    const { port } = new URL(service.url);
    for (const address of [service.url, `https://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      const { client } = clientOf(address, ['127.0.0.1', 'localhost'], ['127.0.0.1']);
      const error = await rejection(client.usage());
      expect(error).toMatchObject(notPublic);
      expect(error.message).not.toContain('127.0.0.1');
    }
    expect(service.connections()).toBe(0);
  });

  it('fails alone where its name can’t be looked up', async () => {
    const error = await rejection(through([], failing, 'https://cobrowse.example').usage());
    expect(error).toMatchObject({ kind: 'unreachable', code: undefined });
    expect(error.message).toContain('EAI_AGAIN');
  });

  it('is made to a host and port that the operator named', async () => {
    const service = await serving();
    const { client } = clientOf(service.url, [new URL(service.url).host]);
    await client.usage();
    expect(service.requests).toEqual(['GET /v1.3/usage']);
  });
});

const ADDRESS = 'https://cobrowse.example.test';
const HOST = 'cobrowse.example.test';
const IN_PRIVATE: LookupFunction = (_hostname, _options, callback) =>
  void setImmediate(callback, null, [{ address: '127.0.0.1', family: 4 }]);

const LOCAL = '127.0.0.1:1';
const forThem = { isForWorkspaces: true };
interface Given {
  readonly hosts?: readonly string[];
  readonly noProxy?: string;
  readonly isForWorkspaces?: boolean;
}

it.each<[string, string, Given, readonly string[]]>([
  ['typed, directly and checked', ADDRESS, {}, []],
  ['typed, where the operator says so', ADDRESS, forThem, [`CONNECT ${HOST}:443`]],
  ['named by the operator', ADDRESS, { hosts: [HOST] }, [`CONNECT ${HOST}:443`]],
  ['named, over plain http', `http://${HOST}`, { hosts: [HOST] }, [`GET http://${HOST}/v1.3/usage`]],
  ['named, but in NO_PROXY', `http://${LOCAL}`, { hosts: [LOCAL], noProxy: '127.0.0.1' }, []],
  ['typed, and seen not to be public', 'https://127.0.0.1', forThem, []],
  ['typed, over plain http', `http://${HOST}`, forThem, []],
  ['typed, in NO_PROXY and checked', ADDRESS, { ...forThem, noProxy: HOST }, []],
])('a workspace’s host is reached: %s', async (_how, typed, given, asked) => {
  const { hosts = [], noProxy = '', isForWorkspaces = false } = given;
  // It refuses, so that nothing is answered in the end.
  const service = await serve((_request, response) => response.writeHead(500).end());
  const { url, asked: askedProxy } = await startConnectProxy(Number(new URL(service.url).port));
  const proxy = { httpProxy: url, httpsProxy: url, noProxy, isForWorkspaces };
  const failed = await rejection(through(hosts, IN_PRIVATE, typed, proxy).usage());
  expect(new Set(askedProxy)).toEqual(new Set(asked));
  expect(failed.code === 'not-public').toBe(asked.length === 0 && hosts.length === 0);
});
