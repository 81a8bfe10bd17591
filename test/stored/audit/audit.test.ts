import { afterAll, describe, expect, it } from 'vitest';
import {
  AuditEntry,
  createAudit,
  positionBefore,
  type AuditFilter,
  type NewEntry,
} from '../../../src/audit/audit.ts';
import { createRecording } from '../../../src/audit/recording.ts';
import { sql, type Database } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { end, entriesIn, everything } from '../../audit/entries.ts';
import { unheard } from '../../audit/unheard.ts';

const noon = Date.UTC(2020, 0, 1, 12);
const DAY_MS = 24 * 60 * 60 * 1_000;
const ACME = 'T0ACME00000';
const entry: NewEntry = { workspaceId: ACME, userId: 'U0ALEX00001', action: 'search', outcome: 'done' };

const fits = (wanted: readonly string[] = [], value = '') => wanted.length === 0 || wanted.includes(value);

function createOn(
  database: Pick<Database, 'read' | 'write' | 'inBackground'>,
  { keptDays = 30, secret = 'a secret' } = {},
) {
  const clock = { time: noon };
  const logged: AuditEntry[] = [];
  const audit = createAudit({
    database,
    now: () => clock.time,
    keptDays,
    secret,
    report: { ...unheard, entry: (one) => void logged.push(one) },
  });
  const read = (filter: Partial<AuditFilter> = {}, workspaceId = ACME, from = end) =>
    entriesIn(audit, workspaceId, filter, from);
  const outcomes = async (...given: Parameters<typeof read>) =>
    (await read(...given)).map(({ outcome }) => outcome);
  /** The outcomes of what matches, page by page. */
  async function pages(filter: Partial<AuditFilter>, size: number) {
    const found: string[][] = [];
    for (let next: typeof end | undefined = end; next !== undefined;) {
      const page = await audit.page(ACME, { ...everything, ...filter }, next, size);
      found.push(page.found.map(({ outcome }) => outcome));
      next = page.next;
    }
    return found;
  }
  return { audit, clock, logged, read, outcomes, pages };
}

describe.each(engines)('the audit in $engine', ({ newUrl }) => {
  async function openAudit(options: Parameters<typeof createOn>[1] = {}) {
    const database = await openUntilTestEnds(await newUrl());
    return { database, ...createOn(database, options) };
  }

  it('keeps each entry with its time, logs the same, and skips those of a newer version of the app', async () => {
    const { database, audit, logged, read } = await openAudit();
    const about = { ...entry, visitorId: 'jane4821', channelId: 'C0SUPPORT01', detail: { found: 3 } };
    await audit.record(about);
    const expected = { at: '2020-01-01T12:00:00.000Z', ...about };
    expect(await read()).toEqual([expected]);
    expect(logged).toEqual([expected]);
    await audit.record({ ...entry, outcome: 'newer' });
    await database.write(sql`UPDATE audit SET action = 'theft' WHERE outcome = 'newer'`);
    expect(await read()).toEqual([expected]);
  });

  it('is read newest first, even within one millisecond, from a moment backwards without its millisecond', async () => {
    const { audit, clock, outcomes } = await openAudit();
    for (const outcome of ['1', '2', '3']) {
      clock.time += 1;
      await audit.record({ ...entry, outcome: `${outcome}a` });
      await audit.record({ ...entry, outcome: `${outcome}b` });
    }
    expect(await outcomes()).toEqual(['3b', '3a', '2b', '2a', '1b', '1a']);
    expect(await outcomes({}, ACME, positionBefore(noon + 3))).toEqual(['2b', '2a', '1b', '1a']);
    expect(await outcomes({}, ACME, positionBefore(noon))).toEqual([]);
  });

  it('keeps workspaces apart, even if one id starts with another', async () => {
    const { audit, outcomes } = await openAudit();
    const ids = ['T1', 'T10', 'T1A', 'T', 'T2'];
    for (const workspaceId of ids) await audit.record({ ...entry, workspaceId, outcome: workspaceId });
    for (const workspaceId of ids) expect(await outcomes({}, workspaceId)).toEqual([workspaceId]);
    expect(await outcomes({}, 'T3')).toEqual([]);
  });

  it('shows an entry until it expires, and then removes it in small steps', async () => {
    const { database, audit, clock, outcomes } = await openAudit({ keptDays: 2 });
    for (const outcome of ['old', 'older', 'oldest']) await audit.record({ ...entry, outcome });
    clock.time += DAY_MS;
    await audit.record({ ...entry, outcome: 'young' });
    clock.time += DAY_MS - 1;
    expect(await outcomes()).toHaveLength(4);
    clock.time += 1;
    expect(await outcomes()).toEqual(['young']);
    const removals = () => database.write(...audit.removals.map((remove) => remove(clock.time, 2)));
    const remove = async () => (await removals()).map(({ changed }) => changed);
    expect([await remove(), await remove(), await remove()]).toEqual([[2], [1], [0]]);
    clock.time -= DAY_MS;
    expect(await outcomes()).toEqual(['young']);
  });

  it('is written together with the change it records, or not at all', async () => {
    const { database, audit, logged, outcomes } = await openAudit();
    const asked = audit.prepare({ ...entry, outcome: 'asked' });
    await database.writeIf(sql`UPDATE schema_version SET checked = 1 WHERE version = -1`, asked.statement);
    expect(await outcomes()).toEqual([]);
    await database.writeIf(sql`UPDATE schema_version SET checked = 1`, asked.statement);
    expect(logged).toEqual([]);
    asked.report();
    expect(logged).toMatchObject([{ outcome: 'asked' }]);
    expect(await outcomes()).toEqual(['asked']);
  });

  it('finds what matches each part of a filter, in one order, page by page', async () => {
    const { audit, clock, outcomes, pages } = await openAudit();
    const users = ['U1', 'U2', 'U3'];
    const channels = ['C1', 'C2', undefined];
    const actions = ['link', 'stop', 'search', 'refusal'] as const;
    const all = Array.from({ length: 240 }, (_, number) => ({
      outcome: String(number),
      userId: users[number % 3] ?? '',
      channelId: channels[Math.floor(number / 3) % 3],
      action: actions[Math.floor(number / 9) % 4] ?? 'link',
      ...(number % 5 === 0 ? { visitorId: `v${number % 10}` } : {}),
    }));
    for (const one of all) {
      await audit.record({ ...entry, ...one });
      clock.time += 1;
    }
    const filters: Partial<AuditFilter>[] = [
      { userIds: ['U1', 'U3', 'U1'] },
      { channelIds: ['C2', 'C1'], userIds: ['U2'] },
      { visitorIds: ['v0', 'v5'], actions: ['stop', 'refusal'] },
      { actions: ['link'], since: new Date(noon + 100) },
      { userIds: ['U9'] },
      {},
    ];
    for (const filter of filters) {
      const expected = all
        .filter((_one, number) => noon + number >= (filter.since?.getTime() ?? 0))
        .filter((one) => fits(filter.userIds, one.userId))
        .filter((one) => fits(filter.channelIds, one.channelId) && fits(filter.visitorIds, one.visitorId))
        .filter((one) => fits(filter.actions, one.action))
        .map(({ outcome }) => outcome)
        .toReversed();
      expect(await outcomes(filter)).toEqual(expected);
      const found = await pages(filter, 7);
      expect(found.slice(0, -1).every(({ length }) => length === 7)).toBe(true);
      expect(found.flat()).toEqual(expected);
    }
  });
});

const inMemory = await openDatabase('memory:');
afterAll(() => inMemory.close());

it('an entry names the one visitor whom a search found, and no agent', async () => {
  const { audit, logged } = createOn(inMemory);
  const { search } = createRecording(audit);
  for (const found of [[], [{ short_id: 'jane' }], [{ id: 'agent' }], [{ short_id: 'a' }, { short_id: 'b' }]])
    await search<readonly object[]>(entry, 'jane', async () => found);
  expect(logged.map(({ visitorId }) => visitorId)).toEqual([undefined, 'jane', undefined, undefined]);
});

it('the hash of what was typed is the same for the same words and key alone, whatever the spacing at the ends and the capitals', () => {
  const { audit } = createOn(inMemory);
  const other = createOn(inMemory, { secret: 'another secret' });
  const hash = audit.hashOf('jane@acme.com');
  expect(hash).toMatch(/^[\w-]{22}$/);
  expect(audit.hashOf(' Jane@ACME.com ')).toBe(hash);
  expect(audit.hashOf('jane@acme.co')).not.toBe(hash);
  expect(other.audit.hashOf('jane@acme.com')).not.toBe(hash);
});
