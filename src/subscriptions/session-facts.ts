import { z } from 'zod';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';
import { byCount } from './session-counts.ts';
import type { CountedPeriod, SessionCounts } from './session-counts.ts';

/** A week, and the day that a digest may be late. */
const REMEMBERED_MS = 8 * 24 * 60 * 60 * 1_000;
const PAGE = 500;
const MOST_FEATURES = 20;
const LONGEST_FEATURE = 40;

/** What a digest counts of a session. Nothing of its visitor. */
const SessionFact = z.object({
  /** Who pressed Watch. */
  userId: z.string(),
  /** Undefined where it is not known. */
  seconds: z.number().optional(),
  features: z.array(z.string()),
  /**
   * When its end became known here, milliseconds since 1970. Digests go by it: an end may be found out when the digest
   * of its day has long been sent, and the service's clock may be another.
   */
  learnedAt: z.number(),
});
type SessionFact = z.infer<typeof SessionFact>;

/** The sessions of the last days, as numbers. */
export interface SessionFacts {
  /** Once a summary, however often its session's end is told. @param id of its delivery */
  add(id: string, fact: SessionFact): Promise<void>;
  /** Those whose end became known from `from` on and before `to`. */
  count(workspaceId: string, period: CountedPeriod): Promise<SessionCounts>;
}

/** How many there are of each. */
function counted(names: readonly string[]) {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return byCount(counts);
}

const countsOf = (facts: readonly SessionFact[], { to, starts }: CountedPeriod): SessionCounts => ({
  sessions: facts.length,
  seconds: facts.reduce((sum, { seconds = 0 }) => sum + seconds, 0),
  users: counted(facts.map(({ userId }) => userId)),
  features: counted(facts.flatMap(({ features }) => [...new Set(features)])),
  bars: starts.map((start, index) => {
    const end = starts[index + 1] ?? to;
    return facts.filter(({ learnedAt }) => learnedAt >= start && learnedAt < end).length;
  }),
});

export function createSessionFacts(store: Store): SessionFacts {
  return {
    async add(id, { features, ...fact }) {
      const few = features
        .slice(0, MOST_FEATURES)
        .map((name) => name.slice(0, LONGEST_FEATURE).toWellFormed());
      await store.add(id, { ...fact, features: few }, REMEMBERED_MS);
    },

    async count(workspaceId, period) {
      const { from, to } = period;
      const start = `${workspaceId}:`;
      const found: SessionFact[] = [];
      for (let after = start; ;) {
        const keys = (await store.keys(after, PAGE)).filter((key) => key.startsWith(start));
        for (const key of keys) {
          const fact = SessionFact.safeParse(await getReadable(store, key)).data;
          if (fact !== undefined && fact.learnedAt >= from && fact.learnedAt < to) found.push(fact);
        }
        const last = keys.at(-1);
        if (last === undefined) return countsOf(found, period);
        after = last;
      }
    },
  };
}
