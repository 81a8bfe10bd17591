import { cloudPath as base } from './apis.ts';
import { json, parseBody, ServiceError, type Route } from './http.ts';
import type { Licenses } from './licenses.ts';
import type { ProxyLinks } from './proxy-links.ts';
import { onPremiseTokenBody, proxySessionBody } from './request-bodies.ts';
import { lookUpAgent } from './lookup.ts';
import type { Mood } from './misbehavior.ts';
import { usageObject } from './usage.ts';
import { isAtLimit, type World } from './world.ts';

export interface AccountOptions {
  readonly world: World;
  readonly mood: Pick<Mood, 'current'>;
  readonly origin: () => string;
  readonly licenses: Licenses;
  readonly proxyLinks: ProxyLinks;
  /** Whether the account has the universal proxy. */
  readonly proxyEnabled: boolean;
}

/** The rows of the document about the account: usage, agents, proxy sessions, on-premise tokens. */
export function accountRoutes(options: AccountOptions): readonly Route[] {
  const { world, origin, licenses, proxyLinks } = options;
  return [
    {
      method: 'GET',
      path: `${base}/usage`,
      run() {
        const usage = usageObject(world.sessions.all(), world.visitors.latest(), world.now());
        return json(200, { status: 'ok', usage });
      },
    },
    {
      method: 'GET',
      path: `${base}/agents/lookup`,
      run: (call) =>
        json(200, { status: 'ok', agent: lookUpAgent(world, call.query, options.mood.current().agents) }),
    },
    {
      method: 'POST',
      path: `${base}/proxy_sessions`,
      run(call) {
        const body = parseBody(proxySessionBody, call.text);
        if (!options.proxyEnabled) throw new ServiceError(402, 'proxy_not_enabled');
        return json(200, { status: 'ok', proxy_url: `${origin()}/proxy/${proxyLinks.issue(body)}` });
      },
    },
    {
      method: 'POST',
      path: `${base}/onpremise/token`,
      run(call) {
        const { visitor_id: visitorId, agent } = parseBody(onPremiseTokenBody, call.text);
        if (isAtLimit(world)) throw new ServiceError(402, 'session_not_authorized');
        const token = licenses.issue({ visitorId, agentId: agent.id });
        return json(200, { status: 'ok', authorized: true, token });
      },
    },
  ];
}
