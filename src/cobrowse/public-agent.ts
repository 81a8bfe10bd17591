import { lookup as lookUp } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Pool, buildConnector } from 'undici';
import type { Dispatcher } from 'undici';
import type { Proxy } from '../dispatcher.ts';
import { NOT_PUBLIC } from './errors.ts';
import { createServiceAgent } from './http.ts';

/** The public addresses of IPv6: IPv4 written in it, a link's and a site's own are elsewhere. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Somebody's own network, or a way into one. Source: IANA's registries of special-purpose addresses. */
const special = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  // Protocol assignments, Teredo among them, which holds an IPv4 address; documentation; 6to4, which holds one, too.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is one of the public internet. IPv4 written as IPv6 isn't. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  // With a zone it's on a local link, and a block list can't read it.
  if (version === 0 || address.includes('%')) return false;
  if (version === 4) return !special.check(address, 'ipv4');
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

class NotPublicError extends Error {
  override readonly name = 'NotPublicError';
  readonly code = NOT_PUBLIC;
  constructor() {
    super('The address is not a public one over https.');
  }
}

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
  return target.protocol !== 'https:' || (isIP(bare) !== 0 && !isPublicAddress(bare));
}

/** Looks a name up for one connection, which then goes to an address that is checked here. */
function publicLookup(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [] : found;
      const [first] = addresses;
      if (error !== null) callback(error, []);
      else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new NotPublicError(), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** So many workspaces share it that a connection is kept for a minute only. */
const KEPT_MS = 60_000;

/**
 * Connections to the services and webhooks' addresses that workspaces name: over https to an address that's public at the moment of the connection,
 * whatever the name said before. So nobody makes this server call into its own network.
 *
 * Through a proxy go the hosts that the operator named, and all others only if the operator says so: then the proxy judges where a
 * name leads.
 *
 * @param hosts those that may be private or plain http
 * @param resolve how names are looked up
 */
export function createPublicAgent(
  hosts: readonly string[],
  resolve: LookupFunction = lookUp,
  proxy?: Proxy,
): Dispatcher {
  const options = { timeout: 3_000, allowH2: false };
  const anywhere = buildConnector(options);
  const inPublic = buildConnector({ ...options, lookup: publicLookup(resolve) });
  const connect: buildConnector.connector = (target, callback) => {
    if (isNamed(target, hosts)) anywhere(target, callback);
    // Not synchronously: undici isn't ready for that.
    else if (isObviouslyNotPublic(target, hosts)) setImmediate(callback, new NotPublicError(), null);
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
