import { existsSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import { createDoctor } from './app/doctor.ts';
import type { FoundStore } from './app/doctor.ts';
import { createCobrowse } from './cobrowse/client.ts';
import { ConfigError, readConfig } from './config.ts';
import { createLog } from './log.ts';
import { createBoltLogger } from './slack/bolt-logger.ts';
import { webClientOptions } from './slack/web-client.ts';
import { sqliteFile } from './database/open.ts';
import { openStorage } from './storage/open.ts';
import { DatabaseError, DatabaseUrlError } from './database/errors.ts';
import type { Storage } from './storage/store.ts';
import { findingCounts } from './views/findings.ts';
import type { Finding } from './views/findings.ts';

/** Nothing failed; a warning is no failure. */
const FINE = 0;
const FAILED = 1;

const line = ({ state, about, says, next, channelId }: Finding): string =>
  [
    `${state.padEnd(7)}  ${about}: ${channelId === undefined ? '' : `${channelId} `}${says}`,
    ...(next === undefined || state === 'ok' ? [] : [`         -> ${next}`]),
  ].join('\n');

/** A store that cannot be opened is a finding like any other. */
async function findStore(storeUrl: string): Promise<FoundStore<Storage>> {
  let file: string | undefined;
  try {
    file = sqliteFile(storeUrl);
    // Asked before it is opened, which makes it.
    const isNew = file !== undefined && !existsSync(file);
    return { storage: await openStorage(storeUrl), file, isNew };
  } catch (error) {
    if (error instanceof DatabaseError || error instanceof DatabaseUrlError)
      return { storage: error, file, isNew: false };
    throw error;
  }
}

async function findings(environment: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const config = readConfig(environment);
  const store = await findStore(config.storeUrl);
  const cobrowse = createCobrowse(config.cobrowse);
  const logger = createBoltLogger(createLog({ level: 'silent', secrets: [] }));
  const slack = new WebClient(
    config.slack.botToken,
    webClientOptions({ apiUrl: config.slack.apiUrl, logger }),
  );
  try {
    return await createDoctor({
      config,
      now: Date.now,
      store,
      cobrowse,
      slack,
    })();
  } finally {
    await cobrowse.close();
    if (!(store.storage instanceof Error)) await store.storage.close();
  }
}

/** `npm run doctor`: examines the installation with the settings that the app would start with. */
async function run(): Promise<void> {
  try {
    const found = await findings(process.env);
    process.stdout.write(`${[...found.map(line), '', findingCounts(found)].join('\n')}\n`);
    process.exit(found.some(({ state }) => state === 'failure') ? FAILED : FINE);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.complaints.map((complaint) => `failure  Settings: ${complaint}.`);
    process.stdout.write(`${lines.join('\n')}\n`);
    process.exit(FAILED);
  }
}

await run();
