import { isoTime } from './time.ts';
import { visitorFromSeed, type SeedVisitor, type Visitor } from './visitor.ts';

const longestHistory = 50;

/** The visitors of the account, kept in memory. */
export interface Visitors {
  readonly add: (seed: SeedVisitor) => void;
  readonly find: (visitorId: string) => Visitor | undefined;
  /** All visitors: online ones first, then the most recently seen. */
  readonly latest: () => readonly Visitor[];
  /** Throws on an unknown visitor. */
  readonly setOnline: (visitorId: string, isOnline: boolean) => void;
  /** One of the visitor's pages connects, or the last of them disconnects. Throws on an unknown visitor. */
  readonly setPage: (visitorId: string, hasPage: boolean) => void;
  /** The visitor opens a page. Throws on an unknown visitor. */
  readonly visit: (visitorId: string, url: string) => void;
  readonly remove: (visitorId: string) => void;
}

/** An empty set of visitors; `now` gives the times it records. */
export function createVisitors(now: () => Date): Visitors {
  const byId = new Map<string, Visitor>();

  function change(visitorId: string, changes: Partial<Visitor>) {
    const visitor = byId.get(visitorId);
    if (!visitor) throw new Error(`No visitor ${visitorId} in the stand-in service`);
    byId.set(visitorId, { ...visitor, lastSeenAt: now(), ...changes });
  }

  return {
    add: (seed) => byId.set(seed.short_id, visitorFromSeed(seed, now())),
    find: (visitorId) => byId.get(visitorId),
    latest: () => [...byId.values()].toSorted(latestFirst),
    setOnline: (visitorId, isOnline) => change(visitorId, { isThere: isOnline, isOnline }),
    setPage: (visitorId, hasPage) =>
      change(visitorId, { hasPage, isOnline: hasPage || byId.get(visitorId)?.isThere === true }),
    visit(visitorId, url) {
      const seen = byId.get(visitorId)?.history ?? [];
      const history = [...seen, { url, viewed_at: isoTime(now()) }].slice(-longestHistory);
      change(visitorId, { lastUrl: url, history });
    },
    remove: (visitorId) => byId.delete(visitorId),
  };
}

function latestFirst(one: Visitor, other: Visitor): number {
  const byPresence = Number(other.isOnline) - Number(one.isOnline);
  return byPresence || other.lastSeenAt.getTime() - one.lastSeenAt.getTime();
}
