import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { temporaryFolder } from '../../support/temporary.ts';
import { findOldNode } from '../../support/machine.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = (node: string, args: readonly string[]) =>
  spawnSync(node, args, { cwd: ROOT, encoding: 'utf8', env: { PATH: '' } });

const oldNode = findOldNode();

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(oldNode === undefined)('a Node that is too old', () => {
  it.each([
    ['the app', ['.']],
    ['the app, by its file', ['src/start.js']],
  ])('hears in one sentence which Node %s needs, and how to get it', (_which, args) => {
    const { status, stdout, stderr } = run(oldNode ?? '', args);
    expect(stderr).toMatch(
      /^Co-browse needs Node 22\.20 or newer, and this is Node \d+\.\d+\.\d+: start it by npm, .*\n$/,
    );
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });
});

/** Started as npm does it: first in its PATH is the Node that the project brings. */
async function startByNpm(own: string, ...args: readonly string[]) {
  // Some machines run nothing that's kept in memory.
  const brought = await temporaryFolder(tmpdir());
  await writeFile(join(brought, 'node'), '#!/bin/sh\necho "brought: $*"\n', { mode: 0o755 });
  const env = { PATH: `${brought}:/usr/bin:/bin`, npm_node_execpath: own };
  return spawnSync('/bin/sh', ['src/start.sh', ...args], { cwd: ROOT, encoding: 'utf8', env });
}

describe('npm start', () => {
  const args = ['manifest', '--socket'];

  it('runs on the machine’s own Node where that is new enough, and never on the brought one', async () => {
    const { stdout, status } = await startByNpm(process.execPath, ...args);
    expect(stdout).toBe(run(process.execPath, ['.', ...args]).stdout);
    expect(status).toBe(0);
  });

  it.each(['', '/nowhere/node', '/bin/false'])('runs on the brought one where the own is %j', async (own) => {
    expect((await startByNpm(own, ...args)).stdout).toBe('brought: src/start.js manifest --socket\n');
  });

  it.skipIf(oldNode === undefined)('runs on the brought one where the own is too old', async () => {
    const { stdout, stderr } = await startByNpm(oldNode ?? '', ...args);
    expect(stdout).toBe('brought: src/start.js manifest --socket\n');
    expect(stderr).toBe('');
  });
});

describe('the start', () => {
  it('names the available programs if it is asked for another', () => {
    const { status, stderr } = run(process.execPath, ['.', 'docter']);
    expect(stderr).toBe(
      'There is no subcommand "docter". There are: start, doctor, healthcheck, backup, restore, rotate-keys, workspaces, manifest, sandbox.\n',
    );
    expect(status).toBe(1);
  });

  it('explains each subcommand, which npm has, too', () => {
    const { status, stdout } = run(process.execPath, ['.', '--help']);
    const names = Array.from(stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm), ([, name = '']) => name);
    expect(status).toBe(0);
    expect(names).toContain('workspaces');
    expect(Object.keys(packageFile.scripts)).toEqual(expect.arrayContaining(names));
    for (const name of names) {
      const help = run(process.execPath, ['.', name, '--help']);
      expect([help.status, help.stdout]).toEqual([0, expect.stringContaining(`npm run`)]);
    }
  });

  it('takes no words that a subcommand doesn’t understand', () => {
    for (const words of [['doctor', 'now'], ['workspaces', 'purge'], ['manifest']])
      expect(run(process.execPath, ['.', ...words])).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining(`npm run --silent ${words[0]}`),
      });
  });

  it('reads .env from the current folder, and what is already set wins', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, '.env'), 'PORT=nowhere\nLOG_LEVEL=loud\n');
    const { stderr } = spawnSync(process.execPath, [join(ROOT, 'src/start.js')], {
      cwd: folder,
      encoding: 'utf8',
      env: { PORT: '3000' },
    });
    expect(stderr).toContain('LOG_LEVEL must be one of');
    expect(stderr).not.toContain('PORT must be');
  });
});
