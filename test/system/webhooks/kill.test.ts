import { expect, it, onTestFinished } from 'vitest';
import { startReceiver } from '../../../sandbox/receiver/receiver.ts';
import { openGate } from '../outbox/gate.ts';
import { tellOf } from '../outbox/many-channels.ts';
import { openRealWorld } from '../outbox/real-app.ts';
import { atWebhooks } from '../../webhooks/home-stage.ts';

it('sends a webhook again with the same id after it was killed before its record', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const gate = await openGate(receiver.url);
  const world = await openRealWorld({ settings: async () => ({ WEBHOOK_HOSTS: new URL(gate.url).host }) });
  const app = await world.start();
  await atWebhooks(world).add({ address: `${gate.url}/in` });
  gate.hold('/in');
  expect(await tellOf(world, 'a')).toBe(200);
  await expect.poll(() => gate.held).toHaveLength(1);
  await app.kill();
  // It arrives although nobody waits for its answer any more.
  gate.release();
  await expect.poll(() => receiver.arrived()).toHaveLength(1);
  const next = await world.start();
  await next.said('webhook sent');
  next.askToStop();
  expect(await next.ended()).toBe(0);
  const [again, before] = receiver.arrived();
  expect([again?.id, again?.body]).toEqual([before?.id, before?.body]);
  expect(receiver.arrived()).toHaveLength(2);
});
