import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type { ExchangeOptions } from './exchange.ts';
import { createVisitorReplySchema } from './replies.ts';
import type { Visitor } from './schemas.ts';
import { createServiceAgent } from './service-agent.ts';
import { createTransport } from './transport.ts';
import type { Transport } from './transport.ts';
import { createVisitorSchema } from './visitor-fields.ts';
import { parseWatchLink } from './watch-link.ts';
import type { LinkRules, WatchLink } from './watch-link.ts';
import type { WireNames } from './wire-names.ts';

/** How a service is talked to, whichever it is. */
export interface ConnectionOptions {
  readonly wireNames: WireNames;
  /** Connections to share, closed by whoever made them. Without it there are own ones. */
  readonly dispatcher?: Dispatcher;
  /** Time limit for one call, its repetition included. Default 8 s. */
  readonly timeoutMs?: number;
  readonly now?: () => Date;
  /** The only hosts that watch and proxy links may lead to, at any port; none: every one, over https. */
  readonly watchHosts?: readonly string[];
}

type Service = Pick<ExchangeOptions, 'baseUrl' | 'pathPrefix' | 'authHeader' | 'secrets'>;

/** One service, ready to be called. */
export interface Connection {
  readonly transport: Transport;
  readonly names: WireNames;
  readonly visitorSchema: z.ZodType<Visitor>;
  readonly visitorReplySchema: ReturnType<typeof createVisitorReplySchema>;
  /** Reads a link out of an answer. @throws CobrowseError not-understood, as parseWatchLink */
  readonly readLink: (text: string, ends?: Pick<LinkRules, 'expiration' | 'servedAt'>) => WatchLink;
  /** Ends the connections that are not shared. */
  close(): Promise<void>;
}

/** @throws TypeError where the address or the key can never work */
export function createConnection(
  service: Service,
  { wireNames, timeoutMs = 8_000, now = () => new Date(), watchHosts = [], ...shared }: ConnectionOptions,
): Connection {
  const dispatcher = shared.dispatcher ?? createServiceAgent();
  const visitorSchema = createVisitorSchema(wireNames);
  const base = URL.parse(service.baseUrl);
  // Whoever set up plain http there has links of plain http, too: to that host, and to no other.
  const plainHost = base?.protocol === 'http:' ? base.hostname : undefined;
  return {
    transport: createTransport({
      ...service,
      errorCodeField: wireNames.errorCode,
      dispatcher,
      timeoutMs,
      now,
    }),
    names: wireNames,
    visitorSchema,
    visitorReplySchema: createVisitorReplySchema(visitorSchema),
    readLink: (text, ends) => parseWatchLink(text, { ...ends, now: now(), plainHost, hosts: watchHosts }),
    close: async () => {
      if (shared.dispatcher === undefined) await dispatcher.close();
    },
  };
}
