import { Keyv } from 'keyv';
import type { Table } from './table.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Store } from './store.ts';

// Keyv's own serializer turns some strings into Buffers and BigInts; what is stored here is plain JSON.
const json = {
  stringify: (record: unknown): string => JSON.stringify(record),
  parse: (text: string) => JSON.parse(text),
};

/**
 * Builds a store on the table of one namespace.
 *
 * `now` gives milliseconds since 1970. Keyv reckons a ttl with the system clock, so the time of expiry is reckoned
 * here and handed to Keyv, and Keyv's own check of it is off: the table leaves out what has expired.
 * @throws TypeError (by rejecting) for a key that is empty or not well-formed, and for a value that JSON cannot hold.
 * @throws RangeError (by rejecting) for a ttl, lease or limit that is not above zero.
 * @throws DatabaseError (by rejecting) when the database fails.
 */
export function createKeyvStore(table: Table, now: () => number): Store {
  // Keyv rejects with the table's error only while nobody listens to its `error` event: it stays inside here.
  const keyv = new Keyv<unknown>({ store: keyvAdapter(table), serialization: json, checkExpired: false });
  return {
    async get(key) {
      requireKey(key);
      return keyv.get(key).catch(rejectUnreadable);
    },
    async set(key, value, ttlMs) {
      requireKey(key);
      requireValue(value);
      await keyv.setRaw(key, { value, expires: expiry(ttlMs, now) });
    },
    async delete(key) {
      requireKey(key);
      return keyv.delete(key);
    },
    async add(key, value, leaseMs) {
      requireKey(key);
      requireValue(value);
      // Keyv has no such operation: this is the form in which its `setRaw` stores a value.
      const expires = expiry(leaseMs, now);
      return table.add(key, json.stringify({ value, expires }), expires);
    },
    async keys(after, limit) {
      if (!Number.isInteger(limit) || limit < 1)
        throw new RangeError('The limit must be a whole number above 0');
      return table.keys(after, limit);
    },
  };
}

function keyvAdapter(table: Table) {
  return {
    // Says that `set` takes a time of expiry; without it Keyv puts a bridge in between that deletes on read.
    capabilities: { expires: true },
    get: (key: string) => table.get(key),
    delete: (key: string) => table.delete(key),
    set: async (key: string, value: string, expiresAt?: number) => {
      await table.set(key, value, expiresAt);
      return true;
    },
  };
}

function expiry(ttlMs: number | undefined, now: () => number): number | undefined {
  if (ttlMs === undefined) return undefined;
  if (!Number.isFinite(ttlMs) || ttlMs <= 0) throw new RangeError('The time to live must be above 0 ms');
  return Math.ceil(now() + ttlMs);
}

function requireKey(key: string): void {
  // Databases hold keys as UTF-8, in which all lone surrogates are the same character.
  if (key === '' || !key.isWellFormed()) throw new TypeError('A key must be well-formed text and not empty');
}

function requireValue(value: unknown): void {
  if (['undefined', 'function', 'symbol'].includes(typeof value)) {
    throw new TypeError('A value must be something that JSON can hold');
  }
}

function rejectUnreadable(error: unknown): never {
  throw error instanceof DatabaseError ? error : new DatabaseError('corrupt', error);
}
