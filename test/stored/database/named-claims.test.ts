import { describe, expect, it } from 'vitest';
import { createNamedClaims, removeOldClaims } from '../../../src/database/named-claims.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

describe.each(engines)('a claim by name, in $engine', ({ newUrl }) => {
  async function open() {
    const clock = { time: NOON };
    const database = await openUntilTestEnds(await newUrl());
    return { clock, database, claims: createNamedClaims(database, () => clock.time) };
  }

  it('goes to one of many callers, in its workspace', async () => {
    const { claims } = await open();
    const taken = await Promise.all(Array.from({ length: 8 }, () => claims.claim('T1', 'file', 1_000)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await claims.claim('T2', 'file', 1_000)).toBe(true);
    expect(await claims.claim('T1', 'other', 1_000)).toBe(true);
  });

  it('is free again once it is released or expired', async () => {
    const { claims, clock } = await open();
    await claims.claim('T1', 'file', 1_000);
    await claims.release('T1', 'file');
    expect(await claims.claim('T1', 'file', 1_000)).toBe(true);
    clock.time += 1_000;
    expect(await claims.claim('T1', 'file', 1_000)).toBe(true);
    expect(await claims.claim('T1', 'file', 1_000)).toBe(false);
  });

  it('is removed once it has expired', async () => {
    const { claims, database } = await open();
    await claims.claim('T1', 'file', 1_000);
    expect((await database.write(removeOldClaims(NOON, 10)))[0]?.changed).toBe(0);
    expect((await database.write(removeOldClaims(NOON + 1_000, 10)))[0]?.changed).toBe(1);
  });
});
