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
