import { accountUserObject } from './agents.ts';
import { ServiceError } from './http.ts';
import type { Misbehavior } from './misbehavior.ts';
import { sessionObject } from './session.ts';
import type { World } from './world.ts';

/** What the document leaves open: which parameter finds whom, and whether sessions name their links. */
type Ways = NonNullable<Misbehavior['agents']>;

/** The agent that a query names, with their sessions. @throws ServiceError 404 */
export function lookUpAgent(world: World, query: URLSearchParams, ways: Ways = {}) {
  // Exactly one of the two parameters; with another one, or more, nothing is found.
  const [parameter, ...others] = query.entries();
  if (!parameter || others.length > 0) throw new ServiceError(404, 'not_found');
  const [name, value] = parameter;
  if (ways.findBy !== undefined && ways.findBy !== name) throw new ServiceError(404, 'not_found');
  const user = accountUser(world, name, value, ways);
  if (user) return { ...accountUserObject(user, world.now()), sessions: sessionsOf(world, user.id, ways) };
  const agent = name === 'external_id' ? world.agents.byExternalId(value) : undefined;
  if (agent) return { ...agent, on_premise: false, sessions: sessionsOf(world, agent.id, ways) };
  throw new ServiceError(404, 'not_found');
}

function accountUser({ agents }: World, name: string, value: string, { findBy }: Ways) {
  if (name === 'email') return agents.byEmail(value);
  // As a fallback, the id that links were requested with also finds account users.
  return findBy === 'external_id' ? agents.byId(value) : undefined;
}

function sessionsOf(world: World, agentId: string, { withoutMetadata = false }: Ways) {
  const own = world.sessions.all().filter((session) => session.agents.some((agent) => agent.id === agentId));
  return own.map((session) => {
    const { metadata, ...rest } = sessionObject(session, world.now());
    return withoutMetadata ? rest : { ...rest, metadata };
  });
}
