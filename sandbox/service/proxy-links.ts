import type { ProxySessionBody } from './request-bodies.ts';

/** The result of opening a proxy link. */
export type ProxyLinkState = 'ready' | 'unknown' | 'expired' | 'used';

/** The links of proxy sessions. */
export interface ProxyLinks {
  /** The token of a new link. */
  readonly issue: (body: ProxySessionBody) => string;
  /** Opens a link, which works once. */
  readonly open: (token: string) => { readonly state: ProxyLinkState; readonly body: ProxySessionBody };
}

/** Proxy links, each valid for `lifetimeMs`. */
export function createProxyLinks(options: {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly lifetimeMs: number;
}): ProxyLinks {
  const { now, randomId, lifetimeMs } = options;
  const byToken = new Map<string, { body: ProxySessionBody; expiresAt: number; isUsed: boolean }>();
  return {
    issue(body) {
      const token = randomId();
      byToken.set(token, { body, expiresAt: now().getTime() + lifetimeMs, isUsed: false });
      return token;
    },
    open(token) {
      const link = byToken.get(token);
      if (!link) return { state: 'unknown', body: {} };
      const { body, isUsed, expiresAt } = link;
      if (isUsed) return { state: 'used', body };
      if (expiresAt <= now().getTime()) return { state: 'expired', body };
      link.isUsed = true;
      return { state: 'ready', body };
    },
  };
}
