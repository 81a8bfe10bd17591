import type { AgentKey, CobrowseClient, WantedSessions } from '../cobrowse/client.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { namedLink } from '../sessions/session-links.ts';
import type { LinkAgent } from '../sessions/poll-schedule.ts';
import { IN_USE_MS, type WatchLinks } from '../sessions/watch-links.ts';

/** A stop waits for this. */
const LOOK_UP_MS = 1_500;
/** More agents than are ever with one visitor. */
const MOST_AGENTS = 3;

const isRunning = ({ ended_at: endedAt }: Session) => endedAt === undefined;

/**
 * The ids of the sessions that run with a visitor: as the service lists them with the visitor, or where it doesn't, with
 * the agents who may be in one. Empty if that isn't known soon. Never rejects.
 */
export function createRunningSessions({
  links,
  cobrowseOf,
  keyOf,
  now,
}: {
  readonly links: Pick<WatchLinks, 'inUse'>;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'offers' | 'lookupAgent'>>;
  /** What the service knows an agent by. */
  readonly keyOf: (agent: LinkAgent) => Promise<AgentKey>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  async function withAgents(workspaceId: string, visitorId: string): Promise<readonly string[]> {
    const cobrowse = await cobrowseOf(workspaceId);
    if (!cobrowse.offers.lookupAgent) return [];
    const since = now() - IN_USE_MS;
    const inUse = await links.inUse(workspaceId, [visitorId], since);
    const linkIds = new Set(inUse.map(({ linkId }) => linkId));
    const agents = new Map(inUse.map((link) => [link.agentId, link]));
    const sessions: WantedSessions = { since: new Date(since), linkIds };
    const found = await Promise.all(
      [...agents.values()].slice(0, MOST_AGENTS).map(({ userId, agentId }) =>
        keyOf({ workspaceId, userId, agentId })
          .then((key) => cobrowse.lookupAgent(key, { sessions, once: true, timeoutMs: LOOK_UP_MS }))
          .then(
            (agent) => agent.sessions,
            () => [],
          ),
      ),
    );
    const isTheirs = (session: Session) => {
      const named = namedLink(session);
      return named === undefined ? session.visitor_id === visitorId : linkIds.has(named);
    };
    return found
      .flat()
      .filter((session) => isRunning(session) && isTheirs(session))
      .map(({ id }) => id);
  }

  /** @param listed the sessions that the service lists with the visitor; empty if it doesn't */
  return async function runningSessions(
    workspaceId: string,
    visitorId: string,
    listed: readonly Session[],
  ): Promise<readonly string[]> {
    if (listed.length > 0) return listed.filter(isRunning).map(({ id }) => id);
    const found = await withAgents(workspaceId, visitorId).catch(() => []);
    return [...new Set(found)];
  };
}
