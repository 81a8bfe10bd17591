import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/**
 * The oldest program that can work beside this one on one database, side by side: that of the last one-way step, with which outgoing
 * webhooks got a table of their own. It drew pictures by `@resvg/resvg-wasm` and `@fontsource/inter`, which are here for it alone.
 */
const EARLIER = '8453af5c';

const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const Package = z.object({ dependencies: z.record(z.string(), z.string()) });
const Lock = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

/** Why it can't be run here; undefined if it can. */
export function whyNoEarlierProgram(): string | undefined {
  let itsPackage: string;
  try {
    itsPackage = git('show', `${EARLIER}:package.json`);
  } catch {
    return `the history isn’t here back to ${EARLIER}: fetch all of it with git`;
  }
  const { packages: installed } = Lock.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const missing = Object.entries(Package.parse(JSON.parse(itsPackage)).dependencies).filter(
    ([name, version]) => installed[`node_modules/${name}`]?.version !== version,
  );
  if (missing.length === 0) return undefined;
  return `${EARLIER} needs packages that aren’t those of today: ${missing.map((one) => one.join(' ')).join(', ')}`;
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
