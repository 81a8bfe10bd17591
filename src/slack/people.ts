import { LRUCache } from 'lru-cache';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { AgentIdentity } from '../watch/mint.ts';

const FRESH_MS = 10 * 60 * 1_000;
/** After a look-up that failed. */
const RETRY_MS = 30 * 1_000;
/** Somebody may be waiting at a press: past this the agent is named by what is known. */
const USUAL_PATIENCE_MS = 2_500;
const MOST_PEOPLE = 10_000;

/** What a Slack profile says. */
export interface Profile {
  readonly name: string | undefined;
  /** Undefined where the profile shows none. */
  readonly email: string | undefined;
  /** Whether the user is an admin or owner of the workspace. */
  readonly isAdmin: boolean;
  /** Whether the user is of another organisation: in shared channels they may press buttons. */
  readonly isExternal: boolean;
  /** Whether the user is a guest, of one channel or of several. */
  readonly isGuest: boolean;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  /** Of the user's time zone, seconds east of UTC. */
  readonly utcOffsetSeconds: number;
  /** IANA's name of it; undefined where Slack does not say. */
  readonly timeZone?: string | undefined;
}

interface PeopleParts {
  readonly profile: (workspaceId: string, userId: string) => Promise<Profile>;
  readonly lookupAgent: CobrowseClient['lookupAgent'];
  /** Told of a look-up that failed; the press went on without it. */
  readonly report: (error: unknown) => void;
  /** Milliseconds from any moment on; the clock of this process where not given. */
  readonly now?: () => number;
  readonly patienceMs?: number;
}

/** Slack users as agents of the co-browsing service. */
export interface People {
  /** The agent a user is: by email, else one derived from workspace and user. Cached for minutes; never rejects. */
  agentFor(workspaceId: string, userId: string): Promise<AgentIdentity>;
  /** What the user's profile says, or said at most five seconds ago. Rejects where Slack cannot be asked. */
  profileOf(workspaceId: string, userId: string): Promise<Profile>;
  /** The email in the user's profile. Rejects where Slack cannot be asked. */
  emailOf(workspaceId: string, userId: string): Promise<string | undefined>;
}

/**
 * The id under which the service knows a Slack user who has no account there. Stable for the person and never shared:
 * a random id at each press would burn a licence each.
 */
export function externalIdOf(workspaceId: string, userId: string): string {
  return `slack-${workspaceId}-${userId}`;
}

function derivedAgent(workspaceId: string, userId: string, name: string | undefined): AgentIdentity {
  return { id: externalIdOf(workspaceId, userId), name: name ?? `Slack user ${userId}` };
}

/** Agents by `<workspace> <user>`. A fetch rejects only where nothing at all is known of the person. */
function createAgentCache({ profile, lookupAgent, report, now }: PeopleParts) {
  async function agentWith(email: string): Promise<AgentIdentity | undefined> {
    try {
      const { id, name, agent_nickname: nickname } = await lookupAgent({ email });
      return { id, name: [name, nickname].find((candidate) => candidate?.trim()) ?? email };
    } catch (error) {
      if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
      throw error;
    }
  }

  return new LRUCache<string, AgentIdentity>({
    max: MOST_PEOPLE,
    ttl: FRESH_MS,
    ttlResolution: 0,
    ...(now === undefined ? {} : { perf: { now } }),
    noDeleteOnStaleGet: true,
    async fetchMethod(key, earlier, { options }) {
      const [workspaceId = '', userId = ''] = key.split(' ');
      let known = earlier;
      try {
        const { name, email } = await profile(workspaceId, userId);
        const derived = derivedAgent(workspaceId, userId, name);
        known ??= derived;
        return email === undefined ? derived : ((await agentWith(email)) ?? derived);
      } catch (error) {
        // Not even a name: the next press asks again.
        if (known === undefined) throw error;
        report(error);
        // An agent who was found keeps the same id while look-ups fail: another id would cost another licence.
        options.ttl = RETRY_MS;
        return known;
      }
    },
  });
}

export function createPeople(parts: PeopleParts): People {
  const { profile, report, patienceMs = USUAL_PATIENCE_MS } = parts;
  const agents = createAgentCache(parts);

  return {
    async agentFor(workspaceId, userId) {
      const key = `${workspaceId} ${userId}`;
      // Nearly always: no race against the clock for what is at hand.
      const known = agents.get(key);
      if (known !== undefined) return known;
      try {
        const agent = await inTime(agents.fetch(key), patienceMs);
        if (agent !== undefined) return agent;
      } catch (error) {
        report(error);
      }
      return agents.peek(key, { allowStale: true }) ?? derivedAgent(workspaceId, userId, undefined);
    },
    profileOf: profile,
    emailOf: async (workspaceId, userId) => (await profile(workspaceId, userId)).email,
  };
}

/** Undefined where it takes too long; the look-up itself goes on and fills the cache. */
async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeOut = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patienceMs, undefined);
  });
  try {
    return await Promise.race([work, timeOut]);
  } finally {
    clearTimeout(timer);
  }
}
