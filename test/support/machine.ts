import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { whyNoEarlierProgram } from '../system/replicas/earlier-program.ts';

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
export const pgbouncerPath = find('pgbouncer', '../sbin/pgbouncer');
export const systemdAnalyzePath = find('systemd-analyze');
/** Whether a test can give a program a file system of its own. */
export const canMount = spawnSync('unshare', ['--mount', 'mount', '--bind', '/', '/']).status === 0;

/** The folder of PostgreSQL's own programs, with which a test starts a server: Debian has it on no PATH. */
export const postgresPrograms = [find('initdb'), ...globSync('/usr/lib/postgresql/*/bin/initdb').toSorted()]
  .flatMap((path) => (path === undefined ? [] : [dirname(path)]))
  .at(-1);

const say = (words: string) => process.stderr.write(`${words}\n`);

/** Once before the tests that need other programs: what is skipped here and how to get it. Called by vitest. */
export function setup(): void {
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
  if (pgbouncerPath === undefined)
    say(
      'The tests through a connection pooler are skipped: pgbouncer wasn’t found. Get it by: apt-get install pgbouncer',
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
}
