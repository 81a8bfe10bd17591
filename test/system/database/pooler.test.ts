import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { journeys } from '../promise/journeys.ts';
import { openWatchedWorld } from '../promise/watched-world.ts';
import { hasPostgres, openUntilTestEnds, postgresql } from '../../support/engines.ts';
import { pgbouncerPath } from '../../support/machine.ts';
import { startOwnPooler } from '../../support/own-pooler.ts';
import { holdTable } from '../../database/held-table.ts';

/** A new database, through a pooler of its own. */
async function behindPooler() {
  const serverUrl = await postgresql.newUrl();
  const pooler = await startOwnPooler(serverUrl);
  onTestFinished(() => pooler.close());
  return { serverUrl, url: pooler.url };
}

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(!hasPostgres || pgbouncerPath === undefined)('PgBouncer', () => {
  it('passes on that what waits for a lock is given up', async () => {
    const { serverUrl, url } = await behindPooler();
    const database = await openUntilTestEnds(url);
    await database.write(sql`CREATE TABLE pairs (a BIGINT)`);
    const { waiting, release } = await holdTable(serverUrl, 'pairs');

    await expect(database.write(sql`INSERT INTO pairs VALUES (1)`)).rejects.toMatchObject({
      kind: 'unknown',
    });
    await expect.poll(() => waiting()).toBe(0);
    await release();
    expect(await database.write(sql`SELECT 1`)).toHaveLength(1);
  });

  it('carries what people do, with presses at one process and pages at another', async () => {
    const { url } = await behindPooler();
    const world = await openWatchedWorld({ storeUrl: url });
    const app = await world.start();
    const beside = await world.startBeside();
    world.slack.setRequestUrl(`${beside.publicUrl}/slack/events`);
    for (const journey of journeys.slice(0, 3)) await journey(world);
    for (const one of [app, beside.app]) {
      one.askToStop();
      expect(await one.ended()).toBe(0);
      expect(one.output()).not.toContain('DatabaseError');
    }
  });
});
