import { describe, expect, it, onTestFinished } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { isKnownOf, wakeChannelOf } from '../../../src/outbox/channels.ts';
import { insertDelivery } from '../../../src/outbox/delivery.ts';
import { createTurns } from '../../../src/outbox/turns.ts';
import { createWebhookPlaces, placeOf } from '../../../src/webhooks/places.ts';
import { engines } from '../../support/engines.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const ADDRESS = 'w000000000000001';
const ROUNDS = 60;
const waits = { workspaceId: 'T1', kind: 'webhook', acceptedAt: NOW };

describe.each(engines)('the places of an address, in $engine', ({ newUrl }) => {
  it('have five turns at most, and each one, however many look for work at once', async () => {
    const url = await newUrl();
    const first = await openDatabase(url);
    const isShared = url.startsWith('postgres');
    const databases = isShared ? [first, await openDatabase(url), await openDatabase(url)] : [first];
    onTestFinished(async () => {
      for (const database of databases) await database.close();
    });
    await first.write(
      sql`INSERT INTO webhook_addresses (workspace_id, id, host, address, secret, events, filters, names, added_by, added_at,
          version) VALUES ('T1', ${ADDRESS}, 'h', '', '', '[]', '{}', 0, 'U1', 0, 1)`,
      ...Array.from({ length: 20 }, (_, index) => `d${index + 10}`).flatMap((id) => [
        insertDelivery({ ...waits, id, key: id, channelId: placeOf(ADDRESS, id) }),
        wakeChannelOf(id),
      ]),
    );
    const isKnown = isKnownOf(new Map([['webhook', true]]));
    const takers = databases.flatMap((database) => {
      const places = createWebhookPlaces(database);
      const turns = createTurns({ database, isKnown, places, now: () => NOW });
      return [turns, turns];
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const taken: string[] = [];
      await Promise.all(
        takers.map(async (taker) => {
          for (let times = 0; times < 4; times += 1)
            taken.push(...(await taker.take(10, [])).turns.map(({ channel }) => channel.channelId));
        }),
      );
      expect(new Set(taken).size, `round ${round}`).toBe(taken.length);
      expect(taken.length).toBeLessThanOrEqual(5);
      expect(taken.length).toBeGreaterThan(0);
      await first.write(
        sql`UPDATE channels SET claim = NULL, claimed_until = NULL`,
        sql`UPDATE deliveries SET state = 'waiting', claim = NULL`,
      );
    }
  });
});
