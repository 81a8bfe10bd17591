import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { createTicketUses, removeOldTicketUses } from '../../src/watch/ticket-uses.ts';
import { engines } from '../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const steadyAt = (time: number) => ({ steadyTime: () => sql`CAST(${time} AS BIGINT)` });
const used = { workspaceId: 'T1', ticket: 'sealed' };

describe.each(engines)('what happened to a button’s address, in $engine', ({ newUrl }) => {
  const open = async () => {
    const clock = { time: NOON };
    const url = await newUrl();
    const databases = await Promise.all([openDatabase(url), openDatabase(url)]);
    onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))));
    const [one, other] = databases.map((database) =>
      createTicketUses({ ...database, steadyTime: () => steadyAt(clock.time).steadyTime() }),
    );
    if (one === undefined || other === undefined) throw new Error('There are two.');
    return { one, other, clock, database: databases[0] };
  };

  it('wears out with the sixth failed opening, counted by all processes, and says so once', async () => {
    const { one, other, clock } = await open();
    const openings = Array.from({ length: 6 }, (_, index) =>
      (index % 2 === 0 ? one : other).countFailed(used),
    );
    expect((await Promise.all(openings)).filter(Boolean)).toHaveLength(1);
    expect(await other.isWornOut(used)).toBe(true);
    expect(await one.countFailed(used)).toBe(false);
    expect(await one.isWornOut({ ...used, ticket: 'another' })).toBe(false);
    expect(await one.isWornOut({ ...used, workspaceId: 'T2' })).toBe(false);
    clock.time += 60 * MINUTE_MS;
    expect(await one.isWornOut(used)).toBe(false);
  });

  it('counts from the start again once what it was is expired, removed or not', async () => {
    const { one, other, clock, database } = await open();
    for (let opening = 0; opening < 6; opening += 1) await one.countFailed(used);
    clock.time += 60 * MINUTE_MS;
    expect(await one.countFailed(used)).toBe(false);
    expect(await other.isWornOut(used)).toBe(false);
    clock.time += 60 * MINUTE_MS;
    const removed = async (until: number) =>
      (await database?.write(removeOldTicketUses(steadyAt(until), 500)))?.[0]?.changed;
    expect([await removed(clock.time - 1), await removed(clock.time)]).toEqual([0, 1]);
  });

  it('lets one process write to its owner in a minute, and says what came of it', async () => {
    const { one, other, clock } = await open();
    const claims = await Promise.all([one, other, one].map((uses) => uses.claimSending(used, MINUTE_MS)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await other.sendingOf(used)).toBeUndefined();
    await one.recordSending(used, 'nowhere');
    expect(await other.sendingOf(used)).toBe('nowhere');
    clock.time += MINUTE_MS;
    expect(await other.claimSending(used, MINUTE_MS)).toBe(true);
    expect(await one.sendingOf(used)).toBeUndefined();
  });
});
