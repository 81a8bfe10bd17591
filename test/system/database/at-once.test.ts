import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { createSessionEnds, sessionEndOf } from '../../../src/sessions/session-ends.ts';
import { createWatchLinks, recordLink } from '../../../src/sessions/watch-links.ts';
import { sessionOf } from '../../outbox/stage.ts';
import { alexInSupport, endedSession } from '../../sessions/ended-session.ts';
import { checkedSandbox } from '../../support/checked-sandbox.ts';
import { hasPostgres, openUntilTestEnds, postgresql, storeOnPostgres } from '../../support/engines.ts';
import { personIn } from '../../support/person.ts';
import { holdTable } from '../../database/held-table.ts';
import { resultOf } from '../../sessions/link-result.ts';

const Counted = z.object({ count: z.number() });
const AskedForLink = z.object({ webhook_url: z.string() });

/** Keeps everybody from adding rows to a table. */
async function keepFromAdding(url: string, table: string) {
  const { waiting, release } = await holdTable(url, table, 'SHARE');
  return { waiting: () => waiting('INSERT'), release };
}

/** Whether what is under way by now waits, too, or is through. */
function watch(work: Promise<unknown>, waiting: () => Promise<number>) {
  let isThrough = false;
  void work.finally(() => (isThrough = true));
  return async () => isThrough || (await waiting()) === 2;
}

describe.skipIf(!hasPostgres)('two transactions under way at once in PostgreSQL', () => {
  const storeUrl = storeOnPostgres();
  const { sandbox } = checkedSandbox(() => ({ storeUrl: storeUrl(), schedulerMs: 3_600_000 }));

  it('make one card for two clicks of a person', async () => {
    const alex = personIn(sandbox());
    const offers = [await alex.type('/cobrowse watch jane4821'), await alex.type('/cobrowse watch jane4821')];
    const { waiting, release } = await keepFromAdding(storeUrl(), 'deliveries');
    const pages = offers.map((offer) => alex.watch(offer));
    await expect.poll(waiting).toBe(2);
    await release();
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([302, 302]);
    const database = await openUntilTestEnds(storeUrl());
    const rows = await database.read(
      sql`SELECT (SELECT COUNT(*) FROM watch_links WHERE visitor_id = 'jane4821' AND card_id IS NOT NULL) * 10
        + (SELECT COUNT(*) FROM deliveries WHERE kind = 'card') AS count`,
      Counted,
    );
    // Two links, and one card.
    expect(rows).toEqual([{ count: 21 }]);
  });

  it('leave no link open whose session ends while it is put on record', async () => {
    const alex = personIn(sandbox());
    const offer = await alex.type('/cobrowse watch priya55');
    const { waiting, release } = await keepFromAdding(storeUrl(), 'audit');
    const page = alex.watch(offer);
    await expect.poll(waiting).toBe(1);
    const { webhook_url: address } = AskedForLink.parse(sandbox().service.requests.at(-1)?.body);
    const told = fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(endedSession('s1', { visitor_id: 'priya55' })),
    });
    await expect.poll(watch(told, waiting)).toBe(true);
    await release();
    expect([(await page).status, (await told).status]).toEqual([302, 200]);
    const links = createWatchLinks(await openUntilTestEnds(storeUrl()), Date.now);
    expect(await links.inUse(alexInSupport.workspaceId, ['priya55'], 0)).toEqual([]);
  });

  it('leave no link open that is put on record while its session ends, and make it no card', async () => {
    const url = await postgresql.newUrl();
    const [teller, clicker] = [await openUntilTestEnds(url), await openUntilTestEnds(url)];
    const { waiting, release } = await keepFromAdding(url, 'session_ends');
    const [endedAt, about] = [Date.now(), { recovered: false }];
    const end = sessionEndOf('end-1', alexInSupport, sessionOf('s1'), { receivedAt: endedAt, ...about });
    const told = createSessionEnds(teller).record(end);
    await expect.poll(waiting).toBe(1);
    const link = { link: alexInSupport, agentId: 'agent', issuedAt: endedAt + 1 };
    const recording = recordLink(link, endedAt, sql`CAST(${'card'} AS TEXT)`);
    const recorded = clicker.write(recording);
    await expect.poll(watch(recorded, waiting)).toBe(true);
    await release();
    expect(await told).toBe('accepted');
    await recorded;
    expect(await resultOf(createWatchLinks(clicker, Date.now), alexInSupport)).toMatchObject({
      endedAt: expect.any(Number),
    });
    const cards = sql`SELECT COUNT(*) AS count FROM watch_links WHERE card_id IS NOT NULL`;
    expect(await clicker.read(cards, Counted)).toEqual([{ count: 0 }]);
  });
});
