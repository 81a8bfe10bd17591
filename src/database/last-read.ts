import { LRUCache } from 'lru-cache';
import { DatabaseError } from './database.ts';

const KNOWN_FOR_MS = 60 * 60 * 1_000;

type LastRead<Value> = (workspaceId: string, id: string) => Promise<Value>;

interface LastReadParts<Value> {
  /** Rejects with a DatabaseError. */
  readonly read: LastRead<Value>;
  /** What counts if nothing was read so far; without it, that rejects. */
  readonly otherwise?: (id: string) => Value;
  /** Milliseconds, of a clock that nobody sets. */
  readonly elapsed: () => number;
}

/** For what has to work without a database, like ending a session. Links never depend on it: `watch/link-requests.ts` reads. */
export function createLastRead<Value>({ read, otherwise, elapsed }: LastReadParts<Value>): LastRead<Value> {
  // `max` would take the memory for all of them at once.
  const known = new LRUCache<string, { readonly value: Value; readonly readAt: number }>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
  });
  return async function readOrRemember(workspaceId, id) {
    const key = `${workspaceId} ${id}`;
    const readAt = elapsed();
    try {
      const value = await read(workspaceId, id);
      known.set(key, { value, readAt });
      return value;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const last = known.get(key);
      if (last !== undefined && readAt - last.readAt <= KNOWN_FOR_MS) return last.value;
      if (otherwise !== undefined) return otherwise(id);
      throw error;
    }
  };
}
