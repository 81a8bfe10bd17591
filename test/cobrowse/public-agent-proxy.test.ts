import type { LookupFunction } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createPublicAgent } from '../../src/cobrowse/public-agent.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { startLocalService } from './local-service.ts';
import { connect, rejection } from './stage.ts';

const ADDRESS = 'https://cobrowse.example.test';
const HOST = 'cobrowse.example.test';
const IN_PRIVATE: LookupFunction = (_hostname, _options, callback) =>
  void setImmediate(callback, null, [{ address: '127.0.0.1', family: 4 }]);

interface Given {
  readonly typed: string;
  readonly hosts?: readonly string[];
  readonly noProxy?: string;
  readonly isForWorkspaces?: boolean;
}

it.each<[string, Given, readonly string[]]>([
  ['typed, directly and checked', { typed: ADDRESS }, []],
  ['typed, where the operator says so', { typed: ADDRESS, isForWorkspaces: true }, [`CONNECT ${HOST}:443`]],
  ['named by the operator', { typed: ADDRESS, hosts: [HOST] }, [`CONNECT ${HOST}:443`]],
  ['named, over plain http', { typed: `http://${HOST}`, hosts: [HOST] }, [`GET http://${HOST}/v1.3/usage`]],
  [
    'named, but in NO_PROXY',
    { typed: 'http://127.0.0.1:1', hosts: ['127.0.0.1:1'], noProxy: '127.0.0.1' },
    [],
  ],
  ['typed, and seen not to be public', { typed: 'https://127.0.0.1', isForWorkspaces: true }, []],
  ['typed, over plain http', { typed: `http://${HOST}`, isForWorkspaces: true }, []],
  ['typed, in NO_PROXY and checked', { typed: ADDRESS, isForWorkspaces: true, noProxy: HOST }, []],
])('a workspace’s host is reached: %s', async (_how, given, asked) => {
  const { typed, hosts = [], noProxy = '', isForWorkspaces = false } = given;
  // It refuses, so that nothing is answered in the end.
  const service = await startLocalService((_request, response) => response.writeHead(500).end());
  onTestFinished(() => service.close());
  const { url, asked: askedProxy } = await startConnectProxy(Number(new URL(service.url).port));
  const proxy = { httpProxy: url, httpsProxy: url, noProxy, isForWorkspaces };
  const dispatcher = createPublicAgent(hosts, IN_PRIVATE, proxy);
  onTestFinished(() => dispatcher.destroy());
  const failed = await rejection(connect(typed, { dispatcher }).usage());
  expect(new Set(askedProxy)).toEqual(new Set(asked));
  expect(failed.code === 'not-public').toBe(asked.length === 0 && hosts.length === 0);
});
