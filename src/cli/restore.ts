import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { keepFromServing, restoreFrom } from '../database/backup.ts';
import type { Database } from '../database/database.ts';
import { openDatabase, sqliteFile, countServing } from '../database/open.ts';
import { count } from '../messages/text.ts';
import { markRestored } from '../outbox/retention.ts';
import { installsOn, keysNeeded, pgRestore, runWithConfig, type Said } from './store-program.ts';

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
    const serving = await countServing(database);
    if (serving === 0) return { says: `${await mark(database, config)}\n${START}`, code: 0 };
    const says = `${count(serving, 'copy', 'copies')} of the app ran on this database within the last minute. Stop the app; if it was killed, try again in a minute.`;
    return { says, code: 1 };
  } finally {
    await database.close();
    unlock?.();
  }
}

/** `npm run restore`. @returns false if it doesn't understand what was typed */
export async function run(
  { argv }: Pick<NodeJS.Process, 'argv'>,
  typed: (name: string, form: string) => string,
): Promise<false> {
  const [what, ...rest] = argv.slice(2);
  if (what === undefined || (what.startsWith('-') && what !== '--mark') || rest.length > 0) return false;
  return runWithConfig(async (config) => {
    const { storeUrl, mayBeOneWay } = config;
    if (storeUrl === 'memory:') return { says: 'STORE_URL is memory:, which can’t be restored.', code: 1 };
    if (what === '--mark') return markOnly(config);
    const path = sqliteFile(storeUrl);
    if (path === undefined) {
      const says = [
        'PostgreSQL is restored by its own program. Stop every copy of the app, make an empty database, name it in STORE_URL, and run:',
        '',
        pgRestore(resolve(what)),
        typed('restore', '--mark'),
      ];
      return { says: says.join('\n'), code: 0 };
    }
    let keys = '';
    const aside = await restoreFrom(resolve(what), path, {
      mayBeOneWay,
      prepare: async (database) => void (keys = await mark(database, config)),
    });
    const kept = aside === undefined ? [] : [`What was there is in ${aside}.`];
    return { says: [`${path} is restored.`, ...kept, keys, START].join('\n'), code: 0 };
  });
}
