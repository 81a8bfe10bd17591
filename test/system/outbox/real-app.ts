import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import { startService, type StandInService } from '../../../sandbox/service/service.ts';
import { startSlack, type SlackOptions, type StandInSlack } from '../../../sandbox/slack/slack.ts';
import { builtStart } from '../../support/app-process.ts';
import { ON_TEST_CLOCK, settingsOfChild } from '../../support/child-clock.ts';
import { freePort } from '../../support/free-port.ts';
import type { personIn } from '../../support/person.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const MANIFEST = new URL('../../../manifest.json', import.meta.url);

/** What must never show up anywhere. */
export const SECRETS = {
  botToken: 'xoxb-bot-token-of-this-test-only',
  appToken: 'xapp-app-token-of-this-test-only',
  signingSecret: 'signing0secret0of0this0test0only',
  apiKey: 'api-key-of-this-test-only',
  secretKeys: ['newest-secret-key-of-this-test-only', 'older-secret-key-of-this-test-only'],
} as const;

/** The app in a separate process. */
export interface RealApp {
  /** Everything it wrote to standard output and standard error. */
  output(): string;
  /** Resolves once the output contains these words; rejects if the process ends first. */
  said(words: string): Promise<void>;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Sends the signal only. */
  askToStop(signal?: 'SIGTERM' | 'SIGINT'): void;
  /** The exit code, once it has ended; null if a signal ended it. */
  ended(): Promise<number | null>;
}

/** @param command what runs the app, as words */
function run(
  settings: Readonly<Record<string, string>>,
  [command = '', ...rest]: readonly string[],
): RealApp {
  // Away from any .env of this project.
  const child = spawn(command, rest, { cwd: tmpdir(), env: { ...settings, ...settingsOfChild() } });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const kill = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  return {
    output: () => output,
    async said(words) {
      while (!output.includes(words)) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The app ended: ${output}`);
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), closed]);
      }
    },
    kill,
    askToStop: (signal = 'SIGTERM') => void child.kill(signal),
    async ended() {
      await closed;
      return child.exitCode;
    },
  };
}

export interface WorldOptions {
  /** What starts the app, as words, where it isn't the one that is built for all tests. */
  readonly program?: readonly string[];
  readonly slack?: Partial<SlackOptions>;
  /** Override the usual settings; empty means unset. */
  readonly settings?: (standIns: {
    readonly slack: StandInSlack;
    readonly service: StandInService;
  }) => Promise<Readonly<Record<string, string>>>;
}

async function startStandIns(options: Partial<SlackOptions> = {}) {
  const { botToken, signingSecret, apiKey } = SECRETS;
  const manifest: unknown = JSON.parse(await readFile(MANIFEST, 'utf8'));
  const slack = await startSlack({ botToken, signingSecret, manifest, waitsMs: 60_000, ...options });
  onTestFinished(() => slack.close());
  const service = await startService({ apiKey, sessionLimit: 100, proxyEnabled: true });
  onTestFinished(() => service.close());
  return { slack, service };
}

/** The stand-ins and a place for the app, which can be started there repeatedly. Closed when the test ends. */
export async function openRealWorld(options: WorldOptions = {}) {
  const { program = [process.execPath, ...ON_TEST_CLOCK, await builtStart()] } = options;
  const standIns = await startStandIns(options.slack);
  const { slack, service } = standIns;
  const folder = await temporaryFolder();
  const storePath = join(folder, 'store.db');
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  slack.setRequestUrl(`${publicUrl}/slack/events`);
  const settings = {
    SLACK_SIGNING_SECRET: SECRETS.signingSecret,
    SLACK_BOT_TOKEN: SECRETS.botToken,
    SLACK_API_URL: slack.apiUrl,
    COBROWSE_BASE_URL: service.url,
    COBROWSE_API_KEY: SECRETS.apiKey,
    PUBLIC_URL: publicUrl,
    PORT: String(port),
    DRAIN_SECONDS: '0',
    STORE_URL: `sqlite:${storePath}`,
    SECRET_KEYS: SECRETS.secretKeys.join(','),
    LOG_LEVEL: 'trace',
    ...(await options.settings?.(standIns)),
  };
  async function start(
    wrapper: readonly string[] = [],
    own: Readonly<Record<string, string>> = {},
    what = program,
  ) {
    const app = run({ ...settings, ...own }, [...wrapper, ...what]);
    await app.said('"msg":"listening"');
    return app;
  }
  return {
    slack,
    service,
    folder,
    publicUrl,
    /** What the app is started with. */
    settings,
    /** Starts the app without waiting for it. */
    launch: () => run(settings, program),
    /** @param wrapper a command that runs the app, as `sh -c 'ulimit …; exec "$@"' sh` does */
    start: (wrapper: readonly string[] = []): Promise<RealApp> => start(wrapper),
    /** Starts one more process on the same database, at another port, perhaps of another program. */
    async startBeside(given: { readonly port?: number; readonly program?: readonly string[] } = {}) {
      const ownPort = given.port ?? (await freePort());
      const app = await start([], { PORT: String(ownPort) }, given.program);
      return { app, publicUrl: `http://127.0.0.1:${ownPort}` };
    },
    /** Lets the time pass for which Slack said to wait. */
    endWaits(): void {
      const store = new DatabaseSync(storePath, { timeout: 5_000 });
      store.exec('UPDATE channels SET open_at = 0, next_at = 1 WHERE next_at IS NOT NULL');
      store.close();
    },
  };
}

/** Presses Watch, and loads the page again once: on a busy machine the app may know of the press later than it holds a page back. */
export async function watchAsBrowser(
  person: Pick<ReturnType<typeof personIn>, 'watch'>,
  ...offered: Parameters<typeof person.watch>
): Promise<Response> {
  const opened = await person.watch(...offered);
  return opened.status === 403 ? fetch(opened.url, { redirect: 'manual' }) : opened;
}

export type RealWorld = Awaited<ReturnType<typeof openRealWorld>>;
