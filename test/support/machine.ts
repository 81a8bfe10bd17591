import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the first of these programs that the machine has. */
function find(...names: readonly string[]): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export const chromiumPath = find('chromium', 'chromium-browser', 'google-chrome');

/** A Node that is too old for this project, where the machine has one beside the project's own. */
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

/** Once for a run, before its tests: what is skipped here and how to get it. Called by vitest. */
export function setup(): void {
  const missing = [
    ...(chromiumPath === undefined
      ? ['Tests in Chromium are skipped: none was found. Get it by: apt-get install chromium']
      : []),
    ...(promtoolPath === undefined
      ? ['The test of /metrics by promtool is skipped: none was found. Get it by: apt-get install prometheus']
      : []),
    ...(findOldNode() === undefined
      ? ['The test with an old Node is skipped: none was found. Put one that is older than 22.20 on the PATH']
      : []),
  ];
  for (const line of missing) process.stderr.write(`${line}\n`);
}
