import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const run = (program: string, ...typed: readonly string[]) =>
  spawnSync(process.execPath, [`test/${program}/main.ts`, ...typed], { encoding: 'utf8' });

describe.each(['chaos', 'bench'])('npm run %s', (program) => {
  it('says how it is used', () => {
    const { status, stdout, stderr } = run(program, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`npm run ${program} -- [`);
  });

  it.each([['--nonsense'], [program === 'chaos' ? '--seed' : '--rounds', 'x'], ['nonsense']])(
    'says so where it does not understand what was typed: %s',
    (...typed) => {
      const { status, stdout, stderr } = run(program, ...typed);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^.+\n\nnpm run /u);
      expect(stderr).not.toContain('    at ');
    },
  );
});
