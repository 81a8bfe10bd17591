import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { keepFromServing, restoreFrom } from '../database/backup.ts';
import type { Database } from '../database/database.ts';
import { openDatabase, sqliteFile } from '../database/open.ts';
import { count } from '../messages/text.ts';
import { markRestored } from '../outbox/retention.ts';
import { installsOn, keysNeeded, runWithConfig, withoutFile, type Said } from './store-program.ts';

/** Resolves with what is to be said about the database's keys. */
async function mark(database: Database, config: Config): Promise<string> {
  await database.write(markRestored(Date.now()));
  const missing = await installsOn(database, config).missingKeys();
  return [
    keysNeeded(config.secretKeys),
    ...missing.map(
      ({ key, workspaces }) =>
        `${count(workspaces, 'workspace')} can’t be served without the key ${key}, which isn’t in SECRET_KEYS.`,
    ),
  ].join('\n');
}

const START =
  'Start the app: for eight days it looks in Slack for what may have been posted since, before it posts it.';

async function markOnly(config: Config): Promise<Said> {
  const { storeUrl, mayBeOneWay } = config;
  const path = sqliteFile(storeUrl);
  const unlock = path === undefined ? undefined : await keepFromServing(path);
  const database = await openDatabase(storeUrl, { mayBeOneWay });
  try {
    return { says: `${await mark(database, config)}\n${START}`, code: 0 };
  } finally {
    await database.close();
    unlock?.();
  }
}

/** `npm run restore`. @returns false if it doesn't understand what was typed */
export async function run({ argv }: Pick<NodeJS.Process, 'argv'>): Promise<false> {
  const [what, ...rest] = argv.slice(2);
  if (what === undefined || (what.startsWith('-') && what !== '--mark') || rest.length > 0) return false;
  return runWithConfig(async (config) => {
    const { storeUrl, mayBeOneWay } = config;
    if (what === '--mark') return markOnly(config);
    const path = sqliteFile(storeUrl);
    if (path === undefined) return withoutFile;
    let keys = '';
    const aside = await restoreFrom(resolve(what), path, {
      mayBeOneWay,
      prepare: async (database) => void (keys = await mark(database, config)),
    });
    const kept = aside === undefined ? [] : [`What was there is in ${aside}.`];
    return { says: [`${path} is restored.`, ...kept, keys, START].join('\n'), code: 0 };
  });
}
