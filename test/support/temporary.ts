import { statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const MEMORY = '/dev/shm';

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > 1_073_741_824;
  } catch {
    return false;
  }
}

/** Where tests keep files: in memory, if there's a gigabyte of it, so that no commit of a database waits for a disk. */
export const placeForFiles = hasRoom() ? MEMORY : tmpdir();

/** The path of a new folder that is removed when the running test ends. */
export async function temporaryFolder(place = placeForFiles): Promise<string> {
  const folder = await mkdtemp(join(place, 'storage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
