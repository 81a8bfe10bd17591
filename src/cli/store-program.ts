import { ConfigError, readConfig, type Config } from '../config/config.ts';
import { BackupError } from '../database/backup.ts';
import { DatabaseError, databaseFailureWords, type Database } from '../database/database.ts';
import { openDatabase, sqliteFile } from '../database/open.ts';
import { createDataKeys } from '../workspaces/data-keys.ts';
import { createInstalls, type Installs } from '../workspaces/installs.ts';

/** By the ids that log and doctor name too. */
export const keysNeeded = (secretKeys: Config['secretKeys']): string =>
  `What is sealed in it opens only with these SECRET_KEYS, which aren’t in it: ${createDataKeys(secretKeys).ids.join(', ')}.`;

export const installsOn = (database: Database, { secretKeys }: Pick<Config, 'secretKeys'>): Installs =>
  createInstalls({ database, dataKeys: createDataKeys(secretKeys), now: Date.now });

export interface Said {
  readonly says: string;
  readonly code: number;
}

export const withoutFile: Said = {
  says: 'Only a SQLite file is backed up and restored by this. PostgreSQL has programs of its own: docs/operations.md, "Backup and restore".',
  code: 1,
};

async function said(work: (config: Config) => Promise<Said>): Promise<Said> {
  let file: string | undefined;
  try {
    const config = readConfig(process.env);
    file = sqliteFile(config.storeUrl);
    return await work(config);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof BackupError) return { says: error.message, code: 1 };
    if (error instanceof DatabaseError) return { says: databaseFailureWords(error, file), code: 1 };
    throw error;
  }
}

/** Prints it, and ends the process. */
export async function end(saying: Promise<Said>): Promise<never> {
  const { says, code } = await saying;
  process.stdout.write(`${says}\n`);
  process.exit(code);
}

/** Runs a program of the operator's, and ends the process. */
export const runWithConfig = (work: (config: Config) => Promise<Said>): Promise<never> => end(said(work));

/** The same on the app's database, which an app may be serving: so it does nothing to it that can't be undone. */
export const runOnStore = (work: (database: Database, config: Config) => Promise<Said>): Promise<never> =>
  runWithConfig(async (config) => {
    const database = await openDatabase(config.storeUrl);
    try {
      return await work(database, config);
    } finally {
      await database.close();
    }
  });
