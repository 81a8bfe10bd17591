import { chmod, stat } from 'node:fs/promises';

const PRIVATE = 0o600;
const OTHERS = 0o077;

/** A file of the store that other users of the machine may open. */
export interface OpenFile {
  readonly file: string;
  readonly mode: number;
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch {
    // What is not there is open to nobody, and what else is wrong, opening it tells.
    return undefined;
  }
}

/** Those of the store's files that others may open: its own, and the two that SQLite keeps beside it. */
export async function filesOpenToOthers(path: string): Promise<readonly OpenFile[]> {
  // Windows keeps rights in another way, and shows every file as open.
  if (process.platform === 'win32') return [];
  const files = await Promise.all(
    [path, `${path}-wal`, `${path}-shm`].map(async (file) => ({ file, mode: await modeOf(file) })),
  );
  return files.flatMap(({ file, mode = 0 }) => ((mode & OTHERS) === 0 ? [] : [{ file, mode }]));
}

/**
 * Closes the store's files to everybody but their user. To be called before the store is opened: SQLite gives new files
 * beside it the same mode.
 *
 * @param report told of each that stays as it is, which is so where it belongs to another user
 */
export async function closeToOthers(
  path: string,
  report: (file: string, error: unknown) => void,
): Promise<void> {
  for (const { file } of await filesOpenToOthers(path)) {
    await chmod(file, PRIVATE).catch((error: unknown) => report(file, error));
  }
}
