import { existsSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { readUndelivered } from '../admin/check-summaries.ts';
import { examineInstallation, type Examined } from '../admin/doctor.ts';
import { createCobrowse } from '../cobrowse/client.ts';
import { damageIn } from '../database/damage.ts';
import { sql, type Database } from '../database/database.ts';
import { DatabaseError, DatabaseUrlError } from '../database/errors.ts';
import { isServedAlone, openDatabase, sqliteFile } from '../database/open.ts';
import { createLog } from '../logging/log.ts';
import { findingCounts, type Finding } from '../admin/findings.ts';
import { Probe } from '../sessions/webhook.ts';
import { UNFIT_MS, unfitClaim, createSlackAgent, webClientOptions } from '../workspaces/web-client.ts';
import { slackSetup } from '../slack/setup-state.ts';
import { readSubscriptions } from '../subscriptions/repository.ts';
import { createTickets } from '../http/tickets.ts';
import { createDataKeys } from '../workspaces/data-keys.ts';
import { createInstalls } from '../workspaces/installs.ts';
import { ConfigError, readConfig, type Config } from './config.ts';

/** Nothing failed; a warning isn't a failure. */
const FINE = 0;
const FAILED = 1;

const line = ({ state, about, says, next, channelId }: Finding): string =>
  [
    `${state.padEnd(7)}  ${about}: ${channelId === undefined ? '' : `${channelId} `}${says}`,
    ...(next === undefined || state === 'ok' ? [] : [`         -> ${next}`]),
  ].join('\n');

/** The database at STORE_URL. */
interface FoundStore {
  /** Or why it can't be opened, or can't be relied on. */
  readonly database: Database | DatabaseError | DatabaseUrlError;
  /** Undefined for a database in memory or on a server, and if there is none. */
  readonly file: string | undefined;
  /** Whether opening it just created the file. */
  readonly isNew: boolean;
}

/** Why what a file holds can't be relied on; undefined if it can. */
async function whyNotReliedOn(file: string): Promise<DatabaseError | undefined> {
  try {
    return (await damageIn(file)) === undefined ? undefined : new DatabaseError('corrupt');
  } catch (error) {
    if (error instanceof DatabaseError) return error;
    throw error;
  }
}

const Claimed = z.object({ claimed_until: z.number() });

/** Since when no request of Slack's has fitted the secret; undefined if one has, or none came. */
async function readUnfitSince(
  database: Database,
  secret: string,
  now: () => number,
): Promise<number | undefined> {
  const [claim] = await database.read(
    sql`SELECT claimed_until FROM claims WHERE workspace_id = '' AND name = ${unfitClaim(secret)}
      AND claimed_until > ${now()}`,
    Claimed,
  );
  return claim && claim.claimed_until - UNFIT_MS;
}

/** A database that can't be opened is a finding like any other. */
async function findStore({ storeUrl }: Config): Promise<FoundStore> {
  let file: string | undefined;
  try {
    file = sqliteFile(storeUrl);
    // Checked before opening, which creates it.
    const isNew = file !== undefined && !existsSync(file);
    const database = await openDatabase(storeUrl);
    const failure = file === undefined ? undefined : await whyNotReliedOn(file);
    if (failure === undefined) return { database, file, isNew };
    await database.close();
    return { database: failure, file, isNew };
  } catch (error) {
    if (error instanceof DatabaseError || error instanceof DatabaseUrlError)
      return { database: error, file, isNew: false };
    throw error;
  }
}

async function findings(environment: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const config = readConfig(environment);
  const { slack: setUp, cobrowse: service, storeUrl } = config;
  const { database, file, isNew } = await findStore(config);
  const { proxy } = config;
  const cobrowse = createCobrowse(service, { proxy });
  const slackAgent = createSlackAgent(proxy);
  const log = createLog({ level: 'silent', secrets: [] });
  const isForMany = setUp.mode === 'many';
  const botToken = isForMany ? undefined : setUp.botToken;
  const slack = new WebClient(botToken, webClientOptions({ apiUrl: setUp.apiUrl, slackAgent, log }));
  try {
    const installation: Examined = {
      warnings: config.warnings,
      publicUrl: config.publicUrl,
      dispatcher: slackAgent,
      probeTickets: createTickets(config.secretKeys)('session-end-probe', Probe),
      slack: slackSetup(slack, setUp),
      cobrowse,
      serviceUrl: service.cloud?.baseUrl ?? service.onPremise?.baseEndpoint,
      summaryChannel: config.summaryChannel,
      subscriptions: async () => (database instanceof Error ? undefined : readSubscriptions(database)),
      // Whoever runs the app can read the database anyway.
      mayKnow: async () => true,
      undelivered: database instanceof Error ? undefined : () => readUndelivered(database, Date.now),
      signingSecret:
        setUp.mode === 'socket'
          ? undefined
          : {
              secret: setUp.signingSecret,
              unfitSince: async () =>
                database instanceof Error
                  ? undefined
                  : readUnfitSince(database, setUp.signingSecret, Date.now),
            },
      workspaces:
        !isForMany || database instanceof Error
          ? undefined
          : async () => {
              const dataKeys = createDataKeys(config.secretKeys);
              const installs = createInstalls({ database, dataKeys, now: Date.now });
              return { ...(await installs.counts()), missing: await installs.missingKeys() };
            },
      store: {
        async check() {
          if (database instanceof Error) throw database;
          await database.check();
        },
        file,
        hears: isServedAlone(storeUrl) || database instanceof Error ? undefined : () => database.hears(),
        isNew,
      },
      now: Date.now,
    };
    return await examineInstallation(installation, isForMany ? 'operator' : 'all');
  } finally {
    await Promise.all([cobrowse.close(), slackAgent.close()]);
    if (!(database instanceof Error)) await database.close();
  }
}

/** What the program prints, and its exit code. */
interface Printed {
  readonly output: string;
  readonly code: number;
}

/** `npm run doctor`: checks the setup with the settings the app would start with. */
export async function examineSettings(environment: NodeJS.ProcessEnv): Promise<Printed> {
  try {
    const found = await findings(environment);
    return {
      output: `${[...found.map(line), '', findingCounts(found)].join('\n')}\n`,
      code: found.some(({ state }) => state === 'failure') ? FAILED : FINE,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.complaints.map((complaint) => `failure  Settings: ${complaint}.`);
    return { output: `${lines.join('\n')}\n`, code: FAILED };
  }
}
