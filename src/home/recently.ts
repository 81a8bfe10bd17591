import { LRUCache } from 'lru-cache';
import type { Viewer } from './viewer.ts';

/** A Home is drawn again and again: what is shown again to the same person is on record for so long. */
const ON_RECORD_MS = 10 * 60 * 1_000;
const MOST_VIEWERS = 1_000;

/**
 * Whether the same was shown to a viewer a short while ago; remembers it where not. In memory is enough: another process
 * writes the same once more.
 *
 * @param now milliseconds since 1970
 */
export function createRecently(now: () => number) {
  const shown = new LRUCache<string, { readonly what: string; readonly at: number }>({ max: MOST_VIEWERS });
  return function recently({ workspaceId, userId }: Viewer, what: string): boolean {
    const key = `${workspaceId} ${userId}`;
    const last = shown.get(key);
    if (last?.what === what && now() - last.at < ON_RECORD_MS) return true;
    shown.set(key, { what, at: now() });
    return false;
  };
}
