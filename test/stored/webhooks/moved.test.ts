import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { makeOlderTables } from '../../database/older-tables.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

/** What the tables were while webhooks waited among the deliveries. */
const STEPS_BEFORE = 20;
const ADDRESS = 'w00000000000000a';

const delivery = (id: string, link: string, state: string, at: number, settledAt: number | null = null) =>
  `INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths, is_short, accepted_at,
    settled_at, message_id, payload, claim) VALUES ('${id}', 'T1', '${id}', 'webhook', '${ADDRESS}/${link}', '${state}', ${at}, 2, 1,
    0, ${at}, ${settledAt}, 'msg_${id}', '{"event":"${id}"}', 'of the killed')`;

const place = (channelId: string, nextAt: number) =>
  `INSERT INTO channels (workspace_id, channel_id, next_at, open_at, claim, claimed_until)
    VALUES ('T1', '${channelId}', ${nextAt}, 0, 'of the killed', 9)`;

const summary = `INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths, is_short,
  accepted_at, recheck_at) VALUES ('summary', 'T1', 'summary', 'summary', 'C1', 'posted', 1, 1, 0, 0, 1, 5)`;

const Message = z.object({
  id: z.string(),
  address_id: z.string(),
  link_id: z.string(),
  state: z.string(),
  attempts: z.number(),
  deaths: z.number(),
  payload: z.string(),
  settled_at: z.number().nullable(),
});
const Name = z.object({ name: z.string() });

describe.each(engines)('webhooks that waited among the deliveries, in $engine', ({ newEmptyUrl }) => {
  it('wait in their own table, in their order, once somebody allows what can’t be undone', async () => {
    const url = await newEmptyUrl();
    await makeOlderTables(url, STEPS_BEFORE, [
      delivery('second', 'one', 'waiting', 20),
      delivery('first', 'one', 'sending', 10),
      delivery('refused', 'two', 'failed', 30, 31),
      delivery('taken', 'two', 'posted', 40, 41),
      place(`${ADDRESS}/one`, 10),
      place('C1', 50),
      summary,
    ]);
    await expect(openDatabase(url)).rejects.toMatchObject({ kind: 'one-way' });
    const database = await openUntilTestEnds(url, { mayBeOneWay: true });
    const messages = await database.read(
      sql`SELECT id, address_id, link_id, state, attempts, deaths, payload, settled_at FROM webhook_messages ORDER BY number`,
      Message,
    );
    const common = { address_id: ADDRESS, attempts: 2, deaths: 1 };
    const at = (name: string, link: string, state: string, settledAt: number | null) => ({
      ...common,
      id: `msg_${name}`,
      link_id: link,
      state,
      payload: `{"event":"${name}"}`,
      settled_at: settledAt,
    });
    expect(messages).toEqual([
      at('first', 'one', 'waiting', null),
      at('second', 'one', 'waiting', null),
      at('refused', 'two', 'failed', 31),
      at('taken', 'two', 'posted', 41),
    ]);
    expect(await database.read(sql`SELECT id AS name FROM deliveries`, Name)).toEqual([{ name: 'summary' }]);
    expect(await database.read(sql`SELECT channel_id AS name FROM channels`, Name)).toEqual([{ name: 'C1' }]);
  });
});
