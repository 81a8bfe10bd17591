import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { startService, type StandInService } from '../../sandbox/service/service.ts';
import type { Session } from '../../sandbox/service/session.ts';
import type { Share } from '../../sandbox/slack/misbehaviors.ts';
import { startOAuth } from '../../sandbox/slack/oauth.ts';
import { acme, type Seed } from '../../sandbox/slack/seed.ts';
import { startSlack, type StandInSlack } from '../../sandbox/slack/slack.ts';
import { umbrella } from '../../sandbox/slack/umbrella.ts';
import { sql } from '../../src/database/database.ts';
import { install } from '../sandbox/install.ts';
import { freePort } from '../support/free-port.ts';
import { watchHealth } from './balancer.ts';
import { createChance } from './chance.ts';
import { openFileStore } from './file-store.ts';
import { startFleet, type Fleet } from './fleet.ts';
import { openFront, type Between } from './front.ts';
import { plantBeforeReceiver, plantBeforeSlack, preloadsOf, type Plant } from './plants.ts';
import { readStore } from './records.ts';
import { openServerStore } from './server-store.ts';
import { createServiceGate } from './service-gate.ts';
import type { Store } from './store.ts';
import { startTime, type Time } from './time.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const MANIFEST = new URL('../../manifest.json', import.meta.url);
const PAGE_FOLDER = new URL('../../sandbox/page/', import.meta.url);
const BOT_TOKEN = 'xoxb-bot-token-of-this-run-only';
const SIGNING_SECRET = 'signing-secret-of-this-run-only';
const OAUTH_CLIENT = { clientId: '1111.2222', clientSecret: 'client-secret-of-this-run-only' };
/** What Slack takes for an answer over PostgreSQL: so long, what was acknowledged is not in Slack yet when something is killed. */
const SLACK_TAKES_MS = 400;
/** By how much calls of the app have less time: as much as the run's time is faster, or less where Slack takes its own. */
const LIMITS_DIVIDED_BY = { file: 10, server: 4 } as const;
/** How long a process that was asked to stop serves on. */
const DRAIN_SECONDS = 1;
/** Where workspaces install the app: two hours before, each is replaced. */
const TOKEN_SECONDS = 2.25 * 60 * 60;
/** How soon an admin hears that the app has to be installed again. */
const HEARD_MS = 1_000;
/** How often the balancer before several processes asks for their health. */
const ASK_EVERY_MS = 200;

export const USERS = ['U0ALEX00001', 'U0SAM000002', 'U0KIM000003', 'U0ADA000005'] as const;
export const ADMIN = 'U0ADA000005';
export const SAM = 'U0SAM000002';
/** Changes a subscription all the while, and does nothing else: a person has one modal at a time. */
export const KEEPER = 'U0KEEPER007';
export const APP_USER = acme.app.botUser;
/** Many, so that Slack's pace within one does not make the run wait. */
export const CHANNELS = Array.from(
  { length: 24 },
  (_, number) => `C0CHAOS${String(number).padStart(4, '0')}`,
);
/** Where nobody presses: what comes here comes by subscription. */
export const SUBSCRIBED = {
  all: 'C0CHAOSALL1',
  sams: 'C0CHAOSSAM1',
  digest: 'C0CHAOSDIG1',
  changing: 'C0CHAOSCHG1',
} as const;
/** Where nothing belongs. */
const WRONG_CHANNEL = 'C0CHAOSBAD1';
/** By which a visitor is found, and nobody else. */
export const emailOf = (visitorId: string) => `${visitorId}@chaos.example`;
/** Soon before the digest. */
const BEGIN_AT = Date.parse('2026-03-02T08:28:00Z');

/** A workspace with what a run needs in it. */
const seedOf = (seed: Seed): Seed => ({
  ...seed,
  users: [
    ...seed.users,
    {
      id: KEEPER,
      name: 'kay',
      realName: 'Kay Keeper',
      email: `kay@${seed.workspace.domain}.example`,
      admin: true,
    },
  ],
  channels: [
    ...seed.channels,
    ...[...CHANNELS, ...Object.values(SUBSCRIBED), WRONG_CHANNEL].map((id) => ({
      id,
      name: id.toLowerCase(),
      topic: '',
      members: [...USERS, KEEPER, seed.app.botUser],
    })),
  ],
});

/** One workspace, and the real app as processes between the stand-ins, on one clock. */
export interface Stage {
  readonly workspaceId: string;
  readonly slack: StandInSlack;
  /** Lets shares of these methods' calls misbehave in this workspace; those that don't take as long as the stage's Slack does. */
  readonly misbehave: (methods: readonly string[], shares: readonly Share[]) => void;
  readonly app: Fleet;
  readonly time: Time;
  readonly service: StandInService;
  /** Of outgoing webhooks. */
  readonly receiver: WebhookReceiver;
  readonly appUrl: string;
  readonly store: Store;
}

/** All workspaces of a run. */
export interface Stages {
  readonly all: readonly [Stage, ...Stage[]];
  readonly logPath: string;
  /** How often tokens were asked for in place of those that end, and the app was installed again since there were none. */
  readonly tokens: () => { readonly refreshed: number; readonly installedAgain: number };
  /** Ends the stand-ins; the app was stopped before. @param isKept whether somebody wants to see what it stored and wrote */
  close(isKept: boolean): Promise<void>;
}

export interface StageOptions {
  readonly seed: number;
  readonly visitors: readonly string[];
  readonly onLink: (visitorId: string, link: string) => Promise<void>;
  readonly onEnd: (webhookUrl: string, session: Session) => void;
  readonly isHidden: (sessionId: string) => boolean;
  /** On a server of its own, instead of in a file of SQLite's; then two workspaces install the app, and Slack takes its time. */
  readonly onPostgres: boolean;
  readonly isPooled: boolean;
  readonly processes: number;
  readonly plants: readonly Plant[];
}

/** The workspaces of a run: one that the settings name, or two that install the app. */
export const workspacesOf = ({ onPostgres }: Pick<StageOptions, 'onPostgres'>) => (onPostgres ? 2 : 1);

async function startSlacks({ seed, onPostgres }: StageOptions, now: () => number, appUrl: () => string) {
  const shared = {
    signingSecret: SIGNING_SECRET,
    manifest: JSON.parse(await readFile(MANIFEST, 'utf8')),
    now,
    chance: createChance(seed, 'slack').next,
  };
  if (!onPostgres) {
    const slack = await startSlack({ ...shared, seed: seedOf(acme), botToken: BOT_TOKEN });
    return { slacks: [slack] as const, url: slack.url, oauth: undefined };
  }
  const installed = {
    ...shared,
    tokenSeconds: TOKEN_SECONDS,
    oauth: { ...OAUTH_CLIENT, installUrl: () => `${appUrl()}/slack/install`, workspaces: () => [] },
  };
  const slacks = [
    await startSlack({ ...installed, seed: seedOf(acme) }),
    await startSlack({ ...installed, seed: seedOf(umbrella) }),
  ] as const;
  const oauth = await startOAuth({
    client: OAUTH_CLIENT,
    redirectUrl: () => `${appUrl()}/slack/oauth_redirect`,
    workspaces: slacks,
    pageFolder: PAGE_FOLDER,
    now,
  });
  return { slacks, url: oauth.url, oauth };
}

const settingsOf = ({
  slacks,
  oauth,
}: Awaited<ReturnType<typeof startSlacks>>): Readonly<Record<string, string>> =>
  oauth === undefined
    ? { SLACK_BOT_TOKEN: BOT_TOKEN }
    : {
        SLACK_CLIENT_ID: OAUTH_CLIENT.clientId,
        SLACK_CLIENT_SECRET: OAUTH_CLIENT.clientSecret,
        SLACK_AUTHORIZE_URL: oauth.authorizeUrl,
        ALLOWED_WORKSPACES: slacks.map(({ workspace }) => workspace.id).join(','),
      };

function countingRefreshes(between: Between = (asked, passOn) => passOn(asked)) {
  let count = 0;
  const counting: Between = (asked, passOn) => {
    if (asked.body.includes('grant_type=refresh_token')) count += 1;
    return between(asked, passOn);
  };
  return { between: counting, count: () => count };
}

const Lost = z.object({ id: z.string() });

/** Has an admin install the app again where a kill lost both tokens, as the app tells them. @returns what ends it, and how often that was */
function startAdmins(store: Store, installIn: (workspaceId: string) => Promise<boolean>) {
  const over = new AbortController();
  let installed = 0;
  const lost = () =>
    readStore(
      { store },
      sql`SELECT id FROM workspaces WHERE token_ends_at IS NOT NULL AND refresh_token IS NULL`,
      Lost,
    ).catch(() => []);
  const working = (async () => {
    while (!over.signal.aborted) {
      await pause(HEARD_MS);
      for (const { id } of await lost()) if (await installIn(id)) installed += 1;
    }
  })();
  return {
    installed: () => installed,
    async stop(): Promise<void> {
      over.abort();
      await working;
    },
  };
}

export async function openStages(options: StageOptions): Promise<Stages> {
  const { processes, plants, visitors, onEnd, onPostgres, isPooled } = options;
  // The stand-ins' clock is the app's, which is made after them.
  let now = () => BEGIN_AT;
  let appUrl = '';
  const started = await startSlacks(
    options,
    () => now(),
    () => appUrl,
  );
  const { slacks, oauth } = started;
  const service = await startService({
    apiKey: 'api-key-of-this-run-only',
    now: () => new Date(now()),
    seed: visitors.map((id) => ({
      short_id: id,
      identities: [`Visitor ${id}`],
      email: emailOf(id),
      is_online: true,
    })),
    sessionLimit: 10_000,
    tellOfEnd: onEnd,
  });
  const store = onPostgres ? await openServerStore(processes, isPooled) : await openFileStore();
  const ports: number[] = [];
  while (ports.length < processes) ports.push(await freePort());
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const health = watchHealth(processes > 1 ? urls : [], ASK_EVERY_MS);
  const beforeService = await openFront([service.url], createServiceGate(options));
  const refreshes = countingRefreshes(plantBeforeSlack(plants, WRONG_CHANNEL));
  const beforeSlack = await openFront([started.url], refreshes.between);
  const receiver = await startWebhookReceiver(
    createChance(options.seed, 'receiver'),
    plantBeforeReceiver(plants),
  );
  const beforeApp = await openFront(processes > 1 ? health.living : urls);
  appUrl = beforeApp.url;
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const logPath = join(folder, 'app.log');
  const app = startFleet({
    urls,
    logPath,
    preloads: preloadsOf(plants),
    beginAt: BEGIN_AT,
    settingsFor: (process) => ({
      ...settingsOf(started),
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_API_URL: `${beforeSlack.url}/api/`,
      COBROWSE_BASE_URL: beforeService.url,
      COBROWSE_API_KEY: service.apiKey,
      PUBLIC_URL: appUrl,
      PORT: String(ports[process]),
      STORE_URL: store.urlFor(process),
      WEBHOOK_HOSTS: receiver.host,
      SECRET_KEYS: 'secret-key-of-this-run-only-and-of-no-other',
      LOG_LEVEL: 'info',
      DRAIN_SECONDS: String(processes > 1 ? DRAIN_SECONDS : 0),
      LIMITS_DIVIDED_BY: String(LIMITS_DIVIDED_BY[store.kind]),
    }),
  });
  now = app.now;
  await app.ready();
  const shared = { app, time: startTime(app), service, receiver, appUrl, store };
  const usual: readonly Share[] = onPostgres ? [{ how: { slowMs: SLACK_TAKES_MS }, share: 1 }] : [];
  const stageOf = (slack: StandInSlack): Stage => ({
    ...shared,
    workspaceId: slack.workspace.id,
    slack,
    misbehave(methods, shares) {
      for (const method of methods) slack.failShares(method, [...shares, ...usual]);
    },
  });
  const [first, ...others] = slacks;
  const installIn = async (slack: StandInSlack): Promise<boolean> =>
    oauth !== undefined &&
    install({ publicUrl: appUrl, many: { oauth } }, slack, { as: ADMIN }).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const slack of slacks) {
    slack.setRequestUrl(`${appUrl}/slack/events`);
    if (oauth === undefined) continue;
    // Beside other work Slack may answer too late.
    for (let isInstalled = false; !isInstalled;) isInstalled = await installIn(slack);
    for (const channel of [...CHANNELS, ...Object.values(SUBSCRIBED), WRONG_CHANNEL])
      slack.join({ channel, user: slack.bot.userId });
  }
  const admins = startAdmins(store, async (id) => {
    const slack = slacks.find(({ workspace }) => workspace.id === id);
    return slack !== undefined && installIn(slack);
  });
  return {
    all: [stageOf(first), ...others.map(stageOf)],
    logPath,
    tokens: () => ({ refreshed: refreshes.count(), installedAgain: admins.installed() }),
    async close(isKept) {
      await admins.stop();
      const standIns = [...slacks, service, receiver, health, beforeApp, beforeService, beforeSlack];
      await Promise.all([...standIns, ...(oauth === undefined ? [] : [oauth])].map((one) => one.close()));
      if (!isKept) await rm(folder, { recursive: true, force: true });
      await store.close(isKept);
    },
  };
}
