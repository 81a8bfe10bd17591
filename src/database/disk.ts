import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sqliteFile } from './open.ts';

/** What is free on the disk that a file is on. Rejects if the system can't say. */
export async function diskOf(
  file: string,
): Promise<{ readonly freeBytes: number; readonly freeShare: number }> {
  const { bavail, blocks, bsize } = await statfs(dirname(file));
  return { freeBytes: bavail * bsize, freeShare: blocks === 0 ? 0 : bavail / blocks };
}

/** Asks for the share that is free on the disk of the database at a `STORE_URL`; undefined if that isn't a disk of ours. */
export function freeShareAt(storeUrl: string): (() => Promise<number>) | undefined {
  const file = sqliteFile(storeUrl);
  return file === undefined ? undefined : async () => (await diskOf(file)).freeShare;
}
