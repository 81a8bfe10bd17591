import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Fault } from './faults.ts';
import type { Store } from './store.ts';

const run = promisify(execFile);

async function holdFile(path: string, action: () => Promise<unknown>): Promise<void> {
  const connection = new DatabaseSync(path, { timeout: 500 });
  try {
    connection.exec('BEGIN IMMEDIATE');
  } catch {
    // The app was writing all the while: it goes on.
  }
  try {
    await action();
  } finally {
    // Closing ends what was begun.
    connection.close();
  }
}

/** No file of the process may grow: writes fail as on a full disk. */
const diskFull = (path: string): Fault => ({
  weight: 2,
  async befall({ app }, chance) {
    const pid = String(app.pid());
    const limit = (bytes: string) => run('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
    const { size } = await stat(`${path}-wal`).catch(() => ({ size: 4_096 }));
    try {
      await limit(String(size));
      await pause(chance.whole(200, 1_500));
      await limit('unlimited');
    } catch {
      // Killed meanwhile: the next process has no limit.
    }
  },
});

/** A file of SQLite's: its process is all that can lose power. */
export async function openFileStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-store-'));
  const path = join(folder, 'store.db');
  const url = `sqlite:${path}`;
  const hasLimits = await run('prlimit', ['--version']).then(
    () => true,
    () => false,
  );
  const hold = (action: () => Promise<unknown>) => holdFile(path, action);
  return {
    kind: 'file',
    url,
    urlFor: () => url,
    hold,
    cutOff: hold,
    losePower: () => Promise.resolve(),
    faults: hasLimits ? { 'disk full': diskFull(path) } : {},
    path,
    leftOut: hasLimits ? [] : ['disk full: there is no prlimit to limit the size of files'],
    async close(isKept) {
      if (!isKept) await rm(folder, { recursive: true, force: true });
    },
  };
}
