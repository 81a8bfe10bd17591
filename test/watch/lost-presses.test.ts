import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { createLostPresses, removeOldLostPresses } from '../../src/watch/missed-presses.ts';
import { engines } from '../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ALEX = { workspaceId: 'T0ACME00000', userId: 'U0ALEX00001' };
const OTHERS = [
  { ...ALEX, userId: 'U0SAM000002' },
  { ...ALEX, workspaceId: 'T0OTHER0000' },
];

describe.each(engines)('somebody whose Slack loses presses, in $engine', ({ newUrl }) => {
  async function open() {
    const clock = { time: NOON };
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    return { clock, database, lost: createLostPresses(database, () => clock.time) };
  }

  it('is remembered for 30 days once they pressed in Slack after a page without a press, and nobody else is', async () => {
    const { clock, lost } = await open();
    await lost.suspect(ALEX);
    expect(await lost.isRemembered(ALEX)).toBe(false);
    await lost.confirm(ALEX);
    expect(await lost.isRemembered(ALEX)).toBe(true);
    for (const other of OTHERS) {
      await lost.confirm(other);
      expect(await lost.isRemembered(other)).toBe(false);
    }
    clock.time += 30 * DAY - 1;
    expect(await lost.isRemembered(ALEX)).toBe(true);
    clock.time += 1;
    expect(await lost.isRemembered(ALEX)).toBe(false);
  });

  it('is not remembered for a press half an hour later, nor longer for further ones', async () => {
    const { clock, lost } = await open();
    await lost.suspect(ALEX);
    clock.time += 30 * MINUTE;
    await lost.confirm(ALEX);
    expect(await lost.isRemembered(ALEX)).toBe(false);
    await lost.suspect(ALEX);
    await lost.confirm(ALEX);
    clock.time += 29 * DAY;
    await lost.confirm(ALEX);
    clock.time += DAY;
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

  it('is removed from the database when that is over, and not before', async () => {
    const { lost, database } = await open();
    await lost.suspect(ALEX);
    await lost.confirm(ALEX);
    await lost.suspect(ALEX);
    const remove = async (until: number) =>
      (await database.write(removeOldLostPresses(until, 500)))[0]?.changed;
    expect([await remove(NOON + 30 * DAY - 1), await remove(NOON + 30 * DAY)]).toEqual([0, 1]);
  });
});
