import { z } from 'zod';
import { getReadable } from '../storage/readable.ts';
import { newestFirst } from '../storage/newest-first.ts';
import type { Store } from '../storage/store.ts';
import { Fate } from './fate.ts';
import type { Conclusion, GrantEnd } from './fate.ts';
import { SessionEndGrant } from './grant.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

/** A link that somebody was given. The link itself is nowhere. */
const IssuedGrant = z.object({ grant: SessionEndGrant, issuedAt: z.number() });
export type IssuedGrant = z.infer<typeof IssuedGrant>;

/** A link that somebody was given, with what became of it where that is known. */
export type GivenGrant = IssuedGrant & { readonly fate?: Fate };

/** A link to a visitor's screen whose end nobody told of yet. */
const LinkInUse = z.object({
  userId: z.string(),
  visitorId: z.string(),
  grantId: z.string(),
  at: z.number(),
});
export type LinkInUse = z.infer<typeof LinkInUse>;

/** The links a person was given, newest first, and what became of them. Kept for a week. */
export interface GrantRecords {
  issued(grant: SessionEndGrant): Promise<void>;
  /** An end is the truth: it takes the place of whatever was concluded before. */
  ended(grant: SessionEndGrant, end: GrantEnd): Promise<void>;
  /** Only where nothing is known yet. */
  concluded(grant: SessionEndGrant, conclusion: Conclusion): Promise<void>;
  /** Undefined while nothing is known. */
  fateOf(grant: SessionEndGrant): Promise<Fate | undefined>;
  /** At most `limit`, newest first. */
  of(workspaceId: string, userId: string, limit: number): Promise<readonly GivenGrant[]>;
  /** The links to a visitor's screen given since a time, newest first, without those whose session has ended. */
  inUse(workspaceId: string, visitorId: string, since: number): Promise<readonly LinkInUse[]>;
}

interface GrantStores {
  readonly issued: Store;
  /** The same links by visitor. */
  readonly byVisitor: Store;
  readonly ends: Store;
}

const prefix = (workspaceId: string, id: string) => `${workspaceId}:${id}:`;
/** Nobody counts more people before one screen. */
const MOST_IN_USE = 50;

export function createGrantRecords(
  { issued, byVisitor, ends }: GrantStores,
  now: () => number,
): GrantRecords {
  const fateOf = async ({ grantId }: SessionEndGrant) =>
    Fate.safeParse(await getReadable(ends, grantId)).data;

  async function read(key: string): Promise<readonly GivenGrant[]> {
    const record = IssuedGrant.safeParse(await getReadable(issued, key));
    if (!record.success) return [];
    const fate = await fateOf(record.data.grant);
    return [fate === undefined ? record.data : { ...record.data, fate }];
  }

  return {
    async issued(grant) {
      const { workspaceId, userId, visitorId, grantId } = grant;
      const at = now();
      const age = newestFirst(at);
      const record: IssuedGrant = { grant, issuedAt: at };
      const link: LinkInUse = { userId, visitorId, grantId, at };
      await Promise.all([
        issued.set(`${prefix(workspaceId, userId)}${age}:${grantId}`, record, REMEMBERED_MS),
        byVisitor.set(`${prefix(workspaceId, visitorId)}${age}:${grantId}`, link, REMEMBERED_MS),
      ]);
    },
    ended: ({ grantId }, end) => ends.set(grantId, end, REMEMBERED_MS),
    concluded: async ({ grantId }, conclusion) => void (await ends.add(grantId, conclusion, REMEMBERED_MS)),
    fateOf,
    async inUse(workspaceId, visitorId, since) {
      const start = prefix(workspaceId, visitorId);
      const keys = (await byVisitor.keys(start, MOST_IN_USE)).filter((key) => key.startsWith(start));
      const links = await Promise.all(
        keys.map(async (key) => LinkInUse.safeParse(await getReadable(byVisitor, key)).data),
      );
      const recent = links
        .filter((link) => link !== undefined)
        .filter((link) => link.visitorId === visitorId && link.at >= since);
      const ended = await Promise.all(recent.map(({ grantId }) => getReadable(ends, grantId)));
      return recent.filter((_, index) => ended[index] === undefined);
    },
    async of(workspaceId, userId, limit) {
      const start = prefix(workspaceId, userId);
      const keys = (await issued.keys(start, limit)).filter((key) => key.startsWith(start));
      return (await Promise.all(keys.map(read))).flat();
    },
  };
}
