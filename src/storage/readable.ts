import { DatabaseError } from '../database/errors.ts';
import type { Store } from './store.ts';

/**
 * What a store holds under a key, where a damaged record counts as none: one must not keep the others from being looked
 * after. Everything else that the store fails with is thrown, since a busy store is no empty one.
 */
export async function getReadable(store: Pick<Store, 'get'>, key: string): Promise<unknown> {
  try {
    return await store.get(key);
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'corrupt') return undefined;
    throw error;
  }
}
