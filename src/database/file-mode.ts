import { chmod, stat } from 'node:fs/promises';

const PRIVATE = 0o600;
const OTHERS = 0o077;

/** A database file that other users of the machine can open. */
export interface OpenFile {
  readonly file: string;
  readonly mode: number;
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch {
    // A missing file is open to no one, and opening the database reports anything else that's wrong.
    return undefined;
  }
}

/** Those of the database's files that others can open: its own, and the two that SQLite keeps beside it. */
export async function filesOpenToOthers(path: string): Promise<readonly OpenFile[]> {
  // Windows has no such modes, and shows every file as open.
  if (process.platform === 'win32') return [];
  const files = await Promise.all(
    [path, `${path}-wal`, `${path}-shm`].map(async (file) => ({ file, mode: await modeOf(file) })),
  );
  return files.flatMap(({ file, mode = 0 }) => ((mode & OTHERS) === 0 ? [] : [{ file, mode }]));
}

/**
 * Makes the database's files private to their user. Call it before opening the database: SQLite gives new files beside
 * it the same mode.
 *
 * @param report called for each file that couldn't be changed, for example because another user owns it
 */
export async function closeToOthers(
  path: string,
  report: (file: string, error: unknown) => void,
): Promise<void> {
  for (const { file } of await filesOpenToOthers(path)) {
    await chmod(file, PRIVATE).catch((error: unknown) => report(file, error));
  }
}
