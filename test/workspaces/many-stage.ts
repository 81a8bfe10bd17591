import { onTestFinished } from 'vitest';
import { startApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/services.ts';
import type { Config } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/open.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { type Options, PATIENT_MS, expectSound, keptLog } from '../support/checked-sandbox.ts';
import { createDataKeys, Secret } from '../../src/workspaces/data-keys.ts';
import { createInstalls } from '../../src/workspaces/installs.ts';
import { createServiceAccounts } from '../../src/workspaces/service-accounts.ts';
import { auditOf } from '../audit/unheard.ts';
import { ADA } from '../home/at-home.ts';
import { anInstall } from './an-install.ts';

export const ACME = 'T0ACME00000';

/** What a process keeps of workspaces. */
async function keptBy(storeUrl: string, secretKeys: Config['secretKeys'], now: () => number) {
  const database = await openDatabase(storeUrl);
  const installs = createInstalls({ database, dataKeys: createDataKeys(secretKeys), now });
  const { prepare } = auditOf(database, now);
  const accounts = createServiceAccounts({ database, installs, prepare, now });
  return { installs, accounts, close: () => database.close() };
}

/**
 * The sandbox, with an app for many workspaces in place of its own: Acme has installed it, and has no account unless the
 * operator's serves it. Until the test ends.
 */
export async function startForMany({
  storeUrl,
  allowed = [],
  operators = false,
  connects = false,
  beside = [],
  host = '127.0.0.1',
  sandboxOptions = {},
  appOptions = {},
  settings = {},
}: {
  readonly storeUrl: string;
  readonly allowed?: readonly string[];
  /** Whether the operator has an account: the stand-in service's. */
  readonly operators?: boolean;
  /** Whether Acme has connected the stand-in service as its own. */
  readonly connects?: boolean;
  /** Workspaces that the same stand-ins serve, each with a bot and an account of its own. */
  readonly beside?: readonly string[];
  /** By which Acme's account names this machine. */
  readonly host?: string;
  readonly sandboxOptions?: Options;
  readonly appOptions?: Partial<AppOptions>;
  readonly settings?: Partial<Config>;
}) {
  const sandbox = await startSandbox(sandboxOptions);
  await sandbox.app.stop();
  const { slack, service, shop } = sandbox;
  const given = { signingSecret: '', botToken: '', ...sandbox.config.slack };
  const { wireNames } = sandbox.config.cobrowse;
  const publicUrl = sandbox.config.publicUrl ?? '';
  const address = service.url.replace('127.0.0.1', host);
  const config: Config = {
    ...sandbox.config,
    storeUrl,
    slack: {
      mode: 'many',
      apiUrl: sandbox.config.slack.apiUrl,
      signingSecret: given.signingSecret,
      oauth: {
        clientId: '1.2',
        clientSecret: 'x',
        authorizeUrl: 'https://slack.example',
        allowed,
        publicUrl,
      },
    },
    serviceHosts: [new URL(address).host],
    cobrowse: operators ? sandbox.config.cobrowse : { wireNames, cloud: undefined, onPremise: undefined },
    ...settings,
  };
  const kept = await keptBy(storeUrl, config.secretKeys, sandbox.now);
  const acme = {
    ...anInstall(ACME),
    url: 'https://acme.slack.com/',
    botId: 'B0COBROWSE',
    botUserId: 'U0COBROWSE',
    botToken: new Secret(given.botToken),
  };
  await kept.installs.record(acme);
  const key = new Secret(service.apiKey);
  const account = { kind: 'cloud', address, key, connected: false, cloud: undefined } as const;
  for (const workspaceId of beside) {
    await kept.installs.record({ ...acme, workspaceId, botId: `B${workspaceId}` });
    await kept.accounts.change({ workspaceId, userId: ADA }, account, 0);
  }
  if (connects) await kept.accounts.change({ workspaceId: ACME, userId: ADA }, account, 0);
  await kept.close();
  /** Connects the stand-in service, as another process would. */
  async function connectElsewhere(): Promise<void> {
    const other = await keptBy(storeUrl, config.secretKeys, sandbox.now);
    await other.accounts.change({ workspaceId: ACME, userId: ADA }, account, 0);
    await other.close();
  }
  const { log, lines } = keptLog();
  const app = await startApp(config, { log, paceMs: 0, pageWaitMs: PATIENT_MS, ...appOptions });
  onTestFinished(async () => {
    await app.stop();
    await Promise.all([slack.close(), service.close(), shop.close()]);
    expectSound({ ...sandbox, app });
  });
  const restKey = sandbox.config.cobrowse.onPremise?.restKey ?? '';
  return { sandbox: { ...sandbox, app, config, restKey }, lines, connectElsewhere };
}
