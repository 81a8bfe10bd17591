import { describe, expect, it, onTestFinished } from 'vitest';
import { SessionSchema } from '../../src/cobrowse/schemas.ts';
import { createStopRecords, removeOldStops } from '../../src/session-end/stops.ts';
import { openDatabase } from '../../src/database/open.ts';
import { engines } from '../support/engines.ts';
import { ALEX, SAM } from '../support/person.ts';
import { endedSession } from '../deliveries/ended-session.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const T = 'T0ACME00000';
const alex = { workspaceId: T, userId: ALEX };

const endedAt = (time: number) =>
  SessionSchema.parse(endedSession('s', { ended_at: new Date(time).toISOString() }));

describe.each(engines)('who stopped a session, in $engine', ({ newUrl }) => {
  async function openStops() {
    const clock = { time: NOON };
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    return { stops: createStopRecords(database, () => clock.time), clock, database };
  }

  it('is recorded before the session is stopped', async () => {
    const { stops } = await openStops();
    let during: unknown;
    await stops.around('jane', alex, async () => {
      during = await stops.stoppedBy(T, 'jane', endedAt(NOON));
    });
    expect(during).toMatchObject({ userId: ALEX });
  });

  it('is the person who stopped last', async () => {
    const { stops, clock } = await openStops();
    await stops.around('jane', alex, async () => undefined);
    clock.time += MINUTE_MS;
    await stops.around('jane', { ...alex, userId: SAM, reason: 'Done' }, async () => undefined);
    expect(await stops.stoppedBy(T, 'jane', endedAt(clock.time))).toEqual({ userId: SAM, reason: 'Done' });
    clock.time += 5 * MINUTE_MS;
    await stops.around('jane', alex, async () => undefined);
    const earlier = endedAt(clock.time - 5 * MINUTE_MS);
    expect(await stops.stoppedBy(T, 'jane', earlier)).toMatchObject({ userId: SAM });
  });

  it('is nobody for another visitor, another workspace or a session that ended at another time', async () => {
    const { stops } = await openStops();
    await stops.around('jane', alex, async () => undefined);
    expect(await stops.stoppedBy(T, 'liam', endedAt(NOON))).toBeUndefined();
    expect(await stops.stoppedBy('T0OTHER', 'jane', endedAt(NOON))).toBeUndefined();
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON - 3 * MINUTE_MS))).toBeUndefined();
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON + 3 * MINUTE_MS))).toBeUndefined();
    const noEnd = SessionSchema.parse(endedSession('s', { ended_at: null }));
    expect(await stops.stoppedBy(T, 'jane', noEnd)).toBeUndefined();
  });

  it('allows for two minutes between the clocks', async () => {
    const { stops } = await openStops();
    await stops.around('jane', alex, async () => undefined);
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON - 2 * MINUTE_MS))).toMatchObject({ userId: ALEX });
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON + 2 * MINUTE_MS))).toMatchObject({ userId: ALEX });
  });

  it('is known for a week, for a late webhook', async () => {
    const { stops, clock, database } = await openStops();
    await stops.around('jane', alex, async () => undefined);
    clock.time += 6 * DAY_MS;
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON))).toMatchObject({ userId: ALEX });
    clock.time += DAY_MS;
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON))).toBeUndefined();
    expect(await database.write(removeOldStops(clock.time, 10))).toMatchObject([{ changed: 1 }]);
  });

  it('doesn’t keep a session running if it can’t be recorded', async () => {
    const { stops, database } = await openStops();
    await database.close();
    let hasStopped = false;
    await stops.around('jane', alex, async () => void (hasStopped = true));
    expect(hasStopped).toBe(true);
  });

  it('is kept if the stopping itself fails', async () => {
    const { stops } = await openStops();
    const refusal = new Error('no such visitor');
    await expect(stops.around('jane', alex, () => Promise.reject(refusal))).rejects.toBe(refusal);
  });

  it('is nobody if it can’t be read: no summary waits for it', async () => {
    const { stops, database } = await openStops();
    await stops.around('jane', alex, async () => undefined);
    await database.close();
    expect(await stops.stoppedBy(T, 'jane', endedAt(NOON))).toBeUndefined();
  });
});
