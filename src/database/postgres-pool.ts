import pg from 'pg';
import { connectionTo } from './postgres-connection.ts';
import { ANSWER_WITHIN_MS } from './postgres-limit.ts';

/** Networks forget connections that are quiet for a few minutes, and tell nobody. */
export const KEPT_ALIVE_AFTER_MS = 60_000;

/** The driver returns bigint as text. Ours are times and counts, which fit a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
};

/** Connections to the server. */
export interface Pool {
  /** One that's free, once there is one. It's released as the driver says. Rejects with the driver's errors. */
  connect(): Promise<pg.PoolClient>;
  /** From now on only new connections are given out: those there are may lead nowhere, or to a server that has stepped down. */
  renew(): void;
  end(): Promise<void>;
}

/** @param most so many at once */
export function createPool(url: string, most: number): Pool {
  const pool = new pg.Pool({
    Client: connectionTo(url),
    max: most,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    application_name: 'cobrowse-for-slack',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEPT_ALIVE_AFTER_MS,
    // Sends a transaction's statements in one go: one round trip instead of one each.
    pipeline: true,
    types,
  });
  let trusted = new WeakSet<pg.PoolClient>();
  // An idle connection that breaks leaves the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (connection) => {
    trusted.add(connection);
    connection.on('error', () => undefined);
  });
  return {
    async connect() {
      for (;;) {
        const connection = await pool.connect();
        if (trusted.has(connection)) return connection;
        connection.release(true);
      }
    },
    renew: () => void (trusted = new WeakSet()),
    end: () => pool.end(),
  };
}
