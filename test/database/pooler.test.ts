import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { storeChecks } from '../../src/admin/check-store.ts';
import { sql } from '../../src/database/database.ts';
import { openDatabase, openForServing } from '../../src/database/open.ts';
import { doEverything } from '../promise/everything.ts';
import { openWatchedWorld } from '../promise/watched-world.ts';
import { hasPostgres, postgresql } from '../support/engines.ts';
import { pgbouncerPath } from '../support/machine.ts';
import { startOwnPooler } from '../support/own-pooler.ts';
import { holdTable } from './held-table.ts';

/** A new database, through a pooler of its own. */
async function behindPooler(mode?: 'session') {
  const serverUrl = await postgresql.newUrl();
  const pooler = await startOwnPooler(serverUrl, mode);
  onTestFinished(() => pooler.close());
  return { serverUrl, url: pooler.url };
}

async function open(url: string) {
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  return database;
}

const doctorOf = async (database: Awaited<ReturnType<typeof open>>) => {
  const checks = storeChecks({
    check: () => database.check(),
    hears: () => database.hears(),
    file: undefined,
    isNew: false,
  });
  return (await Promise.all(checks.map((one) => one.run()))).flat();
};

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(!hasPostgres || pgbouncerPath === undefined)('PgBouncer in transaction mode', () => {
  it('carries the writes of several processes, of which none fails', async () => {
    const { url } = await behindPooler();
    const [one, other] = [await open(url), await open(url)];
    await one.write(
      sql`CREATE TABLE counts (id BIGINT PRIMARY KEY, n BIGINT)`,
      sql`INSERT INTO counts VALUES (1, 0)`,
    );
    const add = sql`UPDATE counts SET n = n + ${1} WHERE id = ${1}`;
    const seen = sql`SELECT n FROM counts WHERE id = ${1}`;
    const Count = z.object({ n: z.number() });
    const work = Array.from({ length: 90 }, (_, index) => {
      const database = index % 2 === 0 ? one : other;
      if (index % 3 === 0) return database.write(add);
      return index % 3 === 1 ? database.write(seen, add) : database.writeIf(add, seen);
    });
    await Promise.all([...work, ...work.map(() => one.read(seen, Count))]);

    expect(await other.read(seen, Count)).toEqual([{ n: 90 }]);
  });

  it('passes on that what waits for a lock is given up', async () => {
    const { serverUrl, url } = await behindPooler();
    const database = await open(url);
    await database.write(sql`CREATE TABLE pairs (a BIGINT)`);
    const { waiting, release } = await holdTable(serverUrl, 'pairs');

    await expect(database.write(sql`INSERT INTO pairs VALUES (1)`)).rejects.toMatchObject({ kind: 'locked' });
    expect(await waiting()).toBe(0);
    await release();
    expect(await database.write(sql`SELECT 1`)).toHaveLength(1);
  });

  it('keeps the notifications, which the log and doctor say', async () => {
    const { url } = await behindPooler();
    const { promise: said, resolve: say } = Promise.withResolvers<boolean>();
    const served = await openForServing(url, { onWait: () => undefined, waitMs: 0, hearing: say });
    onTestFinished(() => served.close());

    expect(await said).toBe(false);
    expect(await doctorOf(served)).toMatchObject([
      { state: 'warning', says: expect.stringMatching(/LISTEN.* connection pooler /) },
    ]);
  });

  it('passes the notifications on in session mode', async () => {
    const { url } = await behindPooler('session');
    expect(await doctorOf(await open(url))).toMatchObject([{ state: 'ok' }]);
  });

  it('carries everything people do, with presses at one process and pages at another', async () => {
    const { url } = await behindPooler();
    const world = await openWatchedWorld({ storeUrl: url });
    const app = await world.start();
    const beside = await world.startBeside();
    world.slack.setRequestUrl(`${beside.publicUrl}/slack/events`);
    await doEverything(world);
    for (const one of [app, beside.app]) {
      await one.said('a connection pooler in transaction mode keeps them');
      one.askToStop();
      expect(await one.ended()).toBe(0);
      expect(
        one
          .output()
          .split('\n')
          .filter((line) => line.includes('DatabaseError')),
      ).toEqual([]);
    }
  });
});
