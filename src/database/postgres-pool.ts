import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { ANSWER_WITHIN_MS } from './postgres-statements.ts';

/** The driver returns bigint as text. Ours are times and counts, which fit a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
};

const lastRead = new Map<string, pg.ClientConfig>();

/** Also reads the files of certificates that it names. @throws the first time, where one can't be read */
function readAddress(url: string): pg.ClientConfig | undefined {
  try {
    lastRead.set(url, parseIntoClientConfig(url));
  } catch (error) {
    if (!lastRead.has(url)) throw error;
  }
  return lastRead.get(url);
}

/**
 * The driver reads an address's files for each connection, where an error would end the process: one that's gone, as while
 * it's replaced, counts as it was.
 */
export const connectionTo = (url: string) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      // Networks forget connections that are quiet for a few minutes, and tell nobody.
      super({ keepAlive: true, keepAliveInitialDelayMillis: 60_000, ...config, ...readAddress(url) });
    }
  };

/** @param most connections at once */
export function createPool(url: string, most: number): pg.Pool {
  const pool = new pg.Pool({
    Client: connectionTo(url),
    max: most,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    application_name: 'cobrowse-for-slack',
    // A transaction's statements go in one round trip.
    pipeline: true,
    types,
  });
  // A connection that breaks leaves the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  return pool;
}
