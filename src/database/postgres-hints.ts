import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { Database } from './database.ts';

const BETWEEN_TRIES_MS = 1_000;

const listenTo = (client: pg.Client, topic: string) =>
  client.query(`LISTEN ${client.escapeIdentifier(topic)}`);

interface PostgresHints extends Pick<Database, 'listen'> {
  /** Listens over another connection: the one there is may have been forgotten by the network or the server. */
  readonly renew: () => void;
  readonly close: () => void;
}

/**
 * Hears the NOTIFYs of all processes over a separate connection, opened for the first listener and reopened when it
 * breaks. Hints sent in between are lost, as hints may be.
 */
export function createPostgresHints(url: string, keptAliveAfterMs: number): PostgresHints {
  const heard = new EventEmitter().setMaxListeners(0);
  const topics = new Set<string>();
  let connection: pg.Client | undefined;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'cobrowse-for-slack hints',
      keepAlive: true,
      keepAliveInitialDelayMillis: keptAliveAfterMs,
      // Sends the LISTENs of all topics in one go.
      pipeline: true,
    });
    connection = client;
    client.on('error', () => undefined);
    client.on('end', connectLater);
    client.on('notification', ({ channel, payload }) => heard.emit(`topic ${channel}`, payload ?? ''));
    try {
      await client.connect();
      await Promise.all([...topics].map((topic) => listenTo(client, topic)));
    } catch {
      // If it broke, `end` already came as an event; if it never connected, this makes one.
      await client.end().catch(() => undefined);
      connectLater();
    }
  }

  function connectLater(): void {
    connection = undefined;
    if (isClosed) return;
    clearTimeout(again);
    again = setTimeout(() => void connect(), BETWEEN_TRIES_MS);
    again.unref();
  }

  // Not ended, which waits for a server that may never answer.
  const renew = () => void connection?.connection.stream.destroy();

  return {
    renew,
    listen(topic, listener) {
      heard.on(`topic ${topic}`, listener);
      if (!topics.has(topic)) {
        topics.add(topic);
        if (connection === undefined) void connect();
        else listenTo(connection, topic).catch(() => undefined);
      }
      return () => heard.off(`topic ${topic}`, listener);
    },
    close() {
      isClosed = true;
      clearTimeout(again);
      renew();
    },
  };
}
