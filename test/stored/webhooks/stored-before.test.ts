import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createWebhookAddresses } from '../../../src/webhooks/addresses.ts';
import { makeOlderTables } from '../../database/older-tables.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

/** What the tables were before addresses said whether they ever worked, while webhooks waited among the deliveries. */
const STEPS_BEFORE = 19;
const WORKED = 'w00000000000000a';
const REFUSED = 'w00000000000000b';

const address = (workspaceId: string, id: string) =>
  `INSERT INTO webhook_addresses (workspace_id, id, host, address, secret, events, filters, names, added_by, added_at, version)
    VALUES ('${workspaceId}', '${id}', 'a.example', '', '', '[]', '{"agents":[],"groups":[],"tags":[]}', 0, 'U1', 1, 1)`;

const delivery = (id: string, place: string, state: string, at: number, settledAt: number | null = null) =>
  `INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths, is_short, accepted_at,
    settled_at, message_id, payload, claim) VALUES ('${id}', 'T1', '${id}', 'webhook', '${place}', '${state}', ${at}, 2, 1,
    0, ${at}, ${settledAt}, 'msg_${id}', '{"event":"${id}"}', 'of the killed')`;

const place = (channelId: string, nextAt: number) =>
  `INSERT INTO channels (workspace_id, channel_id, next_at, open_at, claim, claimed_until)
    VALUES ('T1', '${channelId}', ${nextAt}, 0, 'of the killed', 9)`;

const summary = `INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths, is_short,
  accepted_at, recheck_at) VALUES ('summary', 'T1', 'summary', 'summary', 'C1', 'posted', 1, 1, 0, 0, 1, 5)`;

const Message = z.object({
  id: z.string(),
  place: z.string(),
  state: z.string(),
  attempts: z.number(),
  deaths: z.number(),
  payload: z.string(),
  settled_at: z.number().nullable(),
});
const Name = z.object({ name: z.string() });
const at = (name: string, where: string, state: string, settledAt: number | null) => ({
  id: `msg_${name}`,
  place: where,
  state,
  attempts: 2,
  deaths: 1,
  payload: `{"event":"${name}"}`,
  settled_at: settledAt,
});
const noKey = async () => undefined;

describe.each(engines)('webhooks of an earlier version, in $engine', ({ newEmptyUrl }) => {
  it('wait in their own table, in their order, once somebody allows what can’t be undone, and an address works that took one', async () => {
    const url = await newEmptyUrl();
    await makeOlderTables(url, STEPS_BEFORE, [
      address('T1', WORKED),
      address('T1', REFUSED),
      address('T2', WORKED),
      delivery('second', `${WORKED}/one`, 'waiting', 20),
      delivery('first', `${WORKED}/one`, 'sending', 10),
      delivery('refused', `${REFUSED}/two`, 'failed', 30, 31),
      delivery('taken', `${WORKED}/two`, 'posted', 40, 41),
      delivery('later', `${WORKED}/two`, 'posted', 50, 51),
      place(`${WORKED}/one`, 10),
      place('C1', 50),
      summary,
    ]);
    await expect(openDatabase(url)).rejects.toMatchObject({ kind: 'one-way' });
    const database = await openUntilTestEnds(url, { mayBeOneWay: true });
    const messages = await database.read(
      sql`SELECT id, address_id || '/' || link_id AS place, state, attempts, deaths, payload, settled_at
        FROM webhook_messages ORDER BY number, id`,
      Message,
    );
    expect(messages).toEqual([
      at('first', `${WORKED}/one`, 'waiting', null),
      at('second', `${WORKED}/one`, 'waiting', null),
      at('refused', `${REFUSED}/two`, 'failed', 31),
      at('taken', `${WORKED}/two`, 'posted', 41),
      at('later', `${WORKED}/two`, 'posted', 51),
    ]);
    expect(await database.read(sql`SELECT id AS name FROM deliveries`, Name)).toEqual([{ name: 'summary' }]);
    expect(await database.read(sql`SELECT channel_id AS name FROM channels`, Name)).toEqual([{ name: 'C1' }]);

    const app = { database, keyOf: noKey, keyMadeFor: noKey, now: () => 0 };
    const addresses = createWebhookAddresses(app);
    const workedAt = async (workspaceId: string) =>
      (await addresses.list(workspaceId)).map((one) => [one.id, one.workedAt]);
    expect(await workedAt('T1')).toEqual([
      [WORKED, 41],
      [REFUSED, undefined],
    ]);
    expect(await workedAt('T2')).toEqual([[WORKED, undefined]]);
  });
});
