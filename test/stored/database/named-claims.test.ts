import { describe, expect, it } from 'vitest';
import { createNamedClaims, removeOldClaims } from '../../../src/database/named-claims.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

describe.each(engines)('a claim by name, in $engine', ({ newUrl }) => {
  it('is free again once it is released or expired, and then removed', async () => {
    const clock = { time: NOON };
    const database = await openUntilTestEnds(await newUrl());
    const claims = createNamedClaims(database, () => clock.time);
    const claim = () => claims.claim('T1', 'file', 1_000);
    await claim();
    await claims.release('T1', 'file');
    expect(await claim()).toBe(true);
    clock.time += 1_000;
    expect([await claim(), await claim()]).toEqual([true, false]);
    const removed = async (time: number) => (await database.write(removeOldClaims(time, 10)))[0]?.changed;
    expect([await removed(NOON + 1_999), await removed(NOON + 2_000)]).toEqual([0, 1]);
  });
});
