import { ConfigError, readConfig } from './config/config.ts';
import { DatabaseError, databaseFailureWords } from './database/errors.ts';
import { openDatabase, sqliteFile } from './database/open.ts';
import { count } from './messages/text.ts';
import { createDataKeys } from './workspaces/data-keys.ts';
import { createInstalls } from './workspaces/installs.ts';

/** `npm run rotate-keys`: seals every workspace's data key with the first of SECRET_KEYS. */
async function rotate(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly says: string; readonly code: number }> {
  let file: string | undefined;
  try {
    const { storeUrl, secretKeys } = readConfig(environment);
    file = sqliteFile(storeUrl);
    const database = await openDatabase(storeUrl);
    try {
      const dataKeys = createDataKeys(secretKeys);
      const { done, missing } = await createInstalls({ database, dataKeys, now: Date.now }).resealAll();
      const lines = [
        `${count(done, 'workspace')} sealed with the key ${dataKeys.ids[0]}.`,
        ...Array.from(
          missing,
          ([id, many]) =>
            `${count(many, 'workspace')} need the key ${id}, which isn’t in SECRET_KEYS: put it back and run this again.`,
        ),
      ];
      return { says: lines.join('\n'), code: missing.size === 0 ? 0 : 1 };
    } finally {
      await database.close();
    }
  } catch (error) {
    if (error instanceof ConfigError) return { says: error.message, code: 1 };
    if (error instanceof DatabaseError) return { says: databaseFailureWords(error, file), code: 1 };
    throw error;
  }
}

const { says, code } = await rotate(process.env);
process.stdout.write(`${says}\n`);
process.exit(code);
