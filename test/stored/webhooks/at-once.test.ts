import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createWebhookSending } from '../../../src/webhooks/sending.ts';
import { Secret } from '../../../src/workspaces/data-keys.ts';
import { engines } from '../../support/engines.ts';
import { anAddress } from '../../webhooks/an-address.ts';
import { ALL, taken } from '../../webhooks/stage.ts';

const sealed = { url: new Secret('https://h/'), secrets: [new Secret('whsec_')] };
const opened = { ...anAddress, ...sealed, workspaceId: 'T1' };
const ADDRESS = opened.id;
const ids = Array.from({ length: 40 }, (_, index) => `msg_${index + 10}`);
const body = '{"data":{"customer":{}}}';
const payload = JSON.stringify({ event: 'e', body, visitorId: 'v', userId: 'U1' });

describe.each(engines)('the messages of an address, in $engine', ({ newUrl }) => {
  it('are sent once each, five at once at most, however many processes look for work', async () => {
    const url = await newUrl();
    const isShared = url.startsWith('postgres');
    const first = await openDatabase(url);
    const databases = isShared ? [first, await openDatabase(url), await openDatabase(url)] : [first];
    await first.write(
      sql`INSERT INTO webhook_addresses (workspace_id, id, host, address, secret, events, filters, names, added_by, added_at,
          worked_at, version) VALUES ('T1', ${ADDRESS}, 'h', '', '', '[]', ${JSON.stringify(ALL)}, 0, 'U1', 0, 1, 1)`,
      ...ids.map(
        (
          id,
        ) => sql`INSERT INTO webhook_messages (workspace_id, id, address_id, link_id, number, payload, state, queued_at,
            due_at, attempts, deaths) VALUES ('T1', ${id}, ${ADDRESS}, ${id}, 1, ${payload}, 'waiting', 0, 0, 0, 0)`,
      ),
    );
    const sent: string[] = [];
    let [underWay, most] = [0, 0];
    const senders = databases.map((database) =>
      createWebhookSending({
        database,
        addresses: { open: async () => opened },
        async send({ id }) {
          sent.push(id);
          underWay += 1;
          most = Math.max(most, underWay);
          await new Promise((resolve) => setImmediate(resolve));
          underWay -= 1;
          return taken;
        },
        matches: async () => true,
        nameOf: async () => undefined,
        newId: () => '',
        wakeSlack: () => undefined,
        singleProcess: !isShared,
        now: () => Date.now(),
        report: (outcome) => expect(outcome).toBe('posted'),
      }),
    );
    onTestFinished(async () => {
      await Promise.all(senders.map((sender) => sender.stop()));
      for (const database of databases) await database.close();
    });
    await Promise.all(senders.map((sender) => sender.start()));
    const waiting = sql`SELECT COUNT(*) AS count FROM webhook_messages WHERE state = 'waiting'`;
    await expect
      .poll(() => first.read(waiting, z.object({ count: z.number() })), { timeout: 20_000 })
      .toEqual([{ count: 0 }]);
    expect(sent.toSorted()).toEqual(ids);
    expect(most).toBeLessThanOrEqual(5);
    expect(most).toBeGreaterThan(1);
  });
});
