import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startService } from '../../sandbox/service/service.ts';
import type { StandInService } from '../../sandbox/service/service.ts';
import type { Session } from '../../sandbox/service/session.ts';
import { acme } from '../../sandbox/slack/seed.ts';
import { startSlack } from '../../sandbox/slack/slack.ts';
import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import type { AppProcess } from './app-process.ts';
import { createChance } from './chance.ts';
import { startFleet } from './fleet.ts';
import { openFront } from './front.ts';
import { plantBeforeApp, plantBeforeSlack } from './plants.ts';
import type { Plant } from './plants.ts';
import { holdTables } from './server-store.ts';
import { createServiceGate } from './service-gate.ts';
import { startTime } from './time.ts';
import type { Time } from './time.ts';
import { freePort } from '../support/free-port.ts';

const MANIFEST = new URL('../../manifest.json', import.meta.url);
const BOT_TOKEN = 'xoxb-bot-token-of-this-run-only';
const SIGNING_SECRET = 'signing-secret-of-this-run-only';

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
export const WORKSPACE = acme.workspace.id;
/** By which a visitor is found, and nobody else. */
export const emailOf = (visitorId: string) => `${visitorId}@chaos.example`;
/** Soon before the digest. */
const BEGIN_AT = Date.parse('2026-03-02T08:40:00Z');

const seed = {
  ...acme,
  users: [
    ...acme.users,
    { id: KEEPER, name: 'kay', realName: 'Kay Keeper', email: 'kay@acme.com', admin: true },
  ],
  channels: [
    ...acme.channels,
    ...[...CHANNELS, ...Object.values(SUBSCRIBED), WRONG_CHANNEL].map((id) => ({
      id,
      name: id.toLowerCase(),
      topic: '',
      members: [...USERS, KEEPER, acme.app.botUser],
    })),
  ],
};

/** The real app as processes between the stand-ins, on one clock. */
export interface Stage {
  readonly app: AppProcess;
  readonly time: Time;
  readonly slack: StandInSlack;
  readonly service: StandInService;
  readonly appUrl: string;
  readonly storeUrl: string;
  /** The file of the store, where it is one. */
  readonly storePath: string | undefined;
  readonly logPath: string;
  /** Keeps the app from writing until the action is done. */
  readonly holdStore: (action: () => Promise<unknown>) => Promise<void>;
  /** Calls Slack as the app would. */
  readonly call: (method: string, args: object) => Promise<unknown>;
  /** Removes what the app stored and wrote. */
  forget(): Promise<void>;
  /** Ends the stand-ins; the app was stopped before. */
  close(): Promise<void>;
}

export interface StageOptions {
  readonly seed: number;
  readonly visitors: readonly string[];
  readonly onLink: (visitorId: string, link: string) => Promise<void>;
  readonly onEnd: (webhookUrl: string, session: Session) => void;
  readonly isHidden: (sessionId: string) => boolean;
  /** `postgres://…`; a file of SQLite's where not given. */
  readonly storeUrl: string | undefined;
  readonly processes: number;
  readonly plant: Plant | undefined;
}

async function startStandIns(options: StageOptions, now: () => number) {
  const { seed: number, visitors, onEnd, onLink, isHidden, plant } = options;
  const slack = await startSlack({
    botToken: BOT_TOKEN,
    signingSecret: SIGNING_SECRET,
    manifest: JSON.parse(await readFile(MANIFEST, 'utf8')),
    seed,
    now,
    chance: createChance(number, 'slack').next,
  });
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
  const beforeService = await openFront([service.url], createServiceGate({ onLink, isHidden }));
  const beforeSlack = await openFront([slack.url], plantBeforeSlack(plant, WRONG_CHANNEL));
  return { slack, service, beforeService, beforeSlack };
}

async function holdFile(storePath: string, action: () => Promise<unknown>): Promise<void> {
  const connection = new DatabaseSync(storePath, { timeout: 500 });
  try {
    connection.exec('BEGIN IMMEDIATE');
  } catch {
    // The app was writing all the while: it goes on.
  }
  try {
    await action();
  } finally {
    // Closing ends what was begun.
    connection.close();
  }
}

export async function openStage(options: StageOptions): Promise<Stage> {
  // The stand-ins' clock is the app's, which is made after them.
  let now = () => BEGIN_AT;
  const { slack, service, beforeService, beforeSlack } = await startStandIns(options, () => now());
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const logPath = join(folder, 'app.log');
  const storePath = options.storeUrl === undefined ? join(folder, 'store.db') : undefined;
  const storeUrl = options.storeUrl ?? `sqlite:${storePath}`;
  const ports: number[] = [];
  while (ports.length < options.processes) ports.push(await freePort());
  const targets = ports.map((port) => `http://127.0.0.1:${port}`);
  const beforeApp = await openFront(targets, plantBeforeApp(options.plant));
  slack.setRequestUrl(`${beforeApp.url}/slack/events`);
  const app = startFleet({
    ports,
    logPath,
    beginAt: BEGIN_AT,
    settingsFor: (port) => ({
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: `${beforeSlack.url}/api/`,
      COBROWSE_BASE_URL: beforeService.url,
      COBROWSE_API_KEY: service.apiKey,
      PUBLIC_URL: beforeApp.url,
      PORT: String(port),
      STORE_URL: storeUrl,
      DRAIN_SECONDS: '0',
      SECRET_KEYS: 'secret-key-of-this-run-only-and-of-no-other',
      LOG_LEVEL: 'info',
    }),
  });
  now = app.now;
  await app.ready();
  return {
    app,
    time: startTime(app),
    slack,
    service,
    appUrl: beforeApp.url,
    storeUrl,
    storePath,
    logPath,
    holdStore: (action) =>
      storePath === undefined ? holdTables(storeUrl, action) : holdFile(storePath, action),
    call: async (method, args) => {
      const response = await fetch(`${slack.apiUrl}${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${BOT_TOKEN}` },
        body: JSON.stringify(args),
      });
      return response.json();
    },
    forget: () => rm(folder, { recursive: true, force: true }),
    async close() {
      await Promise.all([slack, service, beforeApp, beforeService, beforeSlack].map((one) => one.close()));
    },
  };
}
