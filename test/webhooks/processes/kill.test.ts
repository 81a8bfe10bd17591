import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createAudit } from '../../../src/audit/audit.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createWebhookAddresses } from '../../../src/webhooks/addresses.ts';
import { createWebhookSecret } from '../../../src/webhooks/sign.ts';
import { createDataKeys } from '../../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../../src/workspaces/installs.ts';
import { unheard } from '../../audit/unheard.ts';
import { tellOf } from '../../outbox/processes/many-channels.ts';
import { SECRETS, openRealWorld } from '../../outbox/processes/real-app.ts';
import { freePort } from '../../support/free-port.ts';
import { ADA, ALL, WORKSPACE } from '../stage.ts';

interface Arrived {
  readonly id: unknown;
  readonly body: string;
  readonly response: ServerResponse;
}

const now = () => 0;

/** A program that remembers what arrives, and answers when the test says so. */
async function receiverAt(port: number) {
  const arrived: Arrived[] = [];
  let heard = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const hear = async () => {
      const body = await text(request);
      arrived.push({ id: request.headers['webhook-id'], body, response });
      heard.resolve();
      heard = Promise.withResolvers<void>();
    };
    void hear();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    arrived,
    async next(): Promise<Arrived> {
      const before = arrived.length;
      while (arrived.length === before) await heard.promise;
      const last = arrived.at(-1);
      if (last === undefined) throw new Error('Nothing arrived.');
      return last;
    },
  };
}

it('sends a webhook again with the same id after it was killed between the answer and its record', async () => {
  const port = await freePort();
  const receiver = await receiverAt(port);
  const world = await openRealWorld({ settings: async () => ({ WEBHOOK_HOSTS: `127.0.0.1:${port}` }) });
  const database = await openDatabase(world.settings.STORE_URL);
  const [first, ...others] = SECRETS.secretKeys;
  const installs = createInstalls({ database, dataKeys: createDataKeys([first, ...others]), now });
  const addresses = createWebhookAddresses({ ...installs, database, now, elapsed: now });
  const { prepare } = createAudit({ database, now, keptDays: 1, secret: '', report: unheard });
  await addresses.add(
    { workspaceId: WORKSPACE, userId: ADA },
    {
      url: new URL(`http://127.0.0.1:${port}/hook`),
      secret: createWebhookSecret(),
      events: ['session.ended'],
      filters: ALL,
      hasNames: false,
    },
    () => prepare({ workspaceId: WORKSPACE, userId: ADA, action: 'setting', outcome: 'done' }),
  );
  addresses.stopListening();
  await database.close();

  const app = await world.start();
  const sent = receiver.next();
  expect(await tellOf(world, 'a')).toBe(200);
  const before = await sent;
  await app.kill();
  const again = receiver.next();
  const next = await world.start();
  const after = await again;
  expect([after.id, after.body]).toEqual([before.id, before.body]);
  after.response.writeHead(204).end();
  await next.said('webhook sent');
  next.askToStop();
  expect(await next.ended()).toBe(0);
  expect(receiver.arrived).toHaveLength(2);
});
