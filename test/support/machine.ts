import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/open.ts';
import { whyNoEarlierProgram } from '../replicas/earlier-program.ts';
import { createPostgresTemplate, whyNoPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The database that those of the tests are copied from; undefined where there is no server. */
    readonly postgresTemplate: string | undefined;
    /** The file that SQLite databases of the tests are copied from. */
    readonly sqliteTemplate: string;
    /** A folder that is gone after the run. */
    readonly folderOfRun: string;
  }
}

/** The path of the first of these programs that the machine has. */
function find(...names: readonly string[]): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** The shell first: without windows around its pages, it takes a third of the work to open one. */
export const chromiumPath = find('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome');

/** A Node that is too old for this project, if the machine has one besides the project's. */
export function findOldNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => {
      const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout;
      const [, major = '0', minor = '0'] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
      return Number(major) < 22 || (major === '22' && Number(minor) < 20);
    });
}

export const promtoolPath = find('promtool');
export const prometheusPath = find('prometheus');
export const caddyPath = find('caddy');
export const nginxPath = find('nginx', '../sbin/nginx');
export const systemdAnalyzePath = find('systemd-analyze');
/** Whether a test can give a program a file system of its own. */
export const canMount = spawnSync('unshare', ['--mount', 'mount', '--bind', '/', '/']).status === 0;

/** The folder of PostgreSQL's own programs, with which a test starts a server: Debian has it on no PATH. */
export const postgresPrograms = [find('initdb'), ...globSync('/usr/lib/postgresql/*/bin/initdb').toSorted()]
  .flatMap((path) => (path === undefined ? [] : [dirname(path)]))
  .at(-1);

const say = (words: string) => process.stderr.write(`${words}\n`);

/** Once for a run, before its tests: what is skipped here and how to get it. Called by vitest; gives what ends it. */
export async function setup({ provide, vitest }: TestProject): Promise<() => Promise<void>> {
  // For each process of tests, and the programs they start: what an earlier one has compiled is used again.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  if (chromiumPath === undefined)
    say('Tests in Chromium are skipped: none was found. Get it by: apt-get install chromium-headless-shell');
  if (promtoolPath === undefined)
    say(
      'The tests of /metrics, alerts and the dashboard by Prometheus are skipped: it wasn’t found. Get it by: apt-get install prometheus',
    );
  if (caddyPath === undefined || nginxPath === undefined)
    say(
      'The tests behind Caddy and nginx are skipped where one wasn’t found. Get both by: apt-get install caddy nginx-light',
    );
  if (!canMount)
    say('The test of the image’s steps is skipped: it mounts folders. Run the tests as root, on Linux');
  if (systemdAnalyzePath === undefined)
    say(
      'The tests of the unit for systemd are skipped: systemd-analyze wasn’t found. Get it by: apt-get install systemd',
    );
  if (findOldNode() === undefined)
    say('The test with an old Node is skipped: none was found. Put one that is older than 22.20 on the PATH');
  if (postgresPrograms === undefined)
    say(
      'The tests with a PostgreSQL server that stops are skipped: no initdb was found. Get it by: apt-get install postgresql',
    );
  const whyNoEarlier = whyNoEarlierProgram();
  if (whyNoEarlier !== undefined)
    say(`The test of the program before this one beside it is skipped: ${whyNoEarlier}`);
  const folder = await mkdtemp(join(tmpdir(), 'cobrowse-run-'));
  provide('folderOfRun', folder);
  // Tests that run again do so because something was changed.
  vitest.onTestsRerun(() => rm(join(folder, 'app'), { recursive: true, force: true }));
  const file = join(folder, 'template.db');
  const template = await openDatabase(`sqlite:${file}`);
  await template.close();
  provide('sqliteTemplate', file);
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const why = await whyNoPostgres();
  if (why === undefined) {
    const { name, drop } = await createPostgresTemplate();
    provide('postgresTemplate', name);
    return async () => void (await Promise.all([drop(), removeFolder()]));
  }
  const words = `no PostgreSQL server answers at TEST_POSTGRES_URL or on this machine (${why}). Get it by: apt-get install postgresql, and let the user postgres in from 127.0.0.1 without a password, or name another one`;
  // In CI nothing is skipped: a green run has seen both engines.
  if (process.env['CI'] !== undefined) throw new Error(`Tests can't run: ${words}`);
  say(`Tests on PostgreSQL are skipped: ${words}`);
  return removeFolder;
}
