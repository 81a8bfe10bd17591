import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { startApp } from '../../src/app.ts';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { ADA, atHome } from '../home/at-home.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { sqlite } from '../support/engines.ts';
import { personIn, readable } from '../support/person.ts';
import { startForMany } from '../workspaces/many-stage.ts';
import { atWebhooks } from './home-stage.ts';

/*
 * Names that no name server knows, asked for really: an error in the look-up of one would end the process, and with it the
 * tests.
 */

/** By name servers that answer, and by a machine that has none. */
const UNKNOWN = /There’s no such host|couldn’t be looked up/;
const address = 'https://hooks.example.invalid/in';

it('a webhook to a host that nobody knows is said to have none, and waits, also over a start', async () => {
  const storeUrl = await sqlite.newUrl();
  const { log } = keptLog();
  const sandbox = await startSandbox({ storeUrl, log, paceMs: 0 });
  const { slack, service, shop, receiver } = sandbox;
  const database = await openDatabase(storeUrl);
  const attempts = async () => {
    const asked = sql`SELECT attempts FROM webhook_messages WHERE state = 'waiting'
      AND reason IN ('unknown_host', 'lookup_failed')`;
    return (await database.read(asked, z.object({ attempts: z.number() })))[0]?.attempts ?? 0;
  };
  const webhooks = atWebhooks(sandbox);
  await webhooks.add({ address, events: ['watch_link.opened'] });
  await webhooks.pressFor(/^Send a test/, UNKNOWN);
  const alex = personIn(sandbox);
  await alex.watch(await alex.type('/cobrowse watch jane4821'));
  await expect.poll(attempts).toBeGreaterThan(0);
  await sandbox.app.stop();

  const before = await attempts();
  await database.write(sql`UPDATE webhook_messages SET due_at = 0`);
  await database.write(sql`UPDATE webhook_addresses SET held_until = NULL`);
  const app = await startApp(sandbox.config, { log, now: sandbox.now, paceMs: 0 });
  onTestFinished(async () => {
    await app.stop();
    await database.close();
    await Promise.all([slack, service, shop, receiver].map((one) => one.close()));
  });
  await expect.poll(attempts).toBeGreaterThan(before);
});

it('a service at a host that nobody knows is said to be out of reach, beside its address', async () => {
  const { sandbox } = await startForMany({ storeUrl: await sqlite.newUrl() });
  const ada = atHome(sandbox, ADA);
  await ada.open();
  await ada.press(/^Connect/);
  const form = await sandbox.slack.until(ADA, ({ views }) =>
    views.find(({ title, submit }) => title === 'Co-browsing account' && submit !== undefined),
  );
  await ada.save(form, {
    kind: 'cloud',
    address: 'https://cobrowse.example.invalid',
    key: 'a-key',
  });
  const wrong = await sandbox.slack.until(ADA, ({ views }) =>
    views.find(
      ({ errors, blocks }) => Object.keys(errors).length > 0 || /can’t reach/.test(readable(blocks)),
    ),
  );
  expect(JSON.stringify([wrong.errors, wrong.blocks])).toContain('The app can’t reach this address.');
});
