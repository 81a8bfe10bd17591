/**
 * What is kept of one namespace; `keyv-store.ts` makes a `Store` of it. Values are text, expiry is an absolute time in
 * whole milliseconds since 1970 or undefined for never. A record whose time is over is not there for anyone, whether or
 * not it has been removed yet. Everything rejects with a DatabaseError.
 */
export interface Table {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, expiresAt: number | undefined): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /** Writes only where nothing is; true when it did. One atomic step across processes. */
  add(key: string, value: string, expiresAt: number | undefined): Promise<boolean>;
  /** At most `limit` keys that sort after `after`, in order. */
  keys(after: string, limit: number): Promise<readonly string[]>;
}
