import { expect } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { sql } from '../../../src/database/database.ts';
import { WEBHOOK_EVENTS } from '../../../src/webhooks/bodies.ts';
import { atWebhooks, secretIn } from '../../webhooks/home-stage.ts';
import type { WatchedWorld } from './watched-world.ts';
import type { Secret } from './search.ts';

/** A part of a webhook's address that lets anybody write there. */
const KEY = 'webhook-key-of-this-test-only';

/** The workspace tells a program of everything from now on. @returns what nobody may read again */
export async function sendWebhooks(world: WatchedWorld): Promise<readonly Secret[]> {
  const webhooks = atWebhooks(world);
  const { receiver } = world;
  const secret = await webhooks.add({
    address: `${receiver.address}?key=${KEY}`,
    events: WEBHOOK_EVENTS,
    withNames: true,
  });
  receiver.trust(secret);
  await webhooks.pressFor(/^Send a test/, /it accepted the test/);
  const next = secretIn(await webhooks.pressFor(/^New secret/, /New secret for/));
  receiver.trust(next);
  await webhooks.closeAll();
  return [
    { name: 'webhook secret', value: secret },
    { name: 'newer webhook secret', value: next },
    { name: 'key in a webhook’s address', value: KEY },
  ];
}

/** An address whose events were set aside, and that is paused; in the end it's removed. */
export async function lookAfterWebhooks(world: WatchedWorld): Promise<void> {
  const webhooks = atWebhooks(world);
  const { receiver, folder } = world;
  const database = await openDatabase(`sqlite:${folder}/store.db`);
  await database.write(
    sql`UPDATE webhook_messages SET state = 'failed', reason = 'http_500' WHERE state = 'posted'`,
  );
  await database.write(sql`UPDATE webhook_addresses SET failing_since = 1`);
  await database.close();
  const before = receiver.arrived().length;
  await webhooks.pressFor(/^Retry/, /again now/);
  const list = await webhooks.pressFor(/^Set aside/, /newest first/);
  await webhooks.person.pressInModal(list, /^Discard event 1$/);
  const rest = await webhooks.saying(/Discarded\./);
  await webhooks.person.pressInModal(rest, /^Retry event 1$/);
  await webhooks.saying(/as soon as its address accepts/);
  await expect.poll(() => receiver.arrived().length).toBeGreaterThan(before);
  await webhooks.submit(await webhooks.form(/^Edit/), { events: ['session.ended'] });
  await world.slack.until(webhooks.userId, ({ views }) => views.length === 0);
  await webhooks.pressFor(/^Remove/, /Nothing more is sent there/);
  await webhooks.closeAll();
  for (const { id, body } of receiver.arrived()) world.note(`webhook ${id}`, body);
}
