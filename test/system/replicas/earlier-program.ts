import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** The last commit of the program before this one: both work on one database, side by side. */
const EARLIER = '0ec5caf5';

const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const Lock = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

/** The packages of a lock file, each with its version. */
function packagesIn(lock: string): readonly string[] {
  const { packages } = Lock.parse(JSON.parse(lock));
  return Object.entries(packages).flatMap(([path, { version }]) =>
    path === '' ? [] : [`${path} ${version}`],
  );
}

/** Why it can't be run here; undefined if it can. */
export function whyNoEarlierProgram(): string | undefined {
  let lock: string;
  try {
    lock = git('show', `${EARLIER}:package-lock.json`);
  } catch {
    return `the history isn’t here back to ${EARLIER}: fetch all of it with git`;
  }
  const installed = new Set(packagesIn(readFileSync('package-lock.json', 'utf8')));
  const missing = packagesIn(lock).filter((one) => !installed.has(one));
  if (missing.length === 0) return undefined;
  return `${EARLIER} needs packages that aren’t those of today: ${missing.join(', ')}`;
}

/** Checks it out until the test ends, over the packages of today. @returns what starts it, but for Node's own options */
export async function checkOutEarlierProgram(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'earlier-program-'));
  const place = join(folder, 'checkout');
  onTestFinished(async () => {
    git('worktree', 'remove', '--force', place);
    await rm(folder, { recursive: true, force: true });
  });
  git('worktree', 'add', '--detach', place, EARLIER);
  await symlink(resolve('node_modules'), join(place, 'node_modules'));
  return join(place, 'src/start.js');
}
