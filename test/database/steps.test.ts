import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/database.ts';
import { forEngine, steps } from '../../src/database/migrations.ts';

/** Of each step, in order. A step that is committed may have run somewhere, and never runs there again. */
const HASHES: readonly string[] = [
  '568a58cfdf34f116',
  '84ccf81d46116c78',
  'd6dd208f3ae6867c',
  'eb716d72d0c4283f',
  '769b457cc6cdc860',
  '4f4a620c3f49e595',
  '385c12a744e7ef4d',
  '80cdfea021f624a4',
  'd2070a5512381848',
];

/** Of what both engines are told, however its lines are broken. */
function hashOf(step: readonly Sql[]): string {
  const told = (['sqlite', 'postgres'] as const).flatMap((engine) =>
    step.map((statement) => {
      const { words, values } = forEngine(statement, engine);
      return { words: words.map((text) => text.replaceAll(/\s+/g, ' ')), values };
    }),
  );
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 16);
}

describe('the steps between versions of the tables', () => {
  it.each(steps.map((step, index) => [index + 1, step] as const))('has step %i as it was', (number, step) => {
    const hash = hashOf(step);
    const expected = HASHES[number - 1];
    expect(
      expected,
      `Step ${number} in src/database/migrations.ts is new: add its hash '${hash}' to HASHES in test/database/steps.test.ts`,
    ).toBeDefined();
    expect(
      hash,
      `Step ${number} in src/database/migrations.ts has changed, but where it has run it won’t run again: put it back as it was, and add a new step at the end`,
    ).toBe(expected);
  });

  it('has every step there ever was', () => {
    expect(
      steps.length,
      'A step was removed from src/database/migrations.ts: put it back',
    ).toBeGreaterThanOrEqual(HASHES.length);
  });
});
