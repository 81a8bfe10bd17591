import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { Database } from './database.ts';
import { connectionTo } from './postgres-connection.ts';

const BETWEEN_TRIES_MS = 1_000;
/** Notifications take milliseconds, and a connection that listens a few more to be made. */
const HEARD_WITHIN_MS = 3_000;
const SAID_EVERY_MS = 250;
const HEARING = 'hearing';

const listenTo = (client: pg.Client, topic: string) =>
  client.query(`LISTEN ${client.escapeIdentifier(topic)}`);

interface PostgresHints extends Pick<Database, 'listen'> {
  /** Listens over another connection: the one there is may have been forgotten by the network or the server. */
  readonly renew: () => void;
  /** Whether a hint comes back that's sent by `notify`. Where none does, it listens over another connection. */
  readonly hears: (notify: Database['notify']) => Promise<boolean>;
  readonly close: () => void;
}

/**
 * Hears the NOTIFYs of all processes over a separate connection, opened for the first listener and reopened when it
 * breaks. Hints sent in between are lost, as hints may be.
 */
export function createPostgresHints(url: string, keptAliveAfterMs: number): PostgresHints {
  const Connection = connectionTo(url);
  const heard = new EventEmitter().setMaxListeners(0);
  const topics = new Set<string>();
  let connection: pg.Client | undefined;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function connect(): Promise<void> {
    const client = new Connection({
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

  function listen(topic: string, listener: (text: string) => void): () => void {
    heard.on(`topic ${topic}`, listener);
    if (!topics.has(topic)) {
      topics.add(topic);
      if (connection === undefined) void connect();
      else listenTo(connection, topic).catch(() => undefined);
    }
    return () => heard.off(`topic ${topic}`, listener);
  }

  return {
    renew,
    listen,
    async hears(notify) {
      const word = randomUUID();
      const { promise: back, resolve } = Promise.withResolvers<boolean>();
      const stopListening = listen(HEARING, (text) => text === word && resolve(true));
      // Again and again: the first ones may come before anybody listens.
      const saying = setInterval(() => notify(HEARING, word), SAID_EVERY_MS);
      const patience = setTimeout(() => resolve(false), HEARD_WITHIN_MS);
      const isHeard = await back;
      clearInterval(saying);
      clearTimeout(patience);
      stopListening();
      if (!isHeard) renew();
      return isHeard;
    },
    close() {
      isClosed = true;
      clearTimeout(again);
      renew();
    },
  };
}
