import { accountUserObject } from './agents.ts';
import { cloudPath as base } from './apis.ts';
import { json, parseBody, ServiceError } from './http.ts';
import type { Call, Route } from './http.ts';
import type { Licences } from './licences.ts';
import type { ProxyLinks } from './proxy-links.ts';
import { onPremiseTokenBody, proxySessionBody } from './request-bodies.ts';
import { sessionObject } from './session.ts';
import { usageObject } from './usage.ts';
import { isAtLimit } from './world.ts';
import type { World } from './world.ts';

export interface AccountOptions {
  readonly world: World;
  readonly origin: () => string;
  readonly licences: Licences;
  readonly proxyLinks: ProxyLinks;
  /** Whether the account may use the universal proxy. */
  readonly proxyEnabled: boolean;
}

/** The rows of the document about the account: usage, agents, proxy sessions, on-premise tokens. */
export function accountRoutes(options: AccountOptions): readonly Route[] {
  const { world, origin, licences, proxyLinks } = options;
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
      run: (call) => json(200, { status: 'ok', agent: lookUpAgent(world, call) }),
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
        const token = licences.issue({ visitorId, agentId: agent.id });
        return json(200, { status: 'ok', authorized: true, token });
      },
    },
  ];
}

// Exactly one of the two parameters; any other, or one more, finds nothing.
function lookUpAgent(world: World, call: Call) {
  const [parameter, ...others] = call.query.entries();
  if (!parameter || others.length > 0) throw new ServiceError(404, 'not_found');
  const [name, value] = parameter;
  if (name === 'email') {
    const user = world.agents.byEmail(value);
    if (user) return { ...accountUserObject(user, world.now()), sessions: sessionsOfAgent(world, user.id) };
  }
  if (name === 'external_id') {
    const agent = world.agents.byExternalId(value);
    if (agent) return { ...agent, on_premise: false, sessions: sessionsOfAgent(world, agent.id) };
  }
  throw new ServiceError(404, 'not_found');
}

function sessionsOfAgent(world: World, agentId: string) {
  const own = world.sessions.all().filter((session) => session.agents.some((agent) => agent.id === agentId));
  return own.map((session) => sessionObject(session, world.now()));
}
