import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Pool, buildConnector, type Dispatcher } from 'undici';
import { createAtMost } from '../lifecycle/concurrency.ts';
import { codeOf, NOT_PUBLIC } from './errors.ts';
import ipaddr from 'ipaddr.js';
import { createDispatcher, type Proxy } from '../http/dispatcher.ts';

/** For a look-up and its wait for others. The resolver's own limits run over. */
const PATIENCE_MS = 3_000;

const codedError = (code: string, message: string) => Object.assign(new Error(message), { code });

const isNone = (cause: unknown) => ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(codeOf(cause) ?? '');

/** Asks name servers alone: Node's `lookup` holds one of four threads while one is silent, and a few would stop all workspaces. */
export function createTypedNameLookup(): LookupFunction {
  const inTurn = createAtMost(2);

  /** One of the two families may have no address or answer. */
  async function find(...[hostname, , callback]: Parameters<LookupFunction>): Promise<void> {
    const resolver = new Resolver();
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
    // The same codes as Node's `lookup`: no such name, or nobody could say.
    const code = causes.length > 0 && causes.every(isNone) ? 'ENOTFOUND' : 'EAI_AGAIN';
    callback(addresses.length > 0 ? null : codedError(code, `${code} ${hostname}`), addresses);
  }

  return (...asked) => void find(...asked);
}

/** IPv4 written as IPv6 isn't public, nor is an address with a zone, which is link-local. */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && !address.includes('%') && ipaddr.parse(address).range() === 'unicast';

/** Domains of one machine or network. Sources: RFC 6761, 6762 (appendix G too), 7686, 8375; ICANN's resolution on .internal. */
const OWN_DOMAINS = /(?:^|\.)(?:localhost|local|internal|home\.arpa|intranet|private|corp|home|lan|onion)$/;

/** Internet names have a dot. */
function isOwnName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return !name.includes('.') || OWN_DOMAINS.test(name);
}

const notPublic = () => codedError(NOT_PUBLIC, 'The address is not a public one over https.');

/** `port` is empty for the usual one. */
type Target = Pick<URL, 'protocol' | 'hostname' | 'port'>;

const unbracketed = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');

/** @param hosts as COBROWSE_HOSTS and WEBHOOK_HOSTS name them: a host at its usual ports, or a host and port */
function isNamed({ protocol, hostname, port }: Target, hosts: readonly string[]): boolean {
  const bare = unbracketed(hostname);
  const host = isIP(bare) === 6 ? `[${bare}]` : bare;
  const usual = protocol === 'https:' ? '443' : '80';
  const at = port === '' ? usual : port;
  return hosts.includes(`${host}:${at}`) || (at === usual && hosts.includes(host));
}

/** Whether a connection is refused without looking the name up. */
export function isObviouslyNotPublic(target: Target, hosts: readonly string[]): boolean {
  if (isNamed(target, hosts)) return false;
  const bare = unbracketed(target.hostname);
  return target.protocol !== 'https:' || (isIP(bare) === 0 ? isOwnName(bare) : !isPublicAddress(bare));
}

/** Checks the very addresses that the connection then uses. */
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

/** Short, since there are many workspaces. */
const KEPT_MS = 60_000;
const CONNECT_MS = 3_000;

/**
 * Connections of one workspace to its service and its webhooks' addresses: only over https to an address that's public at that
 * moment, so that nobody makes this server call into its own network. Over a proxy only to hosts that the operator named, and to
 * others if the operator says so: the proxy then judges them.
 */
export function createPublicAgent(
  hosts: readonly string[],
  resolve = createTypedNameLookup(),
  proxy?: Proxy,
): Dispatcher {
  const anywhere = buildConnector({ timeout: CONNECT_MS, allowH2: false });
  const inPublic = buildConnector({ timeout: 2 * CONNECT_MS, allowH2: false, lookup: publicLookup(resolve) });
  const connect: buildConnector.connector = (target, callback) => {
    if (isNamed(target, hosts)) anywhere(target, callback);
    // Not synchronously: undici isn't ready for that.
    else if (isObviouslyNotPublic(target, hosts)) setImmediate(callback, notPublic(), null);
    else inPublic(target, callback);
  };
  const direct = { keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS, connect };
  if (proxy === undefined) return createDispatcher(undefined, direct);
  const isThrough = (target: URL) =>
    isNamed(target, hosts) || (proxy.isForWorkspaces && !isObviouslyNotPublic(target, hosts));
  return createDispatcher(undefined, {
    ...direct,
    // NO_PROXY makes a proxy's agent connect directly: checked, too.
    factory: (origin, given) =>
      isThrough(new URL(origin)) ? createDispatcher(proxy, direct) : new Pool(origin, given),
  });
}

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
