import { describe, expect, it } from 'vitest';
import { openRealWorld, watchAsBrowser } from '../outbox/real-app.ts';
import { hasPostgres, postgresql } from '../../support/engines.ts';
import { freePort } from '../../support/free-port.ts';
import { personIn } from '../../support/person.ts';

describe.skipIf(!hasPostgres).each([postgresql])('two processes over $engine', (engine) => {
  it('give the link for a press that reaches one of them, and its page the other', async () => {
    const port = await freePort();
    const STORE_URL = await engine.newUrl();
    const world = await openRealWorld({
      slack: { ackLimitMs: 45_000 },
      settings: async () => ({ STORE_URL, PUBLIC_URL: `http://127.0.0.1:${port}` }),
    });
    const pages = await world.startBeside({ port });
    const presses = await world.startBeside();
    world.slack.setRequestUrl(`${presses.publicUrl}/slack/events`);
    const alex = personIn(world);
    for (const visitor of ['jane4821', 'noah', 'amara7', 'priya55', 'janepark']) {
      const offer = await alex.type(`/cobrowse watch ${visitor}`);
      expect(new URL(alex.button(offer, /^Watch/).url ?? '').origin).toBe(pages.publicUrl);
      expect((await watchAsBrowser(alex, offer)).status).toBe(302);
    }
  });
});
