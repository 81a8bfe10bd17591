import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/database/database.ts';
import {
  createUnconfirmedPresses,
  createTicketUses,
  removeOldTicketUses,
} from '../../../src/watch/unconfirmed-presses.ts';
import { engines, openUntilTestEnds, openForTwo } from '../../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const steadyAt = (time: number) => ({ steadyTime: () => sql`CAST(${time} AS BIGINT)` });
const used = { workspaceId: 'T1', ticket: 'sealed', expiresAt: NOON + 30 * MINUTE_MS };

describe.each(engines)('what happened to a button’s address, in $engine', ({ newUrl }) => {
  const open = async () => {
    const clock = { time: NOON };
    const [database, another] = await openForTwo(await newUrl());
    const now = () => clock.time;
    const steadyTime = () => steadyAt(clock.time).steadyTime();
    const usesOf = (own: typeof database) => createTicketUses({ database: { ...own, steadyTime }, now });
    return { one: usesOf(database), other: usesOf(another), clock, database };
  };

  it('wears out with the third failed opening, counted by all processes, says so once and stays so', async () => {
    const { one, other, clock } = await open();
    const counted = await Promise.all([one, other, one].map((uses) => uses.countFailed(used)));
    expect(counted.toSorted()).toEqual(['counted', 'counted', 'now-blocked']);
    expect(await other.isBlocked(used)).toBe(true);
    expect(await one.countFailed(used)).toBe('blocked');
    expect(await one.isBlocked({ ...used, ticket: 'another' })).toBe(false);
    expect(await one.isBlocked({ ...used, workspaceId: 'T2' })).toBe(false);
    clock.time += DAY_MS;
    expect(await one.isBlocked(used)).toBe(true);
    // The clock is set back, and its button is good again.
    clock.time = NOON - 20 * MINUTE_MS;
    expect(await one.countFailed(used)).toBe('blocked');
  });

  it('is removed once the button has expired by the clock and a day is over, or the machine began anew', async () => {
    const { one, database } = await open();
    const removed = async (steady: number, until: number) =>
      (await database.write(removeOldTicketUses(steadyAt(steady), until, 500)))[0]?.changed;
    await one.countFailed(used);
    expect(await removed(NOON + DAY_MS, used.expiresAt - 1)).toBe(0);
    expect(await removed(NOON + DAY_MS - 1, NOON + DAY_MS)).toBe(0);
    expect(await removed(NOON + DAY_MS, used.expiresAt)).toBe(1);
    await one.countFailed(used);
    expect(await removed(MINUTE_MS, used.expiresAt - 1)).toBe(0);
    // Set back by less, it's no new beginning of the machine's steady time.
    expect(await removed(NOON - DAY_MS, used.expiresAt)).toBe(0);
    expect(await removed(MINUTE_MS, used.expiresAt)).toBe(1);
  });

  it('lets one process write to its owner in a minute', async () => {
    const { one, other, clock } = await open();
    const claims = await Promise.all([one, other, one].map((uses) => uses.claimSending(used, MINUTE_MS)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    clock.time += MINUTE_MS;
    expect(await other.claimSending(used, MINUTE_MS)).toBe(true);
  });
});

const ALEX = { workspaceId: 'T0ACME00000', userId: 'U0ALEX00001' };
const OTHERS = [
  { ...ALEX, userId: 'U0SAM000002' },
  { ...ALEX, workspaceId: 'T0OTHER0000' },
];

describe.each(engines)('somebody whose Slack loses presses, in $engine', ({ newUrl }) => {
  async function open() {
    const clock = { time: NOON };
    const database = await openUntilTestEnds(await newUrl());
    return { clock, lost: createUnconfirmedPresses({ database, now: () => clock.time }) };
  }

  it('is remembered for 30 days once they pressed in Slack after a page without a press, and nobody else is', async () => {
    const { clock, lost } = await open();
    await lost.suspect(ALEX);
    for (const other of OTHERS) await lost.confirm(other);
    expect(await lost.isRemembered(ALEX)).toBe(false);
    await lost.confirm(ALEX);
    for (const other of OTHERS) {
      expect(await lost.isRemembered(other)).toBe(false);
      await lost.forget(other);
    }
    expect(await lost.isRemembered(ALEX)).toBe(true);
    clock.time += 30 * DAY_MS - 1;
    expect(await lost.isRemembered(ALEX)).toBe(true);
    clock.time += 1;
    expect(await lost.isRemembered(ALEX)).toBe(false);
  });

  it('is not remembered for a press half an hour later, nor longer for further ones', async () => {
    const { clock, lost } = await open();
    await lost.suspect(ALEX);
    clock.time += 30 * MINUTE_MS;
    await lost.confirm(ALEX);
    expect(await lost.isRemembered(ALEX)).toBe(false);
    await lost.suspect(ALEX);
    await lost.confirm(ALEX);
    clock.time += 29 * DAY_MS;
    await lost.confirm(ALEX);
    clock.time += DAY_MS;
    expect(await lost.isRemembered(ALEX)).toBe(false);
  });

  it('is forgotten when Slack reports a press, with what was suspected', async () => {
    const { lost } = await open();
    await lost.suspect(ALEX);
    await lost.confirm(ALEX);
    await lost.suspect(ALEX);
    await lost.forget(ALEX);
    await lost.confirm(ALEX);
    expect(await lost.isRemembered(ALEX)).toBe(false);
  });
});
