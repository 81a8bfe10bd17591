import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../../src/sandbox/service/service.ts';
import type { StandInService } from '../../src/sandbox/service/service.ts';
import type { Session } from '../../src/sandbox/service/session.ts';
import { acme } from '../../src/sandbox/slack/seed.ts';
import { startSlack } from '../../src/sandbox/slack/slack.ts';
import type { StandInSlack } from '../../src/sandbox/slack/slack.ts';
import { startAppProcess } from './app-process.ts';
import type { AppProcess } from './app-process.ts';
import { createChance } from './chance.ts';
import { openServiceGate } from './service-gate.ts';
import { startTime } from './time.ts';
import type { Time } from './time.ts';

const MANIFEST = new URL('../../manifest.json', import.meta.url);
const BOT_TOKEN = 'xoxb-bot-token-of-this-run-only';
export const SECRET_KEY = 'secret-key-of-this-run-only-and-of-no-other';

export const USERS = ['U0ALEX00001', 'U0SAM000002', 'U0KIM000003', 'U0ADA000005'] as const;
/** Many, so that Slack's pace within one does not make the run wait. */
export const CHANNELS = Array.from(
  { length: 24 },
  (_, number) => `C0CHAOS${String(number).padStart(4, '0')}`,
);
export const WORKSPACE = acme.workspace.id;

const seed = {
  ...acme,
  channels: [
    ...acme.channels,
    ...CHANNELS.map((id, number) => ({
      id,
      name: `chaos-${number}`,
      topic: '',
      members: [...USERS, acme.app.botUser],
    })),
  ],
};

/** The real app as a process between the stand-ins, on one clock. */
export interface Stage {
  readonly app: AppProcess;
  readonly time: Time;
  readonly slack: StandInSlack;
  readonly service: StandInService;
  readonly appUrl: string;
  readonly storePath: string;
  readonly logPath: string;
  /** Calls Slack as the app would. */
  readonly call: (method: string, args: object) => Promise<unknown>;
  /** Removes what the app stored and wrote. */
  forget(): Promise<void>;
  /** Ends the stand-ins; the app was stopped before. */
  close(): Promise<void>;
}

interface StageOptions {
  readonly seed: number;
  readonly visitors: readonly string[];
  readonly onLink: (visitorId: string, link: string) => Promise<void>;
  readonly onEnd: (webhookUrl: string, session: Session) => void;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function startStandIns({ seed: number, visitors, onLink, onEnd }: StageOptions, now: () => number) {
  const slack = await startSlack({
    botToken: BOT_TOKEN,
    signingSecret: 'signing-secret-of-this-run-only',
    manifest: JSON.parse(await readFile(MANIFEST, 'utf8')),
    seed,
    now,
    chance: createChance(number, 'slack').next,
  });
  const service = await startService({
    apiKey: 'api-key-of-this-run-only',
    now: () => new Date(now()),
    seed: visitors.map((id) => ({ short_id: id, identities: [`Visitor ${id}`], is_online: true })),
    sessionLimit: 10_000,
    tellOfEnd: onEnd,
  });
  return { slack, service, gate: await openServiceGate(service.url, onLink) };
}

export async function openStage(options: StageOptions): Promise<Stage> {
  // The stand-ins' clock is the app's, which is made after them.
  let now = Date.now;
  const { slack, service, gate } = await startStandIns(options, () => now());
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const [storePath, logPath] = [join(folder, 'store.db'), join(folder, 'app.log')];
  const port = await freePort();
  const appUrl = `http://127.0.0.1:${port}`;
  slack.setRequestUrl(`${appUrl}/slack/events`);
  const app = startAppProcess({
    url: appUrl,
    logPath,
    settings: {
      SLACK_SIGNING_SECRET: 'signing-secret-of-this-run-only',
      SLACK_BOT_TOKEN: BOT_TOKEN,
      SLACK_API_URL: slack.apiUrl,
      COBROWSE_BASE_URL: gate.url,
      COBROWSE_API_KEY: service.apiKey,
      PUBLIC_URL: appUrl,
      PORT: String(port),
      STORE_URL: `sqlite:${storePath}`,
      SECRET_KEYS: SECRET_KEY,
      // A press of Slack's is a test of its own: here the address alone is opened.
      WATCH_PROOF: 'ticket',
      LOG_LEVEL: 'info',
    },
  });
  now = app.now;
  await app.ready();
  return {
    app,
    time: startTime(app),
    slack,
    service,
    appUrl,
    storePath,
    logPath,
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
      await Promise.all([slack.close(), service.close(), gate.close()]);
    },
  };
}
