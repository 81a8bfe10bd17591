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
  ];
  for (const line of missing) process.stderr.write(`${line}\n`);
}
