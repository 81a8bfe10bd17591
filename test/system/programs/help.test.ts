import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

it('the subcommands that --help lists are those of docs/operations.md, and the sandbox', async () => {
  const { stdout } = spawnSync(process.execPath, ['.', '--help'], { encoding: 'utf8' });
  const known = Array.from(stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm), ([, name]) => name);
  const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const listed = Array.from(page.matchAll(/^\|.*\| `cobrowse-for-slack ([a-z-]+)/gm), ([, name]) => name);
  expect(new Set(['sandbox', ...listed])).toEqual(new Set(known));
});
