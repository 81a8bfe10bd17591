import { LRUCache } from 'lru-cache';
import type { Viewer } from '../commands/caller.ts';
import { hasCome } from '../database/row-times.ts';

/** Home is drawn again and again: showing the same person the same thing is recorded once in this time. */
const ON_RECORD_MS = 10 * 60 * 1_000;
const MOST_VIEWERS = 1_000;

/**
 * Whether a viewer was shown the same a short while ago; remembers it if not. Memory is enough: at worst another process
 * records it once more.
 *
 * @param now milliseconds since 1970
 */
export function createRecently(now: () => number) {
  const shown = new LRUCache<string, { readonly what: string; readonly until: number }>({
    max: MOST_VIEWERS,
  });
  return function recently({ workspaceId, userId }: Viewer, what: string): boolean {
    const key = `${workspaceId} ${userId}`;
    const last = shown.get(key);
    if (last?.what === what && !hasCome(last.until, now(), ON_RECORD_MS)) return true;
    shown.set(key, { what, until: now() + ON_RECORD_MS });
    return false;
  };
}
