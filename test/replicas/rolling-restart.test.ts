import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { channelOf, manyChannels, summaryOf, tellOf, twenty } from '../outbox/processes/many-channels.ts';
import { openRealWorld, watchAsBrowser } from '../outbox/processes/real-app.ts';
import { idsSeenBy } from '../sessions/webhook-stage.ts';
import { engines } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { KIM, SAM, personIn } from '../support/person.ts';
import { openBalancer } from './balancer.ts';

const postgres = engines.filter(({ engine }) => engine === 'PostgreSQL');

/** What balancers usually do in a second, these do sooner. */
const ASKS_EVERY_MS = 200;
const DRAIN_SECONDS = '2';
const BETWEEN_WEBHOOKS_MS = 100;

describe.each(postgres)('three processes over $engine, restarted one by one under a balancer', (engine) => {
  it('fail no command, no press, no page and no webhook, and post each summary once', async () => {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const balancer = await openBalancer(
      ports.map((port) => `http://127.0.0.1:${port}`),
      ASKS_EVERY_MS,
    );
    const STORE_URL = await engine.newUrl();
    const world = await openRealWorld({
      slack: { seed: manyChannels },
      settings: async () => ({ STORE_URL, PUBLIC_URL: balancer.url, DRAIN_SECONDS }),
    });
    world.slack.setRequestUrl(`${balancer.url}/slack/events`);
    const start = async (port: number) => (await world.startBeside({ port })).app;
    const apps = await Promise.all(ports.map(start));
    await balancer.untilAlive(3);

    let isOver = false;
    const told: string[] = [];
    async function webhooks(): Promise<void> {
      for (let index = 0; !isOver; index += 1) {
        const id = `session-${index}`;
        told.push(id);
        const channelId = channelOf(twenty[index % twenty.length] ?? '');
        expect(await tellOf({ publicUrl: balancer.url }, id, { channelId })).toBe(200);
        await pause(BETWEEN_WEBHOOKS_MS);
      }
    }
    async function presses(): Promise<void> {
      const sam = personIn(world, SAM);
      while (!isOver) {
        const opened = await watchAsBrowser(sam, await sam.type('/cobrowse watch jane4821'));
        // The first time the link, then the question whether to open it again: both need the press.
        if (opened.status !== 302) expect(await opened.text()).toContain('Open it again?');
      }
    }
    async function commands(): Promise<void> {
      const kim = personIn(world, KIM);
      while (!isOver) {
        expect((await kim.type('/cobrowse find noah')).text).toContain('Noah');
        expect((await fetch(`${balancer.url}/watch/nonsense`)).status).toBe(404);
      }
    }
    const traffic = Promise.all([webhooks(), presses(), commands()]);
    async function restartAll(): Promise<void> {
      for (const [index, app] of apps.entries()) {
        const before = balancer.count();
        app.askToStop();
        expect(await app.ended()).toBe(0);
        expect(balancer.count()).toBeGreaterThan(before);
        await start(ports[index] ?? 0);
        await balancer.untilAlive(3);
      }
    }
    await Promise.race([restartAll(), traffic]);
    isOver = true;
    await traffic;

    expect(balancer.failed).toEqual([]);
    for (const id of told) await summaryOf(world, id);
    expect(idsSeenBy(world.slack).toSorted()).toEqual(told.toSorted());
  });
});
