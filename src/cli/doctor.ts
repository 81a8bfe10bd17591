import { existsSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { operatorChecks, signingSecretCheck, workspacesCheck } from '../admin/check-operator.ts';
import {
  channelsCheck,
  deliveriesCheck,
  readUndelivered,
  serviceCheck,
  slackCheck,
} from '../admin/checks.ts';
import { createCobrowse } from '../cobrowse/client.ts';
import { checkFile } from '../database/sqlite-file.ts';
import { DatabaseError, sql, type Database } from '../database/database.ts';
import { openDatabase, sqliteFile } from '../database/open.ts';
import { createLog } from '../logging/log.ts';
import { examineSetup, findingCounts, type Finding } from '../admin/findings.ts';
import { Probe } from '../sessions/webhook.ts';
import { UNFIT_MS, unfitClaim, createSlackAgent, webClientOptions } from '../workspaces/web-client.ts';
import { slackSetup } from '../slack/setup-state.ts';
import { readSubscriptions } from '../subscriptions/repository.ts';
import { createTickets } from '../http/tickets.ts';
import { ConfigError, readConfig, type Config } from '../config/config.ts';
import { end, installsOn, type Said } from './store-program.ts';

const line = ({ state, about, says, next, channelId }: Finding): string =>
  [
    `${state.padEnd(7)}  ${about}: ${channelId === undefined ? '' : `${channelId} `}${says}`,
    ...(next === undefined || state === 'ok' ? [] : [`         -> ${next}`]),
  ].join('\n');

/** The database at STORE_URL, or why it can't be opened or relied on: a finding like any other. */
async function findStore({ storeUrl }: Config) {
  const file = sqliteFile(storeUrl);
  // Checked before opening, which creates it.
  const isNew = file !== undefined && !existsSync(file);
  let database: Database | undefined;
  try {
    database = await openDatabase(storeUrl);
    if (file !== undefined && checkFile(file) !== undefined) throw new DatabaseError('corrupt');
    return { database, failure: undefined, isNew };
  } catch (failure) {
    await database?.close();
    if (failure instanceof DatabaseError) return { database: undefined, failure, isNew: false };
    throw failure;
  }
}

/** Since when no request of Slack's has fitted the secret; undefined if one has, or none came. */
async function readUnfitSince(database: Database, secret: string): Promise<number | undefined> {
  const [claim] = await database.read(
    sql`SELECT claimed_until FROM claims WHERE workspace_id = '' AND name = ${unfitClaim(secret)}
      AND claimed_until > ${Date.now()}`,
    z.object({ claimed_until: z.number() }),
  );
  return claim && claim.claimed_until - UNFIT_MS;
}

async function findings(environment: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const config = readConfig(environment);
  const { slack: setUp, cobrowse: service, proxy, secretKeys } = config;
  const { database, failure, isNew } = await findStore(config);
  const cobrowse = createCobrowse(service, { proxy });
  const slackAgent = createSlackAgent(proxy);
  const log = createLog({ level: 'silent', secrets: [] });
  const isForMany = setUp.mode === 'many';
  const botToken = isForMany ? undefined : setUp.botToken;
  const slack = new WebClient(botToken, webClientOptions({ apiUrl: setUp.apiUrl, slackAgent, log }));
  const installs = isForMany && database && installsOn(database, config);
  const signingSecret = setUp.mode === 'socket' ? undefined : setUp.signingSecret;
  try {
    const ofWorkspace = slackSetup(slack, setUp);
    return await examineSetup(config.warnings, [
      !isForMany && slackCheck(ofWorkspace),
      !isForMany &&
        channelsCheck({
          stateOf: ofWorkspace.stateOf,
          summaryChannel: config.summaryChannel,
          subscriptions: async () => database && readSubscriptions(database),
          // Whoever runs the app can read the database anyway.
          mayKnow: async () => true,
        }),
      database && deliveriesCheck(() => readUndelivered(database, Date.now)),
      // Without one of the operator's, each workspace connects its own.
      ...(isForMany && !cobrowse.isConnected ? [] : serviceCheck(cobrowse)),
      signingSecret !== undefined &&
        signingSecretCheck(signingSecret, async () => database && readUnfitSince(database, signingSecret)),
      installs && workspacesCheck(installs),
      ...operatorChecks({
        ...config,
        dispatcher: slackAgent,
        probeTickets: createTickets(secretKeys)('session-end-probe', Probe),
        slack: ofWorkspace,
        serviceUrl: service.cloud?.baseUrl ?? service.onPremise?.baseEndpoint,
        store: {
          async check() {
            if (failure !== undefined) throw failure;
            await database?.check();
          },
          isNew,
        },
        now: Date.now,
      }),
    ]);
  } finally {
    await Promise.all([cobrowse.close(), slackAgent.close()]);
    await database?.close();
  }
}

export async function examineSettings(environment: NodeJS.ProcessEnv): Promise<Said> {
  try {
    const found = await findings(environment);
    const says = [...found.map(line), '', findingCounts(found)].join('\n');
    return { says, code: found.some(({ state }) => state === 'failure') ? 1 : 0 };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.complaints.map((complaint) => `failure  Settings: ${complaint}.`);
    return { says: lines.join('\n'), code: 1 };
  }
}

export const run = ({ env }: Pick<NodeJS.Process, 'env'>): Promise<never> => end(examineSettings(env));
