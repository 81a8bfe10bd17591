import type { Reporter, TestModule } from 'vitest/node';

/** A reporter for runs where everything is there: a test that is skipped fails them. */
export default class NoSkips implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')]);
    if (skipped.length === 0) return;
    process.exitCode = 1;
    process.stderr.write(
      `Nothing may be skipped here:\n${skipped.map(({ fullName, module }) => `  ${module.relativeModuleId}: ${fullName}\n`).join('')}`,
    );
  }
}
