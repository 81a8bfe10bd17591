import { z } from 'zod';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';

/** Who a Slack user is to the service, as it last said. */
export const KnownAgent = z.object({
  /** What watch links name. */
  id: z.string().min(1),
  name: z.string().min(1),
  /** By which the service was asked; left out where the profile showed none. */
  email: z.string().optional(),
  /** Milliseconds since 1970. */
  checkedAt: z.number(),
});
export type KnownAgent = z.infer<typeof KnownAgent>;

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

/** A change takes a few milliseconds: one that was killed in between holds the next up for this long. */
const CHANGE_LEASE_MS = 10_000;

const keyOf = ({ accountId, workspaceId, userId }: AgentKey) => `${accountId}:${workspaceId}:${userId}`;

export function createAgentRecords(store: Store): AgentRecords {
  const get = async (key: AgentKey) => KnownAgent.safeParse(await getReadable(store, keyOf(key))).data;

  return {
    get,
    async putIfUnchanged(key, agent, before) {
      const lock = `changing:${keyOf(key)}`;
      if (!(await store.add(lock, true, CHANGE_LEASE_MS))) return false;
      try {
        const current = await get(key);
        if (current?.id !== before?.id || current?.checkedAt !== before?.checkedAt) return false;
        await store.set(keyOf(key), agent);
        return true;
      } finally {
        await store.delete(lock);
      }
    },
  };
}
