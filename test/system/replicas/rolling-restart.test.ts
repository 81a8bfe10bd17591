import { describe, expect, it } from 'vitest';
import { manyChannels } from '../outbox/many-channels.ts';
import { openRealWorld } from '../outbox/real-app.ts';
import { idsSeenBy } from '../../sessions/webhook-stage.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { openBalancer } from './balancer.ts';
import { ALL_WELL, restartUnderTraffic } from './restart-under-traffic.ts';

/** As balancers usually do. */
const ASKS_EVERY_MS = 1_000;

describe.skipIf(!hasPostgres).each([postgresql])(
  'three processes over $engine, restarted one by one under a balancer',
  (engine) => {
    it('fail no command, no press, no page and no webhook, and post each summary once', async () => {
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const balancer = await openBalancer(
        ports.map((port) => `http://127.0.0.1:${port}`),
        ASKS_EVERY_MS,
      );
      const settings = { STORE_URL: await engine.newUrl(), PUBLIC_URL: balancer.url, DRAIN_SECONDS: '' };
      const world = await openRealWorld({
        slack: { seed: manyChannels, ackLimitMs: 45_000 },
        settings: async () => settings,
      });
      const { codes, told, seen } = await restartUnderTraffic({
        world,
        ports,
        publicUrl: balancer.url,
        untilAlive: () => balancer.untilAlive(3),
      });

      expect(balancer.failed).toEqual([]);
      expect([...seen.keys()].toSorted()).toEqual(ALL_WELL);
      expect(codes).toEqual([0, 0, 0]);
      expect(idsSeenBy(world.slack).toSorted()).toEqual(told.toSorted());
    });
  },
);
