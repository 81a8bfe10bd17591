import type { Store } from '../storage/store.ts';

/** Writes down who deleted what, for good. */
export type RecordDeletion = (
  who: { readonly workspaceId: string; readonly userId: string },
  what: string,
  count: number | undefined,
) => Promise<void>;

interface DeletionParts {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
}

export function createDeletionRecord({ store, now, newId }: DeletionParts): RecordDeletion {
  return async function record({ workspaceId, userId }, what, count) {
    const at = now();
    await store.set(`${workspaceId}:${at}:${newId()}`, {
      userId,
      what,
      at,
      ...(count === undefined ? {} : { count }),
    });
  };
}
