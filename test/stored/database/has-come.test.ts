import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hasCome, hasComeIn, sql } from '../../../src/database/database.ts';
import { onlySqlite, engines, openUntilTestEnds } from '../../support/engines.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const HOUR = 60 * 60_000;

const times = [
  ['now', NOW, true],
  ['in a moment', NOW + 1, false],
  ['in an hour by another process, whose clock is half a minute ahead', NOW + HOUR + 30_000, false],
  ['further ahead, by a clock that was wrong', NOW + HOUR + 60_001, true],
] as const;

describe.each(onlySqlite)('a time that is set at most an hour ahead', () => {
  it.each(times)('has come or not, if it is %s', (_when, time, expected) => {
    expect(hasCome(time, NOW, HOUR)).toBe(expected);
  });
});

describe.each(engines)('the same in $engine', ({ newUrl }) => {
  it.each(times)('if it is %s', async (_when, time, expected) => {
    const database = await openUntilTestEnds(await newUrl());
    await database.write(
      sql`INSERT INTO claims (workspace_id, name, claimed_until) VALUES ('T1', 'one', ${time})`,
    );
    const due = sql`SELECT name FROM claims WHERE ${hasComeIn(sql`claimed_until`, NOW, HOUR)}`;
    expect(await database.read(due, z.object({ name: z.string() }))).toHaveLength(expected ? 1 : 0);
  });
});
