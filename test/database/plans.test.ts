import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createAudit, positionBefore } from '../../src/audit/audit.ts';
import type { Database, Sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createOverview } from '../../src/outbox/overview.ts';
import { cardOf } from '../../src/sessions/cards.ts';
import {
  createWatchLinks,
  linkUnderWay,
  recordLink,
  removeOldLinks,
} from '../../src/sessions/watch-links.ts';
import { countSessions } from '../../src/subscriptions/digest-numbers.ts';
import { unheard } from '../audit/unheard.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const DAY_MS = 24 * 3_600_000;
const now = () => NOON;

const LINK = {
  workspaceId: 'T1',
  linkId: 'link-1',
  userId: 'U1',
  visitorId: 'v1',
  channelId: 'C1',
  access: 'full',
} as const;

const PlanStep = z.object({ detail: z.string() });
const Opcode = z.object({ opcode: z.string() });

/** A database that records which indexes it reads by. */
async function explaining() {
  const database = await openDatabase('memory:');
  onTestFinished(() => database.close());
  const steps: string[] = [];
  const opcodes: string[] = [];
  async function explain({ words: [first = '', ...others], values }: Sql): Promise<void> {
    const explained = (by: string) => ({ words: [`${by} ${first}`, ...others], values });
    steps.push(
      ...(await database.read(explained('EXPLAIN QUERY PLAN'), PlanStep)).map(({ detail }) => detail),
    );
    opcodes.push(...(await database.read(explained('EXPLAIN'), Opcode)).map(({ opcode }) => opcode));
  }
  const read: Database['read'] = async (query, row) => {
    await explain(query);
    return database.read(query, row);
  };
  const write: Database['write'] = async (...statements) => {
    for (const statement of statements) await explain(statement);
    return database.write(...statements);
  };
  return { database: { ...database, read, write }, steps, opcodes };
}

type Explaining = Awaited<ReturnType<typeof explaining>>['database'];

const overview = (database: Explaining) =>
  createOverview({ database, noLoss: () => ['owner'], paceMs: 0, now });
const links = (database: Explaining) => createWatchLinks(database, now);

// SQLite plans by the query alone, since it keeps no row counts here. So a plan is the same in every database.
describe('SQLite, however much is stored, reads', () => {
  it.each<[string, (database: Explaining) => Promise<unknown>, RegExp]>([
    [
      'the delivery that waits longest of all',
      (database) => overview(database).oldest(),
      /^SEARCH d USING INDEX deliveries_oldest /,
    ],
    [
      'that of a workspace',
      (database) => overview(database).oldest('T1'),
      /^SEARCH d USING INDEX deliveries_unsettled \(workspace_id=\? AND accepted_at>\?\)/,
    ],
    [
      'how many wait',
      (database) => overview(database).waiting('T1'),
      /^SEARCH d USING INDEX deliveries_unsettled /,
    ],
    [
      'how many have waited for long',
      (database) => overview(database).waitingSince(NOON),
      /^SEARCH d USING INDEX deliveries_oldest \(accepted_at>\? AND accepted_at<\?\)/,
    ],
    [
      'a workspace’s deliveries in trouble',
      (database) => overview(database).list('T1', 5),
      /^SEARCH d USING INDEX (?:deliveries_in_trouble|deliveries_failed) /,
    ],
    [
      'how many are in trouble',
      (database) => overview(database).inTrouble(),
      /^SCAN (?:d|deliveries) USING (?:COVERING )?INDEX (?:deliveries_in_trouble|deliveries_failed)$/,
    ],
    [
      'who is in the sessions of some visitors',
      (database) => links(database).inUse('T1', ['v1', 'v2'], NOON),
      /^SEARCH watch_links USING INDEX watch_links_by_visitor \(workspace_id=\? AND visitor_id=\? AND issued_at>\?\)/,
    ],
    [
      'the links of a person that are looked for',
      (database) => links(database).lookedFor('T1', 'U1'),
      /^SEARCH watch_links USING INDEX watch_links_looked_for /,
    ],
    [
      'a person’s latest links',
      (database) => links(database).of('T1', 'U1', 50),
      /^SEARCH watch_links USING INDEX watch_links_by_user \(workspace_id=\? AND user_id=\? AND issued_at>\?\)/,
    ],
    [
      'whether the session of a new link has ended, and which card it shares',
      (database) =>
        database.write(
          recordLink(
            { link: LINK, agentId: 'agent_alex', issuedAt: NOON },
            { lookAt: NOON, cardId: cardOf(LINK, 'Alex Rivera', { id: 'card-1', time: NOON }).id },
          ),
        ),
      /^SEARCH (?:session_ends USING INDEX session_ends_by_link|deliveries USING INDEX deliveries_once) /,
    ],
    [
      'a link to the same screen whose session may run',
      (database) =>
        database.read(
          linkUnderWay(LINK, { own: NOON, others: NOON }),
          z.object({ user_id: z.string(), issued_at: z.number() }),
        ),
      /^SEARCH watch_links USING INDEX watch_links_by_visitor \(workspace_id=\? AND visitor_id=\? AND issued_at>\?\)/,
    ],
    [
      'how many links there were a day',
      (database) => links(database).usedPerDay('T1', NOON, 14),
      /^SEARCH watch_links USING COVERING INDEX watch_links_(?:by_workspace|not_accepted) /,
    ],
    [
      'the links that are old enough to be removed',
      (database) => database.write(removeOldLinks(NOON, 500)),
      /^SEARCH watch_links USING (?:INDEX watch_links_by_time|COVERING INDEX sqlite_autoindex_watch_links_1) /,
    ],
    [
      'what a digest counts',
      (database) => countSessions(database, 'T1', { from: NOON - DAY_MS, to: NOON, starts: [NOON - DAY_MS] }),
      /^SEARCH session_ends USING INDEX session_ends_by_time \(workspace_id=\? AND received_at>\? AND received_at<\?\)/,
    ],
  ])('%s by an index', async (_what, ask, index) => {
    const { database, steps } = await explaining();
    await ask(database);
    // What is joined is one row each, and what is sorted is what was found.
    const found = steps.filter((step) =>
      /^(?:SEARCH|SCAN) (?:d|deliveries|watch_links|session_ends) /.test(step),
    );
    expect(found.length).toBeGreaterThan(0);
    for (const step of found) expect(step).toMatch(index);
  });
});

// The condition of an index is a bound, too: by `> 0` they would read what is much older than asked for.
describe('SQLite reads no further back than asked', () => {
  it('for the links of some days', async () => {
    const { database, opcodes } = await explaining();
    await links(database).usedPerDay('T1', NOON, 14);
    expect(opcodes).toContain('SeekGE');
    expect(opcodes).not.toContain('SeekGT');
  });

  it('for the audit since a time', async () => {
    const { database, opcodes } = await explaining();
    const audit = createAudit({ database, now, keptDays: 365, secret: '', report: unheard });
    const since = new Date(NOON - DAY_MS);
    const all = { userIds: [], channelIds: [], visitorIds: [], actions: [], since };
    await audit.page('T1', all, positionBefore(new Date(NOON)), 20);
    expect(opcodes).toContain('IdxLT');
    expect(opcodes).not.toContain('IdxLE');
  });
});
