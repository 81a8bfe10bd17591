import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';

/** The way out of a company's network; each is an address, or empty. Names as undici's. */
export interface Proxy {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  /** Whether what workspaces typed goes through it, too: then the proxy decides where that may lead. */
  readonly isForWorkspaces: boolean;
}

/** Through the proxy if there is one; `connect` isn't called then. HTTP/1.1 only: a broken connection fails just one request. */
export function createDispatcher(proxy: Proxy | undefined, options: Agent.Options = {}): Dispatcher {
  const all = { connectTimeout: 3_000, allowH2: false, ...options };
  return proxy === undefined ? new Agent(all) : new EnvHttpProxyAgent({ ...all, ...proxy });
}
