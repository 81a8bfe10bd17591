import { z } from 'zod';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';
import { SessionEndGrant } from './grant.ts';

const PAGE = 200;

/** A link that was given and whose session's end is not known yet. Ids and times only. */
export const OpenGrant = z.object({
  grant: SessionEndGrant,
  /** The agent that the service was told, by the id that was sent. */
  agentId: z.string(),
  /** Milliseconds since 1970, by our clock. */
  issuedAt: z.number(),
  /** When the link stops being valid, by the service's clock; left out where it did not say. */
  expiresAt: z.number().optional(),
});
export type OpenGrant = z.infer<typeof OpenGrant>;

/** The grants whose end is still waited for, durable. Opening and closing are one write each, and may be repeated. */
export interface OpenGrants {
  open(record: OpenGrant): Promise<void>;
  close(grant: SessionEndGrant): Promise<void>;
  /** Those of one Slack user. */
  of(workspaceId: string, userId: string): Promise<readonly OpenGrant[]>;
  /** All of them, a page at a time. */
  all(): AsyncGenerator<readonly OpenGrant[]>;
}

const prefix = (workspaceId: string, userId: string) => `${workspaceId}:${userId}:`;

export function createOpenGrants(store: Store): OpenGrants {
  /** A record that cannot be read is none: it must not keep the others from being looked after. */
  async function readOne(key: string): Promise<readonly OpenGrant[]> {
    const { data } = OpenGrant.safeParse(await getReadable(store, key));
    return data === undefined ? [] : [data];
  }

  const read = async (keys: readonly string[]) => (await Promise.all(keys.map(readOne))).flat();

  async function* pages(start: string): AsyncGenerator<readonly OpenGrant[]> {
    let last = start;
    for (;;) {
      const keys = await store.keys(last, PAGE);
      const own = keys.filter((key) => key.startsWith(start));
      if (own.length > 0) yield await read(own);
      const end = keys.at(-1);
      if (end === undefined || keys.length < PAGE || own.length < keys.length) return;
      last = end;
    }
  }

  return {
    open(record) {
      const { workspaceId, userId, grantId } = record.grant;
      return store.set(`${prefix(workspaceId, userId)}${grantId}`, record);
    },
    async close({ workspaceId, userId, grantId }) {
      await store.delete(`${prefix(workspaceId, userId)}${grantId}`);
    },
    async of(workspaceId, userId) {
      const found: OpenGrant[] = [];
      for await (const page of pages(prefix(workspaceId, userId))) found.push(...page);
      return found;
    },
    all: () => pages(''),
  };
}
