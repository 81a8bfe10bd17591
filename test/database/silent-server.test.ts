import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endedSession } from '../sessions/ended-session.ts';
import { webhooksOf } from '../sessions/webhook-stage.ts';
import { checkedSandbox } from '../support/checked-sandbox.ts';
import { postgresPrograms } from '../support/machine.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { personIn, readable } from '../support/person.ts';

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(postgresPrograms === undefined)('the app, while its PostgreSQL server is stopped', () => {
  let server: Awaited<ReturnType<typeof startOwnPostgres>> | undefined;
  beforeAll(async () => {
    server = await startOwnPostgres();
  });
  const { sandbox } = checkedSandbox(() => ({ storeUrl: server?.url ?? '' }));
  // Before the server is closed: the app closes its connections first.
  afterAll(() => server?.close());

  it('answers everybody, loses nothing that it acknowledged, and works again by itself', async () => {
    const webhooks = webhooksOf(sandbox());
    const alex = personIn(sandbox());
    const ready = async () => (await fetch(`${sandbox().publicUrl}/readyz`)).status;
    const offer = await alex.type('/cobrowse watch jane4821');
    const earlier = Array.from({ length: 8 }, (_, index) => `earlier-${index}`);
    for (const id of earlier) expect(await webhooks.send(endedSession(id))).toMatchObject({ status: 200 });
    server?.freeze();
    const to = webhooks.address();
    const [refused, isReady, page, told] = await Promise.all([
      webhooks.send(endedSession('meanwhile'), { to }),
      ready(),
      alex.watch(offer),
      alex.type('/cobrowse subscribe #support'),
    ]);

    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(isReady).toBe(503);
    expect([page.status, await page.text()]).toEqual([
      503,
      expect.stringMatching(/couldn’t be recorded|can’t read its database/),
    ]);
    expect(page.headers.get('location')).toBeNull();
    expect(readable(told.blocks)).toMatch(/database|recorded|check your permission/);
    // Once one has waited in vain, nobody else waits for it.
    expect(await webhooks.send(endedSession('meanwhile'), { to })).toMatchObject({ status: 503 });
    expect((await fetch(`${sandbox().publicUrl}/healthz`)).status).toBe(200);

    server?.thaw();
    await expect.poll(ready).toBe(200);
    expect(await webhooks.send(endedSession('meanwhile'), { to })).toMatchObject({ status: 200 });
    for (const id of [...earlier, 'meanwhile']) await webhooks.summaryOf(id);
    const all = await webhooks.allUntilNow();
    expect(all.toSorted()).toEqual([...earlier, 'meanwhile'].toSorted());
    expect((await alex.watch(await alex.type('/cobrowse watch jane4821'))).status).toBe(302);
  });
});
