import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { startOwnPooler } from '../support/own-pooler.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { openPostgresGate } from '../support/postgres-gate.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { Store } from './store.ts';

const WAIT_FOR_LOCK_MS = 500;
/** Whoever is told that it's committed has it on the disk. */
const DURABLE = ['fsync=on', 'synchronous_commit=on'];

/** Lets nobody change a table of the app until the action is done: who tries waits, and gives up in the end. */
async function holdTables(url: string, action: () => Promise<unknown>): Promise<void> {
  const server = new pg.Client({ connectionString: url });
  server.on('error', () => undefined);
  try {
    await server.connect();
    const { rows } = await server.query<{ readonly name: string }>(
      `SELECT string_agg(quote_ident(tablename), ', ') AS name FROM pg_tables WHERE schemaname = current_schema()`,
    );
    await server.query(`BEGIN; SET LOCAL lock_timeout = ${WAIT_FOR_LOCK_MS}`);
    await server.query(`LOCK TABLE ${rows[0]?.name} IN EXCLUSIVE MODE`);
  } catch {
    // The app was writing all the while, and goes on; or the server is away.
  }
  await action();
  await server.end().catch(() => undefined);
}

/** A PostgreSQL server of its own, with a network of its own to each process, and a pooler before it or none. */
export async function openServerStore(processes: number, isPooled: boolean): Promise<Store> {
  const server = await startOwnPostgres(DURABLE);
  const pooler = isPooled ? await startOwnPooler(server.url) : undefined;
  const gates = await Promise.all(
    Array.from({ length: processes }, () => openPostgresGate(new URL(pooler?.url ?? server.url))),
  );
  let last = Promise.resolve();
  /** One thing at a time happens to the server. */
  const inTurn = (action: () => Promise<void>): Promise<void> => (last = last.then(action));

  const losePower = (awayMs = 0) =>
    inTurn(async () => {
      await server.kill();
      await pause(awayMs);
      await server.start();
    });
  /** Between one of them and the server, or all. */
  const someGates = (chance: Chance) => (chance.happens(0.5) ? gates : [chance.pick(gates)]);

  const faults: Faults = {
    'server killed': { weight: 2, befall: (_, chance) => losePower(chance.whole(0, 3_000)) },
    'server paused': {
      weight: 1,
      befall: (_, chance) =>
        inTurn(async () => {
          server.freeze();
          await pause(chance.whole(500, 8_000));
          server.thaw();
        }),
    },
    'network cut': {
      weight: 2,
      async befall(_, chance) {
        const cut = someGates(chance);
        cut.forEach((gate) => gate.shut());
        await pause(chance.whole(0, 3_000));
        cut.forEach((gate) => gate.reopen());
      },
    },
    'network silent': {
      weight: 1,
      async befall(_, chance) {
        const muted = someGates(chance);
        muted.forEach((gate) => gate.mute());
        await pause(chance.whole(500, 8_000));
        muted.forEach((gate) => gate.unmute());
      },
    },
  };

  return {
    kind: 'server',
    url: server.url,
    urlFor: (process) => gates[process]?.url ?? server.url,
    hold: (action) => holdTables(server.url, action),
    async cutOff(action) {
      gates.forEach((gate) => gate.shut());
      await action();
      gates.forEach((gate) => gate.reopen());
    },
    losePower: () => losePower(),
    faults,
    path: server.data,
    leftOut: [],
    async close(isKept) {
      gates.forEach((gate) => gate.close());
      await pooler?.close();
      await server.close(isKept);
    },
  };
}
