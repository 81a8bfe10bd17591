import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { createAtMost } from '../lifecycle/side-by-side.ts';
import { codeOf } from './errors.ts';

/** For all of a look-up, its wait for others included. The resolver's own limits run over. */
const PATIENCE_MS = 3_000;
const MOST_AT_ONCE = 2;

/** What `lookup` says where a name has no address, and where nobody could say. */
const codeFor = (cause: unknown) =>
  ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(codeOf(cause) ?? '') ? 'ENOTFOUND' : 'EAI_AGAIN';

class UnknownHostError extends Error {
  override readonly name = 'UnknownHostError';
  readonly code: string;
  constructor(hostname: string, cause: unknown) {
    const code = codeFor(cause);
    super(`${code} ${hostname}`, { cause });
    this.code = code;
  }
}

/** One of the two families may have no address, or no answer. */
async function resolve(resolver: Resolver, hostname: string): Promise<readonly LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  const causes = [four, six].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  throw new UnknownHostError(hostname, causes.find((cause) => codeFor(cause) !== 'ENOTFOUND') ?? causes[0]);
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

  async function find(hostname: string): Promise<readonly LookupAddress[]> {
    const resolver = new Resolver();
    if (servers !== undefined) resolver.setServers(servers);
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      resolver.cancel();
    }, PATIENCE_MS);
    try {
      return await inTurn(async () => {
        if (isOver) throw new UnknownHostError(hostname, undefined);
        return resolve(resolver, hostname);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async function answer(...[hostname, , callback]: Parameters<LookupFunction>): Promise<void> {
    let found: readonly LookupAddress[] = [];
    let failure: UnknownHostError | null = null;
    try {
      found = await find(hostname);
    } catch (error) {
      failure = error instanceof UnknownHostError ? error : new UnknownHostError(hostname, error);
    }
    callback(failure, [...found]);
  }

  return (...asked) => void answer(...asked);
}
