import { existsSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const USAGE = `Plants faults in files of src, one at a time, and says which of them no test of their room notices:

  npm run test:mutants -- src/permissions
  npm run test:mutants -- src/watch/presses.ts src/watch/route.ts
  npm run test:mutants -- src/watch/presses.ts:201-240            (in these lines)
  npm run test:mutants -- src/watch/presses.ts --with sessions    (the tests of this room, too)
  npm run test:mutants -- src/watch/presses.ts --by test/stored/watch/presses.test.ts    (by these tests alone: quicker)
  npm run test:mutants -- src/webhooks/sign.ts --all              (faults in words, lists and objects, too)
`;

/** Words, what the type checker would say, and what the faults of a condition say already: mostly noise is left of them. */
const NOT_RULES = [
  'StringLiteral',
  'ArrayDeclaration',
  'ObjectLiteral',
  'OptionalChaining',
  'Regex',
  'ArrowFunction',
  'EqualityOperator',
];

const { values, positionals: places } = parseArgs({
  allowPositionals: true,
  options: {
    with: { type: 'string', multiple: true, default: [] },
    by: { type: 'string', multiple: true, default: [] },
    all: { type: 'boolean', default: false },
  },
});
const pathOf = (place: string): string => place.split(':')[0] ?? '';
if (places.length === 0 || ![...places.map(pathOf), ...values.by].every((path) => existsSync(path))) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const rooms = new Set(places.map((place) => relative('src', place).split('/')[0] ?? ''));
const filesIn = (path: string, ending: string): string =>
  statSync(path).isDirectory() ? `${path}/**/*${ending}` : path;
const testsOfRooms = [...rooms, ...values.with, 'world'].flatMap((name) => [
  `test/${name}/**/*.test.ts`,
  `test/stored/${name}/**/*.test.ts`,
]);
process.env['TESTS_OF_MUTANTS'] = JSON.stringify(
  values.by.length === 0 ? testsOfRooms : values.by.map((path) => filesIn(path, '.test.ts')),
);
await new Stryker({
  mutate: places.map((place) => (place.includes(':') ? place : filesIn(place, '.ts'))),
  mutator: { excludedMutations: values.all ? [] : NOT_RULES },
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  // It doesn't know TypeScript 7, whose sources Node reads as they are.
  tsconfigFile: 'none.json',
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { logTests: false, reportTests: false },
  tempDirName: 'node_modules/.stryker',
}).runMutationTest();
