import { Agent, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';

/** The way out of a company's network; each is an address, or empty. Names as undici's. */
export interface Proxy {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Names that are reached directly. */
  readonly noProxy: string;
  /** Whether what workspaces typed goes through it, too: then the proxy decides where that may lead. */
  readonly isForWorkspaces: boolean;
}

/**
 * Connections of ours, through the proxy if there is one. HTTP/1.1 only: then a connection that breaks fails just one request.
 * `connect` isn't called for what goes through the proxy.
 */
export function createDispatcher(proxy: Proxy | undefined, options: Agent.Options = {}): Dispatcher {
  const all = { connectTimeout: 3_000, allowH2: false, ...options };
  if (proxy === undefined) return new Agent(all);
  const dispatcher: Dispatcher = new EnvHttpProxyAgent({
    ...all,
    ...proxy,
    // It tells nobody when it connects, unlike an agent.
    factory: (origin, given) =>
      new Pool(origin, given).on('connect', (...connected) => dispatcher.emit('connect', ...connected)),
  });
  return dispatcher;
}
