import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { forEngine, statementsOf } from '../../src/database/migrations.ts';
import { steps, type Step } from '../../src/database/steps.ts';

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
  '44109146c7237935',
  'f32daf4fe5de380e',
  'f9fd8142ea6d1f6e',
  '66e16178adc552d3',
  '084ba09d0c47974c',
  'b783dc30be472c27',
  'd212279799fef5c4',
  'fd3b852e5301f205',
  '61c1e41f10501bb9',
  '99b0e47bfda42be5',
  'df14f1a900625257',
  'eba4a5c28915c4e3',
  '175cb2c2b3fa2443',
  'df5ebc11ad8ab7d6',
  'e9a11a05034c5b46',
  'acc0a29a6f344172',
];

/** Of what both engines are told, however its lines are broken. */
function hashOf(step: Step): string {
  const told = (['sqlite', 'postgres'] as const).flatMap((engine) =>
    statementsOf(step).map((statement) => {
      const { strings, values } = forEngine(statement, engine);
      return { words: strings.map((text) => text.replaceAll(/\s+/g, ' ')), values };
    }),
  );
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 16);
}

it('has each step between versions of the tables as it was', () => {
  expect(
    steps.map(hashOf),
    'src/database/steps.ts differs from HASHES in test/database/steps.test.ts. Add the hash of a new step there. Put back a step that has changed or is gone: where it has run it won’t run again, so add another at the end',
  ).toEqual(HASHES);
});
