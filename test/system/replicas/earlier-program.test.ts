import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrations.ts';
import { steps } from '../../../src/database/steps.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { channelOf, manyChannels, summaryOf, tellOf, twenty } from '../outbox/many-channels.ts';
import { openRealWorld, watchAsBrowser } from '../outbox/real-app.ts';
import { idsSeenBy } from '../../sessions/webhook-stage.ts';
import { ON_TEST_CLOCK } from '../../support/child-clock.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { personIn } from '../../support/person.ts';
import { openBalancer } from './balancer.ts';
import { checkOutEarlierProgram, whyNoEarlierProgram } from './earlier-program.ts';

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(!hasPostgres || whyNoEarlierProgram() !== undefined).each([postgresql])(
  'the program before this one, in $engine',
  (engine) => {
    it('works beside this one on one database, and goes on after it, and after one more step, when it’s started again', async () => {
      const program = [process.execPath, ...ON_TEST_CLOCK, await checkOutEarlierProgram()];
      const [earlierAt, todayAt] = await Promise.all([freePort(), freePort()]);
      const balancer = await openBalancer(
        [earlierAt, todayAt].map((port) => `http://127.0.0.1:${port}`),
        200,
      );
      const STORE_URL = await engine.newEmptyUrl();
      const world = await openRealWorld({
        slack: { seed: manyChannels, ackLimitMs: 45_000 },
        settings: async () => ({ STORE_URL, PUBLIC_URL: balancer.url }),
      });
      world.slack.setRequestUrl(`${balancer.url}/slack/events`);
      const alex = personIn(world);
      const told: string[] = [];

      /** Gets links to the screens of these visitors, and tells of ends of sessions. */
      async function work(...visitors: readonly string[]): Promise<void> {
        for (const visitor of visitors) {
          // The command, the press and the page go to one program after the other.
          const opened = await watchAsBrowser(alex, await alex.type(`/cobrowse watch ${visitor}`));
          expect([visitor, opened.status]).toEqual([visitor, 302]);
        }
        const ids = twenty.slice(0, 6).map((name, index) => ({ id: `${told.length + index}`, name }));
        for (const { id, name } of ids)
          expect(await tellOf({ publicUrl: balancer.url }, id, { channelId: channelOf(name) })).toBe(200);
        told.push(...ids.map(({ id }) => id));
        for (const { id } of ids) await summaryOf(world, id);
        expect(idsSeenBy(world.slack).toSorted()).toEqual(told.toSorted());
      }

      const { app: earlier } = await world.startBeside({ port: earlierAt, program });
      await balancer.untilAlive(1);
      await work('jane4821');
      const { app: today } = await world.startBeside({ port: todayAt });
      await balancer.untilAlive(2);
      await work('noah', 'amara7', 'priya55');

      today.askToStop();
      expect(await today.ended()).toBe(0);
      await balancer.untilAlive(1);
      await work('janepark');
      earlier.askToStop();
      expect(await earlier.ended()).toBe(0);
      await balancer.untilAlive(0);
      const database = await openDatabase(STORE_URL);
      const madeUp = sql`CREATE TABLE made_up (id TEXT PRIMARY KEY)`;
      await migrate(database, 'postgres', {}, [...steps, [madeUp]]);
      await database.close();
      await world.startBeside({ port: earlierAt, program });
      await balancer.untilAlive(1);
      await work('lm3');
      expect(balancer.failed).toEqual([]);
    });
  },
);
