import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { positionBefore } from '../../src/audit/audit.ts';
import { Sql, type Database } from '../../src/database/database.ts';
import { createOverview } from '../../src/outbox/overview.ts';
import { cardOf } from '../../src/sessions/cards.ts';
import {
  createWatchLinks,
  linkUnderWay,
  recordLink,
  removeOldLinks,
} from '../../src/sessions/watch-links.ts';
import {
  createSessionSearch,
  endedBefore,
  type Scope,
  type SessionFilter,
} from '../../src/team/session-search.ts';
import { countSessions } from '../../src/subscriptions/digest-numbers.ts';
import { auditOf } from '../audit/unheard.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { changedDatabase } from './changed-database.ts';
import { openUntilTestEnds } from '../support/engines.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const DAY_MS = 24 * 3_600_000;
const FORTNIGHT = Array.from({ length: 15 }, (_nothing, day) => NOON + day * DAY_MS);
const now = () => NOON;

const PlanStep = z.object({ detail: z.string() });
const Opcode = z.object({ opcode: z.string() });

/** What is asked of a database, and how it finds the answer. */
async function asking() {
  const database = await openUntilTestEnds('memory:');
  const steps: string[] = [];
  const opcodes: string[] = [];
  async function explain({ strings: [first = '', ...others], values }: Sql): Promise<void> {
    const explained = (by: string) => new Sql([`${by} ${first}`, ...others], values);
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
  const explaining = changedDatabase(database, { read, write });
  return {
    database: explaining,
    overview: createOverview({ database: explaining, paceMs: 0, now }),
    links: createWatchLinks(explaining, now),
    search: createSessionSearch(explaining),
    steps,
    opcodes,
  };
}

type Ask = (of: Awaited<ReturnType<typeof asking>>) => Promise<unknown>;

const { id: cardId } = cardOf(alexInSupport, 'Alex Rivera', { id: 'card-1', time: NOON });
const newLink = recordLink({ link: alexInSupport, agentId: 'agent_alex', issuedAt: NOON }, NOON, cardId);
const toSameScreen = linkUnderWay(alexInSupport, { own: NOON, others: NOON });
const lastDay = { from: NOON - DAY_MS, to: NOON, starts: [NOON - DAY_MS] };

const inTrouble = /(?:deliveries_in_trouble|deliveries_failed) /;
const allInTrouble = /(?:deliveries_in_trouble|deliveries_failed)$/;
const byVisitor = /watch_links_by_visitor \(workspace_id=\? AND visitor_id=\? AND issued_at>\?\)/;
const byUser = /watch_links_by_user \(workspace_id=\? AND user_id=\? AND issued_at>\?\)/;
const byTime = /session_ends_by_time \(workspace_id=\? AND received_at>\? AND received_at<\?\)/;
const oneEach = /(?:session_ends_by_link|deliveries_once) /;
const countable = /watch_links_(?:by_workspace|not_accepted) /;
const removable = /(?:watch_links_by_time|sqlite_autoindex_watch_links_1) /;
const inWorkspace = /deliveries_unsettled \(workspace_id=\? AND accepted_at>\?\)/;
const between = /deliveries_oldest \(accepted_at>\? AND accepted_at<\?\)/;

const everything: SessionFilter = {
  userIds: [],
  channelIds: [],
  visitorIds: [],
  words: [],
  since: new Date(NOON - DAY_MS),
};
const ownAndHere: Scope = { userId: 'U1', channelIds: ['C1'] };
/** Lists and counts ended sessions. */
const ended =
  (filter: Partial<SessionFilter>, scope: Scope = 'all'): Ask =>
  async ({ search }) => {
    const found = await search.matching('T1', { ...everything, ...filter }, scope);
    await found.page(6, endedBefore(NOON));
    await found.count(endedBefore(NOON));
  };
const byEnd = (what: string) =>
  new RegExp(
    `session_ends_by_${what} \\(workspace_id=\\? AND (?:.+=\\? AND )?received_at>\\? AND \\(?received_at[^ ]*<`,
  );

// SQLite plans by the query alone, since it keeps no row counts here. So a plan is the same in every database.
describe('SQLite, however much is stored, reads', () => {
  it.each<[string, RegExp, Ask]>([
    ['the delivery that waits longest of all', /deliveries_oldest /, ({ overview }) => overview.oldest()],
    ['that of a workspace', inWorkspace, ({ overview }) => overview.oldest('T1')],
    ['how many wait', /deliveries_unsettled /, ({ overview }) => overview.waiting('T1')],
    ['how many wait in all workspaces', /deliveries_oldest/, ({ overview }) => overview.waiting()],
    ['how many have waited for long', between, ({ overview }) => overview.waitingSince(NOON)],
    ['a workspace’s deliveries in trouble', inTrouble, ({ overview }) => overview.list('T1', 5)],
    ['how many are in trouble', allInTrouble, ({ overview }) => overview.inTrouble()],
    ['who is in visitors’ sessions', byVisitor, ({ links }) => links.inUse('T1', ['v1', 'v2'], NOON)],
    ['a person’s links to look for', /watch_links_looked_for /, ({ links }) => links.lookedFor('T1', 'U1')],
    ['a person’s latest links', byUser, ({ links }) => links.of('T1', 'U1', 50)],
    [
      'whether a new link’s session has ended, and its card',
      oneEach,
      ({ database }) => database.write(newLink),
    ],
    ['a link to the same screen', byVisitor, ({ database }) => database.read(toSameScreen, z.unknown())],
    ['how many links there were a day', countable, ({ links }) => links.usedPerDay('T1', FORTNIGHT)],
    [
      'links old enough to be removed',
      removable,
      ({ database }) => database.write(removeOldLinks(NOON, 500)),
    ],
    ['the latest ended sessions', byEnd('time'), ended({})],
    ['one’s own, and a channel’s', byEnd('time'), ended({}, ownAndHere)],
    ['a person’s', byEnd('user'), ended({ userIds: ['U1'] })],
    ['a visitor’s', byEnd('visitor'), ended({ visitorIds: ['v1'] })],
    ['a channel’s', byEnd('summary'), ended({ channelIds: ['C1'] })],
    ['those without an outcome', byEnd('outcome'), ended({ words: ['none'] })],
    ['what a digest counts', byTime, ({ database }) => countSessions(database, 'T1', lastDay)],
  ])('%s by an index', async (_what, index, ask) => {
    const of = await asking();
    await ask(of);
    // What is joined is one row each, and what is sorted is what was found.
    const found = of.steps.filter((step) =>
      /^(?:SEARCH|SCAN) (?:d|deliveries|watch_links|session_ends) /.test(step),
    );
    expect(found.length).toBeGreaterThan(0);
    // An index of those in trouble alone has few entries, and is read as a whole.
    const way = index === allInTrouble ? /^SCAN \w+ USING / : /^SEARCH \w+ USING /;
    for (const step of found) for (const told of [way, index]) expect(step).toMatch(told);
  });
});

// The condition of an index is a bound, too: by `> 0` they would read what is much older than asked for.
describe('SQLite reads no further back than asked', () => {
  it('for the links of some days', async () => {
    const { links, opcodes } = await asking();
    await links.usedPerDay('T1', FORTNIGHT);
    expect(opcodes).toContain('SeekGE');
    expect(opcodes).not.toContain('SeekGT');
  });

  it('for the audit since a time', async () => {
    const { database, opcodes } = await asking();
    const audit = auditOf(database, now);
    const since = new Date(NOON - DAY_MS);
    const all = { userIds: [], channelIds: [], visitorIds: [], actions: [], since };
    await audit.page('T1', all, positionBefore(NOON), 20);
    expect(opcodes).toContain('IdxLT');
    expect(opcodes).not.toContain('IdxLE');
  });
});
