import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Pool, buildConnector, type Dispatcher } from 'undici';
import { createAtMost } from '../lifecycle/side-by-side.ts';
import { codeOf, NOT_PUBLIC } from './errors.ts';
import ipaddr from 'ipaddr.js';
import type { Proxy } from '../http/dispatcher.ts';
import { createServiceAgent } from './http.ts';

/** For all of a look-up, its wait for others included. The resolver's own limits run over. */
const PATIENCE_MS = 3_000;
const MOST_AT_ONCE = 2;

/** As Node's own look-ups fail. */
const codedError = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

const isNone = (cause: unknown) => ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(codeOf(cause) ?? '');

/** What `lookup` says where a name has no address, and where nobody could say. */
function unknownHost(hostname: string, causes: readonly unknown[]) {
  const cause = causes.find((one) => !isNone(one)) ?? causes[0];
  const code = isNone(cause) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return codedError(code, `${code} ${hostname}`, cause);
}

/**
 * Looks up the names that one workspace typed, two at once, and asks name servers alone. Node's own `lookup`, which also reads
 * /etc/hosts and search domains, holds one of four threads for as long as a name server is silent: a few such names would stop
 * every other workspace.
 *
 * @param servers instead of the system's name servers
 * @returns a look-up of all addresses, as whoever checks them asks for
 */
export function createTypedNameLookup(servers?: readonly string[]): LookupFunction {
  const inTurn = createAtMost(MOST_AT_ONCE);

  /** One of the two families may have no address, or no answer. */
  async function find(hostname: string) {
    const resolver = new Resolver();
    if (servers !== undefined) resolver.setServers(servers);
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      resolver.cancel();
    }, PATIENCE_MS);
    const answers = await inTurn(async () =>
      isOver ? [] : Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]),
    );
    clearTimeout(timer);
    const addresses = answers.flatMap((one, at) =>
      one.status === 'fulfilled' ? one.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
    );
    const causes = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    return { addresses, failure: addresses.length > 0 ? null : unknownHost(hostname, causes) };
  }

  async function answer(...[hostname, , callback]: Parameters<LookupFunction>): Promise<void> {
    const { addresses, failure } = await find(hostname).catch((error: unknown) => ({
      addresses: [],
      failure: unknownHost(hostname, [error]),
    }));
    callback(failure, addresses);
  }

  return (...asked) => void answer(...asked);
}

/** Whether an IP address is one of the public internet. IPv4 written as IPv6 isn't, nor is one with a zone, which is a link's. */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'unicast';

/** Domains of one machine or network. Sources: RFC 6761, 6762 (with its appendix G), 7686 and 8375; ICANN's resolution on .internal. */
const OWN_DOMAINS = /(?:^|\.)(?:localhost|local|internal|home\.arpa|intranet|private|corp|home|lan|onion)$/;

/** Whether a name can only lead into somebody's own network: those of the internet have a dot. */
function isOwnName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return !name.includes('.') || OWN_DOMAINS.test(name);
}

const notPublic = () => codedError(NOT_PUBLIC, 'The address is not a public one over https.');

/** Where a connection goes. An empty port is the usual one. */
interface Target {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

const unbracketed = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

/** @param hosts as COBROWSE_HOSTS and WEBHOOK_HOSTS name them: a host at its usual ports, or a host and port */
function isNamed({ protocol, hostname, port }: Target, hosts: readonly string[]): boolean {
  const bare = unbracketed(hostname);
  const host = isIP(bare) === 6 ? `[${bare}]` : bare;
  const usual = protocol === 'https:' ? '443' : '80';
  const at = port === '' ? usual : port;
  return hosts.includes(`${host}:${at}`) || (at === usual && hosts.includes(host));
}

/** Whether it's seen without asking for its addresses that a connection there isn't allowed. */
export function isObviouslyNotPublic(target: Target, hosts: readonly string[]): boolean {
  if (isNamed(target, hosts)) return false;
  const bare = unbracketed(target.hostname);
  return target.protocol !== 'https:' || (isIP(bare) === 0 ? isOwnName(bare) : !isPublicAddress(bare));
}

/** Looks a name up for one connection, which then goes to an address that is checked here. */
function publicLookup(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      // A look-up that fails calls back with the error alone.
      if (error !== null) return callback(error, []);
      const addresses = typeof found === 'string' ? [] : found;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        callback(notPublic(), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** There are so many workspaces. */
const KEPT_MS = 60_000;
const CONNECT_MS = 3_000;

/**
 * Connections of one workspace to its service and its webhooks' addresses: over https to an address that's public at the moment
 * of the connection, whatever the name said before. So nobody makes this server call into its own network.
 *
 * Through a proxy go the hosts that the operator named, and all others only if the operator says so: then the proxy judges where a
 * name leads.
 *
 * @param hosts those that the operator named, which may be private or plain http
 * @param resolve how other names are looked up
 */
export function createPublicAgent(
  hosts: readonly string[],
  resolve = createTypedNameLookup(),
  proxy?: Proxy,
): Dispatcher {
  const anywhere = buildConnector({ timeout: CONNECT_MS, allowH2: false });
  // A look-up has as much time of its own.
  const inPublic = buildConnector({ timeout: 2 * CONNECT_MS, allowH2: false, lookup: publicLookup(resolve) });
  const connect: buildConnector.connector = (target, callback) => {
    if (isNamed(target, hosts)) anywhere(target, callback);
    // Not synchronously: undici isn't ready for that.
    else if (isObviouslyNotPublic(target, hosts)) setImmediate(callback, notPublic(), null);
    else inPublic(target, callback);
  };
  const direct = { keptMs: KEPT_MS, connect };
  if (proxy === undefined) return createServiceAgent(direct);
  const isThrough = (target: URL) =>
    isNamed(target, hosts) || (proxy.isForWorkspaces && !isObviouslyNotPublic(target, hosts));
  return createServiceAgent({
    ...direct,
    // What a proxy's agent reaches directly, by NO_PROXY, is checked, too.
    factory: (origin, given) =>
      isThrough(new URL(origin)) ? createServiceAgent({ ...direct, proxy }) : new Pool(origin, given),
  });
}

/** The connections of each workspace, made when it first needs some. @param hostsFor see {@link createPublicAgent} */
export function createPublicAgents(
  hostsFor: (workspaceId: string) => readonly string[],
  { resolve, proxy }: { readonly resolve?: LookupFunction | undefined; readonly proxy: Proxy | undefined },
) {
  const agents = new Map<string, Dispatcher>();
  return {
    of(workspaceId: string): Dispatcher {
      const agent = agents.get(workspaceId) ?? createPublicAgent(hostsFor(workspaceId), resolve, proxy);
      agents.set(workspaceId, agent);
      return agent;
    },
    close: async () => void (await Promise.all([...agents.values()].map((agent) => agent.close()))),
  };
}
