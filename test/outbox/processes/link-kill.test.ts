import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { createWatchLinks } from '../../../src/sessions/watch-links.ts';
import { ALEX, personIn } from '../../support/person.ts';
import { openRealWorld, watchAsBrowser } from './real-app.ts';

describe('a link whose app is killed with SIGKILL', () => {
  it('right after the redirect is still looked for by the next process, whatever happened to the card', async () => {
    const world = await openRealWorld({
      // Slack's own three seconds can pass while the machine stands still.
      slack: { ackLimitMs: 45_000 },
    });
    const app = await world.start();
    const alex = personIn(world);
    const offer = await alex.type('/cobrowse watch jane4821');
    expect(await watchAsBrowser(alex, offer)).toMatchObject({ status: 302 });
    await app.kill();
    const database = await openDatabase(`sqlite:${join(world.folder, 'store.db')}`);
    const open = await createWatchLinks(database, Date.now).lookedFor('T0ACME00000', ALEX);
    await database.close();
    expect(open).toMatchObject([
      {
        link: { visitorId: 'jane4821', userId: ALEX },
        agentId: 'agent_alex',
        expiresAt: expect.any(Number),
      },
    ]);
  });
});
