import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  createCobrowse,
  type CobrowseClient,
  type CobrowseSettings,
  type CobrowseOptions,
} from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import type { ServiceOptions } from '../../src/cobrowse/http.ts';
import { createOnPremiseClient } from '../../src/cobrowse/services.ts';
import { defaultWireNames, parseWireNames, type WireNames } from '../../src/cobrowse/wire-names.ts';
import { createDispatcher } from '../../src/http/dispatcher.ts';
import { startLocalService } from './local-service.ts';

export const sam = { id: 'sam-1', name: 'Sam' };
/** A service that only nock answers for. */
export const origin = 'https://cobrowse.example';

/** Closes it when the test ends. */
export function closing<Closed extends { close(): Promise<unknown> }>(opened: Closed): Closed {
  onTestFinished(async () => {
    await opened.close();
  });
  return opened;
}

/**
 * A client of the cloud at this address, until the test ends. Its usual time limit is
 * so long that what it makes of a large answer doesn't depend on the machine.
 */
export function connect(
  baseUrl = origin,
  {
    apiKey = 'key-123',
    wireNames = defaultWireNames,
    ...options
  }: Partial<CobrowseOptions> & { readonly apiKey?: string; readonly wireNames?: WireNames } = {},
) {
  const settings = { cloud: { baseUrl, apiKey }, onPremise: undefined, wireNames };
  return closing(createCobrowse(settings, { timeoutMs: 200_000, ...options }));
}

/** The same of an installation, as those of a deployment. */
export function install(
  baseEndpoint: string,
  options: Partial<ServiceOptions> = {},
  authorize?: CobrowseClient['authorizeOnPremise'],
) {
  const dispatcher = closing(createDispatcher(undefined));
  const settings = { baseEndpoint, restKey: 'rest-key-1', wireNames: defaultWireNames, dispatcher };
  return createOnPremiseClient({ ...settings, ...options }, authorize);
}

/** A client of a whole deployment, until the test ends. */
export function deploy(settings: CobrowseSettings, watchHosts: readonly string[] = []) {
  return closing(createCobrowse(settings, { watchHosts }));
}

/** The names to use with these instead of the usual ones. */
export function overridden(overrides: object): WireNames {
  const read = parseWireNames(JSON.stringify(overrides));
  if (!read.ok) throw new Error(read.complaint);
  return read.names;
}

/** A service of the test's own, until the test ends. */
export const serve = async (answer: RequestListener) => closing(await startLocalService(answer));

/** A server that writes these very bytes, whatever it is asked. */
export async function serveBytes(write: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', () => write(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** The operations of the client, called. */
export const operations = (client: Omit<CobrowseClient, 'offers' | 'understands'>) => ({
  usage: () => client.usage(),
  listVisitors: () => client.listVisitors({ limit: 5 }),
  visitor: () => client.visitor('v1', { withHistory: true }),
  createWatchLink: () => client.createWatchLink('v1', { agent: sam }),
  stopSession: () => client.stopSession('v1'),
  deleteVisitor: () => client.deleteVisitor('v1'),
  deleteOfflineVisitors: () => client.deleteOfflineVisitors(),
  lookupAgent: () => client.lookupAgent({ email: 'a@b.example' }),
  createProxyLink: () => client.createProxyLink(),
  authorizeOnPremise: () => client.authorizeOnPremise('v1', sam),
});

/** Every call of the client. */
export const calls = (client: CobrowseClient) => Object.values(operations(client)).map((call) => call());

/** The CobrowseError a call rejects with; anything else fails the test. */
export async function rejection(call: Promise<unknown>): Promise<CobrowseError> {
  const outcome: unknown = await call.then(
    () => new Error('The call was fulfilled.'),
    (error: unknown) => error,
  );
  if (outcome instanceof CobrowseError) return outcome;
  throw new Error('Expected a CobrowseError.', { cause: outcome });
}
