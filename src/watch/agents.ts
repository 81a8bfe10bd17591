import { z } from 'zod';
import type { AgentKey, CobrowseClient } from '../cobrowse/client.ts';
import { AGENT_UNKNOWN, CobrowseError, type CobrowseErrorKind } from '../cobrowse/errors.ts';
import { hasChanged, rowOf, sql, type Database } from '../database/database.ts';
import { inTime } from '../lifecycle/repeating.ts';
import type { App } from '../parts.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import type { LinkAgent } from '../sessions/session-poller.ts';

/** The service is asked again, beside a press, once what it said is this old. */
const FRESH_MS = 3 * 60 * 60 * 1_000;
/** A browser and Slack both wait longer; a person hardly. */
const USUAL_PATIENCE_MS = 10_000;
/** Longer than a press waits: the next press uses the answer. */
const LOOK_UP_MS = 60_000;

/** Who watches, to the service. The id is the same at every press: each new one costs a license. */
export interface AgentIdentity {
  readonly id: string;
  readonly name: string;
}

/** A Slack profile may show no email. */
interface WhoInSlack {
  readonly name: string | undefined;
  readonly email: string | undefined;
}

interface WhoInAccount {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

const KnownAgent = rowOf({
  /** What watch links name. */
  agentId: z.string(),
  name: z.string(),
  /** By which the service was asked; undefined where the profile showed none. */
  email: z.string().optional(),
  /** Milliseconds since 1970. */
  checkedAt: z.number(),
});
type KnownAgent = z.infer<typeof KnownAgent>;

const one = ({ workspaceId, accountId, userId }: WhoInAccount) =>
  sql`workspace_id = ${workspaceId} AND account_id = ${accountId} AND user_id = ${userId}`;

export async function recordedAgent(
  database: Pick<Database, 'read'>,
  key: WhoInAccount,
): Promise<KnownAgent | undefined> {
  const [known] = await database.read(
    sql`SELECT agent_id, name, email, checked_at FROM agents WHERE ${one(key)}`,
    KnownAgent,
  );
  return known;
}

/** False, and nothing is written, where what is recorded is no longer `before`. */
export async function recordAgent(
  database: Pick<Database, 'write'>,
  whose: WhoInAccount,
  { agentId, name, email, checkedAt }: KnownAgent,
  before: KnownAgent | undefined,
): Promise<boolean> {
  const { workspaceId, accountId, userId } = whose;
  const [written] = await database.write(
    before === undefined
      ? sql`INSERT INTO agents (workspace_id, account_id, user_id, agent_id, name, email, checked_at)
          VALUES (${workspaceId}, ${accountId}, ${userId}, ${agentId}, ${name}, ${email ?? null}, ${checkedAt})
          ON CONFLICT DO NOTHING`
      : sql`UPDATE agents SET agent_id = ${agentId}, name = ${name}, email = ${email ?? null}, checked_at = ${checkedAt}
          WHERE ${one(whose)} AND agent_id = ${before.agentId} AND checked_at = ${before.checkedAt}`,
  );
  return hasChanged(written);
}

/** For a Slack user without an account of the service. Stable and never shared: each new id costs a license. */
export const externalIdOf = (workspaceId: string, userId: string): string => `slack-${workspaceId}-${userId}`;

const slackName = (userId: string) => `Slack user ${userId}`;

const SAID_AS_IT_IS: ReadonlySet<CobrowseErrorKind> = new Set([
  'refused-key',
  'not-offered',
  'not-connected',
  'not-in-plan',
]);

/** What keeps the service from answering may pass; that it refuses the app is said in its own words. */
function asUnknown(error: unknown): unknown {
  if (!(error instanceof CobrowseError) || SAID_AS_IT_IS.has(error.kind)) return error;
  const { kind, status, message } = error;
  const words = `The service could not say which agent a Slack user is. ${message}`;
  return new CobrowseError(kind, words, { code: AGENT_UNKNOWN, status });
}

/** A workspace, as far as it's needed here. */
interface Account {
  readonly id: string;
  readonly accountId: string;
  readonly cobrowse: Pick<CobrowseClient, 'lookupAgent'> & {
    readonly offers: Pick<CobrowseClient['offers'], 'lookupAgent'>;
  };
}

interface AgentsParts extends Pick<App, 'database' | 'now'> {
  readonly profileOf: (workspaceId: string, userId: string) => Promise<WhoInSlack>;
  readonly colleagueOf: (
    workspaceId: string,
    userId: string,
  ) => Promise<Pick<WhoInSlack, 'name'> | undefined>;
}

interface AgentReports {
  readonly report: (error: unknown) => void;
  /** Called where somebody becomes another agent, by their ids. */
  readonly changed: (change: Omit<WhoInAccount, 'accountId'> & { from: string; to: string }) => void;
}

type Whose = Pick<Account, 'id' | 'accountId'>;

const whose = ({ id: workspaceId, accountId }: Whose, userId: string): WhoInAccount => ({
  accountId,
  workspaceId,
  userId,
});

/** Undefined where nobody in the account has this email. */
async function agentWith({ cobrowse }: Account, email: string, signal: AbortSignal) {
  try {
    // An installation without the cloud has no agents: there everyone is who Slack says they are.
    if (!cobrowse.offers.lookupAgent) return undefined;
    const limits = { timeoutMs: LOOK_UP_MS, signal };
    const found = await cobrowse.lookupAgent({ email }, limits);
    const names = [found.name, found.agent_nickname];
    return { id: found.id, name: names.find((name) => name?.trim()) ?? email };
  } catch (error) {
    if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** Looks people up in Slack and in the account, each once at a time. */
function createLookUps({ database, profileOf, now }: AgentsParts, { report, changed }: AgentReports) {
  const calledOff = new AbortController();
  const { signal } = calledOff;
  /** Only saves requests: what counts is the record. */
  const underWay = new Map<string, Promise<KnownAgent>>();

  async function lookUp(workspace: Account, userId: string, before: KnownAgent | undefined) {
    const key = whose(workspace, userId);
    const { workspaceId } = key;
    const profile = await profileOf(workspaceId, userId).catch((error: unknown) => {
      throw new RightUnknownError(error);
    });
    // Slack may stop showing emails: a person without one is still the same person.
    const email = profile.email ?? before?.email;
    const account = email === undefined ? undefined : await agentWith(workspace, email, signal);
    const agent: KnownAgent = {
      agentId: account?.id ?? externalIdOf(workspaceId, userId),
      name: account?.name ?? profile.name ?? slackName(userId),
      email,
      checkedAt: now(),
    };
    // Who was first is right: otherwise two presses at once could be two agents.
    if (!(await recordAgent(database, key, agent, before)))
      return (await recordedAgent(database, key)) ?? agent;
    if (before !== undefined && before.agentId !== agent.agentId)
      changed({ workspaceId, userId, from: before.agentId, to: agent.agentId });
    return agent;
  }

  async function lookUpOnce(workspace: Account, userId: string, before?: KnownAgent): Promise<KnownAgent> {
    if (signal.aborted) throw new CobrowseError('called-off', 'The app is stopping.');
    const name = `${workspace.id} ${userId}`;
    const running = underWay.get(name);
    if (running !== undefined) return running;
    const started = lookUp(workspace, userId, before).finally(() => underWay.delete(name));
    underWay.set(name, started);
    // Also where the press has stopped waiting.
    started.catch(report);
    return started;
  }

  /** Beside a press, which goes on with what is known: after hours, and where their profile shows another email by now. */
  async function refresh(workspace: Account, userId: string, known: KnownAgent): Promise<void> {
    const { email = known.email } = await profileOf(workspace.id, userId);
    if (email !== known.email || known.checkedAt + FRESH_MS <= now())
      await lookUpOnce(workspace, userId, known);
  }

  return {
    lookUpOnce,
    refresh,
    stop: async (): Promise<void> => {
      calledOff.abort();
      await Promise.allSettled(underWay.values());
    },
  };
}

export type Agents = ReturnType<typeof createAgents>;

/** Who people are to the service. `patienceMs` is how long a press waits where nothing is known yet. */
export function createAgents(parts: AgentsParts, reports: AgentReports, patienceMs = USUAL_PATIENCE_MS) {
  const { database, colleagueOf } = parts;
  const { lookUpOnce, refresh, stop } = createLookUps(parts, reports);

  return {
    /**
     * Immediately where it's known; every few hours the service is asked anew beside it. Somebody without an account there is
     * named by {@link externalIdOf}. Rejects with a CobrowseError: `agent-unknown` where the service can't say in time, another
     * code where it refuses the app; a RightUnknownError where Slack can't be asked for the profile; or a DatabaseError.
     */
    agentOf: async (workspace: Account, userId: string): Promise<AgentIdentity> => {
      try {
        const known = await recordedAgent(database, whose(workspace, userId));
        if (known) refresh(workspace, userId, known).catch(() => undefined);
        // The next press has the answer that comes too late for this one.
        const late = new CobrowseError('timed-out', 'The look-up takes longer than a press can wait.');
        const { agentId: id, name } =
          known ?? (await inTime(lookUpOnce(workspace, userId), patienceMs, late));
        return { id, name };
      } catch (error) {
        throw asUnknown(error);
      }
    },
    /** For the id in somebody's link: the email that found their account, otherwise the id. Rejects with a DatabaseError. */
    keyOf: async (
      workspace: Whose,
      { userId, agentId }: Pick<LinkAgent, 'userId' | 'agentId'>,
    ): Promise<AgentKey> => {
      const byId = { externalId: agentId };
      if (agentId === externalIdOf(workspace.id, userId)) return byId;
      const known = await recordedAgent(database, whose(workspace, userId));
      return known?.email === undefined ? byId : { email: known.email };
    },
    /** As the service says, or Slack. Never rejects. */
    nameOf: async (workspace: Whose, userId: string): Promise<string> => {
      const known = await recordedAgent(database, whose(workspace, userId)).catch(() => undefined);
      const colleague = known ?? (await colleagueOf(workspace.id, userId).catch(() => undefined));
      return colleague?.name ?? slackName(userId);
    },
    stop,
  };
}
