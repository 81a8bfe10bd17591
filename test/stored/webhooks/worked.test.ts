import { describe, expect, it } from 'vitest';
import { createWebhookAddresses } from '../../../src/webhooks/addresses.ts';
import { makeOlderTables } from '../../database/older-tables.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

/** What the tables were before addresses said whether they ever worked. */
const STEPS_BEFORE = 19;

const address = (workspaceId: string, id: string) =>
  `INSERT INTO webhook_addresses (workspace_id, id, host, address, secret, events, filters, names, added_by, added_at, version)
    VALUES ('${workspaceId}', '${id}', 'a.example', '', '', '[]', '{"agents":[],"groups":[],"tags":[]}', 0, 'U1', 1, 1)`;

const delivery = (id: string, addressId: string, state: string, settledAt: number) =>
  `INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths, is_short, accepted_at,
    settled_at) VALUES ('${id}', 'T1', '${id}', 'webhook', '${addressId}/link', '${state}', 0, 1, 0, 0, 1, ${settledAt})`;

const noKey = async () => undefined;

describe.each(engines)(
  'an address from before it was said whether it ever worked, in $engine',
  ({ newEmptyUrl }) => {
    it('works if something is known to have been delivered there', async () => {
      const url = await newEmptyUrl();
      const [worked, refused] = ['w00000000000000a', 'w00000000000000b'];
      await makeOlderTables(url, STEPS_BEFORE, [
        address('T1', worked),
        address('T1', refused),
        address('T2', worked),
        delivery('second', worked, 'posted', 7),
        delivery('first', worked, 'posted', 5),
        delivery('other', refused, 'failed', 6),
      ]);
      const database = await openUntilTestEnds(url, { mayBeOneWay: true });
      const addresses = createWebhookAddresses({
        database,
        keyOf: noKey,
        keyMadeFor: noKey,
        now: () => 0,
      });
      const workedAt = async (workspaceId: string) =>
        (await addresses.list(workspaceId)).map(({ id, workedAt: at }) => [id, at]);
      expect(await workedAt('T1')).toEqual([
        [worked, 5],
        [refused, undefined],
      ]);
      expect(await workedAt('T2')).toEqual([[worked, undefined]]);
    });
  },
);
