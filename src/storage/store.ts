import type { Database } from '../database/database.ts';

/** A place to keep records, durable when its storage is: what was written survives a kill once its promise resolved. */
export interface Store {
  /** The value, or undefined where there is none or its time is over. Values come back as JSON gives them: parse them. */
  get(key: string): Promise<unknown>;
  /** Writes the value; without `ttlMs` it stays until deleted. A `ttlMs` of zero or less is an error. */
  set(key: string, value: unknown, ttlMs?: number): Promise<void>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;
  /**
   * Puts the value only where none is, in one atomic step across processes: true for exactly one caller until
   * `leaseMs` is over or the key is deleted.
   */
  add(key: string, value: unknown, leaseMs?: number): Promise<boolean>;
  /** Up to `limit` living keys that sort after `after` (by code unit, '' for the first), in order: a cursor over any number. */
  keys(after: string, limit: number): Promise<readonly string[]>;
}

/** One database: its stores never see each other's keys. */
export interface Storage {
  /** The tables that it is a guest of. */
  readonly database: Database;
  /** The store of one kind of record, for example `summaries-waiting`. */
  store(namespace: string): Store;
  /** Proves that it can be written to; rejects where it cannot. */
  check(): Promise<void>;
  /** Waits for what is being written, then lets go of the file or connection. */
  close(): Promise<void>;
}
