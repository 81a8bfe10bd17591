import type { WatchLinkBody } from './request-bodies.ts';

/** Short, as the document says without giving a number. */
export const usualLinkLifetimeMs = 5 * 60_000;

/** A secure watch link that was issued. */
export interface WatchLink {
  readonly token: string;
  /** The path of its page on the stand-in. */
  readonly path: string;
  readonly visitorId: string;
  readonly body: WatchLinkBody;
  readonly expiresAt: Date;
  /** The session it started; a link works once. */
  readonly sessionId: string | null;
  /** The browser that opened it has this key, and can reload the page of the running session. */
  readonly holderKey: string | null;
}

export interface WatchLinks {
  readonly issue: (visitorId: string, body: WatchLinkBody) => WatchLink;
  readonly find: (token: string) => WatchLink | undefined;
  /** Records the session it started, for the browser that gets the key. */
  readonly markUsed: (token: string, sessionId: string) => WatchLink;
}

/** The issued watch links, as pages below `path`; each is valid for `lifetimeMs`. */
export function createWatchLinks(options: {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly lifetimeMs: number;
  readonly path: string;
}): WatchLinks {
  const byToken = new Map<string, WatchLink>();
  return {
    issue(visitorId, body) {
      const token = options.randomId();
      const link = {
        token,
        path: `${options.path}/${encodeURIComponent(token)}`,
        visitorId,
        body,
        expiresAt: new Date(options.now().getTime() + options.lifetimeMs),
        sessionId: null,
        holderKey: null,
      };
      byToken.set(link.token, link);
      return link;
    },
    find: (token) => byToken.get(token),
    markUsed(token, sessionId) {
      const link = byToken.get(token);
      if (!link) throw new Error('There is no such watch link');
      const used = { ...link, sessionId, holderKey: options.randomId() };
      byToken.set(token, used);
      return used;
    },
  };
}

/** What a link can grant, by the names of its flags. Source: the permissions object of the document. */
const capabilities = ['click', 'scroll', 'type', 'draw', 'audio', 'agent_redirect', 'console'] as const;

/** Whether the link lets the agent use a tool; what it doesn't mention is allowed, except the console. */
export function isToolAllowed(link: WatchLink, tool: string): boolean {
  return link.body.permissions?.[`allow_${tool}`] ?? tool !== 'console';
}

/** What the link lets the agent do beyond looking and pointing. */
export function grantedTools(link: WatchLink): readonly string[] {
  return capabilities.filter((tool) => isToolAllowed(link, tool));
}
