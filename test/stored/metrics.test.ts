import { describe, expect, it } from 'vitest';
import { sql } from '../../src/database/database.ts';
import { createMetrics } from '../../src/logging/metrics.ts';
import { insertDelivery } from '../../src/outbox/delivery.ts';
import { createOverview } from '../../src/outbox/overview.ts';
import { engines, openUntilTestEnds } from '../support/engines.ts';

const NOON = Date.UTC(2026, 10, 2, 12);
const now = () => NOON;

/** A summary that waits, in each of these workspaces. */
const waitingIn = (workspaceIds: readonly string[]) =>
  workspaceIds.flatMap((workspaceId) => [
    sql`INSERT INTO workspaces (id, installed_at, version) VALUES (${workspaceId}, ${NOON}, 1)`,
    insertDelivery({
      id: `delivery in ${workspaceId}`,
      workspaceId,
      key: 'summary',
      kind: 'summary',
      channelId: 'C1',
      acceptedAt: NOON - 60_000,
    }),
  ]);

describe.each(engines)('GET /metrics, on $engine', ({ newUrl }) => {
  it('reads as much for a thousand workspaces as for one, and names none of them', async () => {
    const storeUrl = await newUrl();
    const database = await openUntilTestEnds(storeUrl);
    let reads = 0;
    const read: typeof database.read = (query, row) => {
      reads += 1;
      return database.read(query, row);
    };
    const metrics = createMetrics();
    const overview = createOverview({ database: { read }, paceMs: 0, now });
    metrics.watch(overview, { storeUrl, now });

    /** What a scrape reads, and the lines it gives, apart from those about the process. */
    async function scrape() {
      reads = 0;
      const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('cobrowse_'));
      const [name = '', waiting = ''] =
        lines.find((line) => line.startsWith('cobrowse_summaries_waiting '))?.split(' ') ?? [];
      return { reads, series: lines.map((line) => line.replace(/ \S+$/, '')), [name]: Number(waiting) };
    }
    await database.write(...waitingIn(['T0']));
    const one = await scrape();
    const others = Array.from({ length: 999 }, (_, number) => `T${number + 1}`);
    await database.write(...waitingIn(others));
    expect(one).toMatchObject({ reads: 5, cobrowse_summaries_waiting: 1 });
    expect(await scrape()).toEqual({ ...one, cobrowse_summaries_waiting: 1_000 });
  });
});
