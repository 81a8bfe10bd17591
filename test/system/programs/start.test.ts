import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { START } from '../../support/app-process.ts';
import { findOldNode } from '../../support/machine.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { runNode } from './run-program.ts';

const oldNode = findOldNode();

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(oldNode === undefined)('a Node that is too old', () => {
  it.each(['.', 'src/start.js'])(
    'hears in one sentence which one %s needs, and how to get it',
    async (start) => {
      expect(await runNode([start], { node: oldNode ?? '' })).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^Co-browse needs Node 22\.20 or newer, and this is Node \d+\.\d+\.\d+: start it by npm, .*\n$/,
        ),
      });
    },
  );
});

/** Started as npm does it: first in its PATH is the Node that the project brings. */
async function startByNpm(own: string, ...args: readonly string[]) {
  // Some machines run nothing that's kept in memory.
  const brought = await temporaryFolder(tmpdir());
  await writeFile(join(brought, 'node'), '#!/bin/sh\necho "brought: $*"\n', { mode: 0o755 });
  const env = { PATH: `${brought}:/usr/bin:/bin`, npm_node_execpath: own };
  return spawnSync('/bin/sh', ['src/start.sh', ...args], { encoding: 'utf8', env });
}

describe('npm start', () => {
  const args = ['manifest', '--socket'];

  it('runs on the machine’s own Node where that is new enough, and never on the brought one', async () => {
    const { stdout, status } = await startByNpm(process.execPath, ...args);
    expect(stdout).toBe((await runNode(['.', ...args])).stdout);
    expect(status).toBe(0);
  });

  it.each(['', '/nowhere/node', '/bin/false'])('runs on the brought one where the own is %j', async (own) => {
    expect((await startByNpm(own, ...args)).stdout).toBe('brought: src/start.js manifest --socket\n');
  });

  it.skipIf(oldNode === undefined)('runs on the brought one where the own is too old', async () => {
    const { stdout, stderr } = await startByNpm(oldNode ?? '', ...args);
    expect([stdout, stderr]).toEqual(['brought: src/start.js manifest --socket\n', '']);
  });
});

describe('the start', () => {
  it('says its version', async () => {
    expect((await runNode([START, '--version'])).stdout).toBe(`${packageFile.version}\n`);
  });

  it('names the available programs if it is asked for another', async () => {
    expect(await runNode(['.', 'docter'])).toMatchObject({
      code: 1,
      stderr:
        'There is no subcommand "docter". There are: start, doctor, healthcheck, backup, restore, rotate-keys, workspaces, manifest, sandbox.\n',
    });
  });

  it('explains each subcommand, which npm and docs/operations.md have, too', async () => {
    const { code, stdout } = await runNode(['.', '--help']);
    const names = Array.from(stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm), ([, name = '']) => name);
    expect(code).toBe(0);
    expect(Object.keys(packageFile.scripts)).toEqual(expect.arrayContaining(names));
    const page = await readFile('docs/operations.md', 'utf8');
    const listed = Array.from(page.matchAll(/^\|.*\| `cobrowse-for-slack ([a-z-]+)/gm), ([, name]) => name);
    expect(new Set(['sandbox', ...listed])).toEqual(new Set(names));
    for (const name of names)
      expect(await runNode(['.', name, '--help'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('npm run'),
      });
  });

  it('takes no words that a subcommand doesn’t understand', async () => {
    for (const words of [['doctor', 'now'], ['workspaces', 'purge'], ['manifest']])
      expect(await runNode(['.', ...words])).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`npm run --silent ${words[0]}`),
      });
  });

  it('reads .env from the current folder, and what is already set wins', async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, '.env'), 'PORT=nowhere\nLOG_LEVEL=loud\n');
    const { stderr } = await runNode([START], { cwd, env: { PORT: '3000' } });
    expect(stderr).toContain('LOG_LEVEL must be one of');
    expect(stderr).not.toContain('PORT must be');
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
    const { stderr } = await runNode([START, 'healthcheck'], { cwd });
    expect(stderr.split('\n')).toEqual([
      ...['SUMMARY_CHANNEL', 'COBROWSE_API_KEY', 'STORE_URL'].map(
        (name) => `.env: what follows # in ${name} is taken for a comment. Put the value in quotes.`,
      ),
      '',
    ]);
  });
});
