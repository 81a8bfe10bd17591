import { createHmac } from 'node:crypto';
import { accountUserObject } from './agents.ts';
import { json, parseBody, ServiceError } from './http.ts';
import type { Call, Route } from './http.ts';
import { onPremiseTokenBody, proxySessionBody } from './request-bodies.ts';
import { sessionObject } from './session.ts';
import { isoTime } from './time.ts';
import { usageObject } from './usage.ts';
import { isAtLimit } from './world.ts';
import type { World } from './world.ts';

const base = '/v1.3';
const licenceTokenLifetimeMs = 5 * 60_000;

export interface AccountOptions {
  readonly world: World;
  readonly origin: () => string;
  readonly randomId: () => string;
  /** Whether the account may use the universal proxy. */
  readonly proxyEnabled: boolean;
}

/** The rows of the document about the account: usage, agents, proxy sessions, on-premise tokens. */
export function accountRoutes(options: AccountOptions): readonly Route[] {
  const { world, origin, randomId } = options;
  const signingKey = randomId();
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
        parseBody(proxySessionBody, call.text);
        if (!options.proxyEnabled) throw new ServiceError(402, 'proxy_not_enabled');
        return json(200, { status: 'ok', proxy_url: `${origin()}/proxy/${randomId()}` });
      },
    },
    {
      method: 'POST',
      path: `${base}/onpremise/token`,
      run(call) {
        const session = parseBody(onPremiseTokenBody, call.text);
        if (isAtLimit(world)) throw new ServiceError(402, 'session_not_authorized');
        const expires_at = isoTime(new Date(world.now().getTime() + licenceTokenLifetimeMs));
        const token = signToken({ ...session, expires_at }, signingKey);
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
    if (agent) return { ...agent, sessions: sessionsOfAgent(world, agent.id) };
  }
  throw new ServiceError(404, 'not_found');
}

function sessionsOfAgent(world: World, agentId: string) {
  const own = world.sessions.all().filter((session) => session.agents.some((agent) => agent.id === agentId));
  return own.map((session) => sessionObject(session, world.now()));
}

function signToken(content: unknown, key: string): string {
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`;
}
