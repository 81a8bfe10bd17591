import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { suite } from '../../vitest.config.ts';

/** First what noticed the fault before, which is beside this one, then short files: the first failure ends the run. */
class LikeliestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification): number =>
      this.ctx.cache.getTestSpecificationResult(file)?.failed === true ? 0 : statSync(file.moduleId).size;
    return Promise.resolve(files.toSorted((one, other) => rank(one) - rank(other)));
  }
}

const { test } = suite('app', ['SQLite'], 30_000);
const include: string[] = JSON.parse(process.env['TESTS_OF_MUTANTS'] ?? '[]');

/** The tests of the rooms whose faults are planted, as in `npm test`. Stryker takes no projects. */
export default defineConfig({
  test: {
    ...test,
    include,
    globalSetup: 'test/support/run-folder.ts',
    // In one process for all files it isn't seen which tests reach what.
    isolate: true,
    sequence: { sequencer: LikeliestFirst },
  },
});
