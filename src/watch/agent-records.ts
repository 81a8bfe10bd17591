import { z } from 'zod';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

/** Who a Slack user is to the service, as it last said. */
export interface KnownAgent {
  /** What watch links name. */
  readonly id: string;
  readonly name: string;
  /** By which the service was asked; left out where the profile showed none. */
  readonly email?: string;
  /** Milliseconds since 1970. */
  readonly checkedAt: number;
}

/** A Slack user in an account of the service: with another account, everybody is somebody else. */
export interface AgentKey {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

/** Who is whom, kept until it changes. */
export interface AgentRecords {
  get(key: AgentKey): Promise<KnownAgent | undefined>;
  /** False, and nothing is written, where what is kept is no longer `before`. */
  putIfUnchanged(key: AgentKey, agent: KnownAgent, before: KnownAgent | undefined): Promise<boolean>;
}

export const KnownAgentRow = z
  .object({ agent_id: z.string(), name: z.string(), email: z.string().nullable(), checked_at: z.number() })
  .transform(({ agent_id: id, name, email, checked_at: checkedAt }): KnownAgent => ({
    id,
    name,
    ...(email === null ? {} : { email }),
    checkedAt,
  }));

const one = ({ workspaceId, accountId, userId }: AgentKey) =>
  sql`workspace_id = ${workspaceId} AND account_id = ${accountId} AND user_id = ${userId}`;

/** The statement that looks up who somebody is; {@link KnownAgentRow} reads its row. */
export const selectAgent = (key: AgentKey): Sql =>
  sql`SELECT agent_id, name, email, checked_at FROM agents WHERE ${one(key)}`;

export function createAgentRecords(database: Database): AgentRecords {
  return {
    async get(key) {
      const [known] = await database.read(selectAgent(key), KnownAgentRow);
      return known;
    },
    async putIfUnchanged(key, { id, name, email, checkedAt }, before) {
      const { workspaceId, accountId, userId } = key;
      const [written] = await database.write(
        before === undefined
          ? sql`INSERT INTO agents (workspace_id, account_id, user_id, agent_id, name, email, checked_at)
              VALUES (${workspaceId}, ${accountId}, ${userId}, ${id}, ${name}, ${email ?? null}, ${checkedAt})
              ON CONFLICT DO NOTHING`
          : sql`UPDATE agents SET agent_id = ${id}, name = ${name}, email = ${email ?? null},
                checked_at = ${checkedAt}
              WHERE ${one(key)} AND agent_id = ${before.id} AND checked_at = ${before.checkedAt}`,
      );
      return hasChanged(written);
    },
  };
}
