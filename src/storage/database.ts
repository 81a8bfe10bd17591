/**
 * What a kind of database offers for one namespace; `keyv-store.ts` makes a `Store` of it. Values are text, expiry is
 * an absolute time in whole milliseconds since 1970 or undefined for never. A record whose time is over is not there
 * for anyone, whether or not it has been removed yet. Everything rejects with a StorageError.
 *
 * The same in Redis, so that no function here needs more than it can do in one atomic step (`MULTI`), with a sorted
 * set per namespace, all scores 0, as the index:
 * `get` is `GET`; `set` is `SET [PXAT]` and `ZADD`; `delete` is `DEL` and `ZREM`; `add` is `SET NX [PXAT]` and `ZADD`
 * (repeating the `ZADD` of a key that is there changes nothing); `keys` is `ZRANGEBYLEX (after + LIMIT`, which sorts
 * as SQLite does, then `EXISTS` and a `ZREM` of what has expired; `close` is `QUIT`.
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

/** An open database: one connection, shared by all its tables. */
export interface Database {
  table(namespace: string): Table;
  /** Finishes the writes that were begun, then closes; what comes later rejects as `closed`. A second call does nothing. */
  close(): Promise<void>;
}
