import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { SessionEndGrant } from './grant.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;
/** Larger than any time in milliseconds that will be: the newest record has the smallest key. */
const FAR_FUTURE = 10 ** 14;

/** A link that somebody was given. The link itself is nowhere. */
const IssuedGrant = z.object({ grant: SessionEndGrant, issuedAt: z.number() });
export type IssuedGrant = z.infer<typeof IssuedGrant>;

/** How the session of a grant ended, as far as the service told. */
const GrantEnd = z.object({
  sessionId: z.string(),
  endedAt: z.number(),
  lengthSeconds: z.number().optional(),
});
export type GrantEnd = z.infer<typeof GrantEnd>;

/** The links a person was given, newest first, and what became of them. Kept for a week. */
export interface GrantRecords {
  issued(grant: SessionEndGrant): Promise<void>;
  ended(grant: SessionEndGrant, end: GrantEnd): Promise<void>;
  /** At most `limit`, newest first; without an end where none was told. */
  of(
    workspaceId: string,
    userId: string,
    limit: number,
  ): Promise<readonly (IssuedGrant & { readonly end?: GrantEnd })[]>;
}

interface GrantStores {
  readonly issued: Store;
  readonly ends: Store;
}

const prefix = (workspaceId: string, userId: string) => `${workspaceId}:${userId}:`;

export function createGrantRecords({ issued, ends }: GrantStores, now: () => number): GrantRecords {
  async function read(key: string): Promise<readonly (IssuedGrant & { readonly end?: GrantEnd })[]> {
    const record = IssuedGrant.safeParse(await issued.get(key));
    if (!record.success) return [];
    const end = GrantEnd.safeParse(await ends.get(record.data.grant.grantId));
    return [end.success ? { ...record.data, end: end.data } : record.data];
  }

  return {
    async issued(grant) {
      const { workspaceId, userId, grantId } = grant;
      const age = String(FAR_FUTURE - now()).padStart(15, '0');
      const record: IssuedGrant = { grant, issuedAt: now() };
      await issued.set(`${prefix(workspaceId, userId)}${age}:${grantId}`, record, REMEMBERED_MS);
    },
    ended: ({ grantId }, end) => ends.set(grantId, end, REMEMBERED_MS),
    async of(workspaceId, userId, limit) {
      const start = prefix(workspaceId, userId);
      const keys = (await issued.keys(start, limit)).filter((key) => key.startsWith(start));
      return (await Promise.all(keys.map(read))).flat();
    },
  };
}
