import { existsSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const USAGE = `Plants faults in files of src, one at a time, and says which of them no test of their room notices:

  npm run test:mutants -- src/permissions
  npm run test:mutants -- src/watch/presses.ts --with sessions    (the tests of this room, too)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { with: { type: 'string', multiple: true, default: [] } },
});
const [place = ''] = positionals;
if (!existsSync(place)) {
  process.stderr.write(USAGE);
  process.exit(2);
}
const [room = ''] = relative('src', place).split('/');
const rooms = [room, ...values.with, 'world'];
process.env['TESTS_OF_MUTANTS'] = JSON.stringify(
  rooms.flatMap((name) => [`test/${name}/**/*.test.ts`, `test/stored/${name}/**/*.test.ts`]),
);
await new Stryker({
  mutate: [statSync(place).isDirectory() ? `${place}/**/*.ts` : place],
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
