import { ConfigError, readConfig } from './config/config.ts';
import type { Config } from './config/config.ts';
import type { Database } from './database/database.ts';
import { DatabaseError, databaseFailureWords } from './database/errors.ts';
import { openDatabase, sqliteFile } from './database/open.ts';

/** What a program says, and its exit code. */
export interface Said {
  readonly says: string;
  readonly code: number;
}

async function said(work: (database: Database, config: Config) => Promise<Said>): Promise<Said> {
  let file: string | undefined;
  try {
    const config = readConfig(process.env);
    file = sqliteFile(config.storeUrl);
    const database = await openDatabase(config.storeUrl);
    try {
      return await work(database, config);
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof ConfigError) return { says: error.message, code: 1 };
    if (error instanceof DatabaseError) return { says: databaseFailureWords(error, file), code: 1 };
    throw error;
  }
}

/** Runs a program of the operator's on the app's database, beside an app that serves or without one, and ends the process. */
export async function runOnStore(
  work: (database: Database, config: Config) => Promise<Said>,
): Promise<never> {
  const { says, code } = await said(work);
  process.stdout.write(`${says}\n`);
  process.exit(code);
}
