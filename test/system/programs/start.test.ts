import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { START } from '../../support/app-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

it('says its version', () => {
  const { stdout } = spawnSync(process.execPath, [START, '--version'], { encoding: 'utf8' });
  expect(stdout).toBe(`${packageFile.version}\n`);
});

it('says which settings in .env are cut at a number sign, and of no other', async () => {
  const cwd = await temporaryFolder();
  const lines = [
    'SUMMARY_CHANNEL=#support',
    'export COBROWSE_API_KEY = abc#def',
    'STORE_URL=postgres://user:pass#word@host/database',
    "SECRET_KEYS='a#b'",
    'PUBLIC_URL=https://a.example # ours',
    'HOST= # all',
    'PORT=3000 #usual',
    'WATCH_HOSTS= #none',
    '#MAY_WATCH=#nobody',
    'LOG_LEVEL="info" #quiet',
  ];
  await writeFile(join(cwd, '.env'), lines.join('\n'));
  const { stderr } = spawnSync(process.execPath, [START, 'healthcheck'], { cwd, env: {}, encoding: 'utf8' });
  expect(stderr.split('\n')).toEqual([
    ...['SUMMARY_CHANNEL', 'COBROWSE_API_KEY', 'STORE_URL'].map(
      (name) => `.env: what follows # in ${name} is taken for a comment. Put the value in quotes.`,
    ),
    '',
  ]);
});

it('the subcommands that --help lists are those of docs/operations.md, and the sandbox', async () => {
  const { stdout } = spawnSync(process.execPath, ['.', '--help'], { encoding: 'utf8' });
  const known = Array.from(stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm), ([, name]) => name);
  const page = await readFile(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const listed = Array.from(page.matchAll(/^\|.*\| `cobrowse-for-slack ([a-z-]+)/gm), ([, name]) => name);
  expect(new Set(['sandbox', ...listed])).toEqual(new Set(known));
});
