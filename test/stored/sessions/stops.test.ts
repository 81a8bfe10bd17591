import { describe, expect, it } from 'vitest';
import { SessionSchema } from '../../../src/cobrowse/schemas.ts';
import { createStopRecords, removeOldStops } from '../../../src/sessions/stops.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { ALEX, SAM } from '../../support/person.ts';
import { endedSession } from '../../sessions/ended-session.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const DAY_MS = 24 * 60 * 60_000;
const T = 'T0ACME00000';
const alex = { workspaceId: T, userId: ALEX, sessionIds: ['one'] };
const sam = { workspaceId: T, userId: SAM, sessionIds: ['two'] };
const done = async () => undefined;

const session = (id: string) => SessionSchema.parse(endedSession(id));

describe.each(engines)('who stopped a session, in $engine', ({ newUrl }) => {
  async function openStops() {
    const clock = { time: NOON };
    const database = await openUntilTestEnds(await newUrl());
    return { stops: createStopRecords(database, () => clock.time), clock, database };
  }

  it('is recorded before the session is stopped', async () => {
    const { stops } = await openStops();
    let during: unknown;
    await stops.around('jane', alex, async () => {
      during = await stops.stoppedBy(T, 'jane', session('one'));
    });
    expect(during).toEqual({ userId: ALEX });
  });

  it.each([
    ['who stopped this session, however soon somebody stops the next', 1, ['two'], ALEX],
    ['the first of two who stop the same one', 1, ['one'], ALEX],
    ['the last one where the session still ran long after the first', 60_000, ['one'], SAM],
  ])('is %s', async (_case, laterMs, sessionIds, userId) => {
    const { stops, clock } = await openStops();
    await stops.around('jane', alex, done);
    clock.time += laterMs;
    await stops.around('jane', { ...sam, sessionIds, reason: 'Done' }, done);
    expect(await stops.stoppedBy(T, 'jane', session('one'))).toMatchObject({ userId });
    expect(await stops.stoppedBy(T, 'jane', session('two'))).toEqual(
      sessionIds.includes('two') ? { userId: SAM, reason: 'Done' } : undefined,
    );
  });

  it('is nobody for a session that did not run then, whenever it ended, for another visitor or workspace, or where nobody knows what ran', async () => {
    const { stops } = await openStops();
    await stops.around('jane', alex, done);
    await stops.around('noah', { ...alex, sessionIds: [] }, done);
    expect(await stops.stoppedBy(T, 'jane', session('declined just then'))).toBeUndefined();
    expect(await stops.stoppedBy(T, 'liam', session('one'))).toBeUndefined();
    expect(await stops.stoppedBy('T0OTHER', 'jane', session('one'))).toBeUndefined();
    expect(await stops.stoppedBy(T, 'noah', session('one'))).toBeUndefined();
  });

  it('is nobody where the stop failed, which says so', async () => {
    const { stops } = await openStops();
    const refusal = new Error('no such visitor');
    await expect(stops.around('jane', alex, () => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(await stops.stoppedBy(T, 'jane', session('one'))).toBeUndefined();
  });

  it('is known for 30 days, for a late webhook or an outcome, at which the summary is drawn again', async () => {
    const { stops, clock, database } = await openStops();
    await stops.around('jane', alex, done);
    clock.time += 29 * DAY_MS;
    expect(await stops.stoppedBy(T, 'jane', session('one'))).toEqual({ userId: ALEX });
    clock.time += DAY_MS;
    expect(await stops.stoppedBy(T, 'jane', session('one'))).toBeUndefined();
    expect(await database.write(removeOldStops(clock.time, 10))).toMatchObject([{ changed: 1 }]);
  });

  it('keeps no session running and no summary waiting while it can’t be recorded or read', async () => {
    const { stops, database } = await openStops();
    await stops.around('jane', alex, done);
    await database.close();
    let hasStopped = false;
    await stops.around('jane', sam, async () => void (hasStopped = true));
    expect(hasStopped).toBe(true);
    expect(await stops.stoppedBy(T, 'jane', session('one'))).toBeUndefined();
  });
});
