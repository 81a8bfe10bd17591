import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { constants, copyFile, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkFile, lockForServing, onFile, toDatabaseError } from './sqlite-file.ts';
import { DatabaseError, type Database, type Opening } from './database.ts';
import { openSqlite } from './sqlite.ts';

/** Why a SQLite file can't be backed up or restored, in words for whoever runs it. Nothing was changed. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const PATIENT = { timeout: 2_500 };

/** The system's own words name the file. */
const refused = (error: unknown): never => {
  throw error instanceof Error ? new BackupError(error.message) : error;
};

/** Waits until a file, or a folder's list of its files, is on the disk. */
async function toDisk(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** A new file beside another, which only this user can read. */
async function newFileBeside(path: string): Promise<string> {
  const file = `${path}~${randomUUID().slice(0, 8)}.part`;
  const opened = await open(file, 'wx', 0o600).catch(refused);
  await opened.close();
  return file;
}

/** Gives a file a second name or, as some network disks allow none, another one: never that of a file that is there. */
const nameAlso = (file: string, name: string): Promise<void> =>
  link(file, name).catch(async (error: unknown) => {
    if (existsSync(name)) throw error;
    await rename(file, name);
  });

/** @throws BackupError */
function throwIfDamaged(path: string, words: string): void {
  const damage = checkFile(path, 'integrity_check');
  if (damage !== undefined) throw new BackupError(`${words}\n${damage}`);
}

/**
 * Copies the SQLite database at `path`, served or not, into a new file that only this user can read. The copy is checked before
 * it gets its name, and what was deleted isn't in it. Source: sqlite.org/lang_vacuum.html, VACUUM INTO.
 * @throws BackupError (by rejecting) if there is no database, a file of that name exists, or the copy is damaged
 * @throws DatabaseError (by rejecting) if it can't be read, or there's no room for the copy
 */
export async function backUp(path: string, file: string): Promise<void> {
  if (!existsSync(path)) throw new BackupError(`There is no database ${path}. Check STORE_URL.`);
  if (existsSync(file)) throw new BackupError(`${file} exists already. Name another file.`);
  if (!existsSync(dirname(file)))
    throw new BackupError(`There is no folder ${dirname(file)}. Make it, or name another file.`);
  const part = await newFileBeside(file);
  try {
    try {
      onFile(path, PATIENT, (connection) => connection.prepare('VACUUM INTO ?').run(part));
    } catch (error) {
      throw toDatabaseError(error);
    }
    throwIfDamaged(part, 'The copy is damaged, so it isn’t kept. SQLite says of it:');
    await toDisk(part);
    await nameAlso(part, file).catch(refused);
    await toDisk(dirname(file));
  } finally {
    await rm(part, { force: true });
  }
}

/** @returns a function that lets the app serve it again. @throws BackupError (by rejecting) if the app serves it already */
export async function keepFromServing(path: string): Promise<() => void> {
  const notWaiting = { onWait: () => undefined, waitMs: 0 };
  try {
    return await lockForServing(path, notWaiting);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'in-use') throw error;
    throw new BackupError('The app is running on this database. Stop it, and run this again.');
  }
}

const BESIDE = ['-wal', '-shm'];

/** @returns the database's new name; undefined if there is none */
async function moveAside(path: string): Promise<string | undefined> {
  const isThere = existsSync(path);
  const aside = `${path}.before-${new Date().toISOString().replaceAll(/[-:.]/gu, '')}`;
  try {
    // Moves the WAL into the file.
    if (isThere) onFile(path, PATIENT, (connection) => connection.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  } catch {
    // It's damaged, and kept as it is.
  }
  // Also what's left without its database: SQLite would read it into the restored one.
  for (const end of [...BESIDE, '']) if (existsSync(path + end)) await rename(path + end, aside + end);
  return isThere ? aside : undefined;
}

interface Restoring extends Pick<Opening, 'mayBeOneWay'> {
  /** Called with the restored database, before it takes its place. */
  readonly prepare: (database: Database) => Promise<void>;
}

/**
 * Puts a backup in the place of the SQLite database at `path`. Nothing is changed before it has been checked and opened.
 * @returns the new name of the database that was there, if any
 * @throws BackupError (by rejecting) if an app serves the database, or the backup can't be used
 * @throws DatabaseError (by rejecting) if the backup can't be opened by this version of the app
 */
export async function restoreFrom(file: string, path: string, { prepare, ...upgrade }: Restoring) {
  if (!existsSync(file)) throw new BackupError(`There is no file ${file}.`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unlock = await keepFromServing(path);
  const part = await newFileBeside(path);
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(file + end))
        await copyFile(file + end, part + end, constants.COPYFILE_FICLONE).catch(refused);
    }
    throwIfDamaged(part, `${file} is damaged, so nothing was changed. SQLite says of it:`);
    try {
      onFile(part, {}, (connection) => connection.prepare('SELECT version FROM schema_version').get());
    } catch {
      throw new BackupError(`${file} isn’t a database of this app.`);
    }
    const database = await openSqlite(part, upgrade);
    try {
      await prepare(database);
    } finally {
      await database.close();
    }
    await toDisk(part);
    const aside = await moveAside(path);
    await rename(part, path);
    await toDisk(dirname(path));
    return aside;
  } finally {
    for (const end of ['', ...BESIDE]) await rm(part + end, { force: true });
    unlock();
  }
}
