import { startApp, type RunningApp } from './app.ts';
import { ConfigError, proxyPasswords, readConfig, type Config } from './config/config.ts';
import { DatabaseError, databaseFailureWords } from './database/database.ts';
import { passwordsOf, sqliteFile } from './database/open.ts';
import { rest } from './lifecycle/repeating.ts';
import { standardOutput } from './logging/log-destination.ts';
import { createLog, createScrubber, type Log } from './logging/log.ts';
import { SlackTokenError } from './slack/setup-state.ts';
import { OrganizationTokenError } from './workspaces/workspaces.ts';
import { VERSION } from './version.ts';

interface Process extends Pick<NodeJS.Process, 'env' | 'stderr'> {
  once(signal: 'SIGTERM' | 'SIGINT', heard: (signal: NodeJS.Signals) => void): unknown;
  on(event: 'uncaughtException', heard: (error: unknown) => void): unknown;
  exit(code: number): unknown;
}

type Started = Pick<RunningApp, 'port' | 'stop'> & Partial<Pick<RunningApp, 'crashed'>>;

/** After an uncaught error, what doesn't stop in this time is cut off. */
const LAST_MS = 15_000;

const FOR_THE_OPERATOR = [ConfigError, OrganizationTokenError, SlackTokenError];

const slackSecrets = (slack: Config['slack']): readonly string[] =>
  slack.mode === 'many'
    ? [slack.signingSecret, slack.oauth.clientSecret]
    : [slack.botToken, slack.mode === 'socket' ? slack.appToken : slack.signingSecret];

/** Words for what the operator can fix; the stack for anything else. */
function wordsFor(error: unknown, storeUrl: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DatabaseError)
    return databaseFailureWords(error, storeUrl === undefined ? undefined : sqliteFile(storeUrl));
  if (FOR_THE_OPERATOR.some((kind) => error instanceof kind)) return error.message;
  const call = 'syscall' in error ? error.syscall : undefined;
  if (call === 'listen' || call === 'getaddrinfo') return `Can't listen on HOST and PORT: ${error.message}`;
  return error.stack ?? error.message;
}

interface Stopping {
  readonly starting: Promise<Started>;
  /** Aborted at the first signal. */
  readonly leaving: AbortController;
  /** Aborted when the app is to take nothing more. */
  readonly calledOff: AbortController;
  readonly log: Log;
  readonly destination: ReturnType<typeof standardOutput>;
  readonly config: Pick<Config, 'drainSeconds'>;
}

/** At signals, and at an uncaught error: nobody knows what it left undone. */
function stopInTime(process: Process, stopping: Stopping): void {
  const { starting, leaving, calledOff, log, destination } = stopping;
  let code = 0;

  async function stop(drainSeconds: number): Promise<void> {
    leaving.abort();
    // A canceled start serves nobody.
    starting.catch(() => calledOff.abort());
    if (drainSeconds > 0) await rest(drainSeconds * 1_000, calledOff.signal);
    calledOff.abort();
    try {
      // A canceled start has stopped whatever it had started.
      await starting.then(
        (app) => app.stop(),
        () => undefined,
      );
    } catch (error) {
      log.fatal({ err: error }, 'the app didn’t stop cleanly');
      code = 1;
    }
    await destination.end();
    process.exit(code);
  }

  function heard(signal: NodeJS.Signals): void {
    if (leaving.signal.aborted) return calledOff.abort();
    // A second one ends the drain; after that, the next of the kind ends the process.
    if (signal === 'SIGTERM') process.once('SIGTERM', heard);
    // On a terminal, somebody waits for the end.
    const drainSeconds = signal === 'SIGINT' ? 0 : stopping.config.drainSeconds;
    log.info({ signal, drainSeconds }, 'stopping');
    void stop(drainSeconds);
  }

  const tell = () =>
    starting.then(
      (app) => app.crashed?.(),
      () => undefined,
    );

  function crashed(error: unknown): void {
    log.fatal({ err: error }, 'an error that nobody caught: the app stops');
    const isFirst = code === 0;
    code = 1;
    if (!isFirst) return;
    setTimeout(() => process.exit(code), LAST_MS);
    void tell();
    if (leaving.signal.aborted) calledOff.abort();
    else void stop(0);
  }

  process.once('SIGTERM', heard);
  process.once('SIGINT', heard);
  process.on('uncaughtException', crashed);
}

/**
 * Starts the app, and stops it on SIGTERM or SIGINT. On SIGTERM it first serves on for DRAIN_SECONDS, until whoever sends it
 * requests knows; a second signal ends that. Exits 1 if it can't start, if something can't be stopped, or after an uncaught error.
 */
export async function run(
  process: Process,
  start: (...given: Parameters<typeof startApp>) => Promise<Started> = startApp,
): Promise<void> {
  let scrub = createScrubber([]);
  let storeUrl: string | undefined;
  const leaving = new AbortController();
  const calledOff = new AbortController();
  try {
    const config = readConfig(process.env);
    storeUrl = config.storeUrl;
    const { slack, cobrowse, secretKeys } = config;
    const secrets = [
      ...slackSecrets(slack),
      ...[cobrowse.cloud?.apiKey, cobrowse.onPremise?.restKey].filter((key) => key !== undefined),
      ...secretKeys,
      ...passwordsOf(config.storeUrl),
      ...proxyPasswords(config.proxy),
    ];
    scrub = createScrubber(secrets);
    const destination = standardOutput();
    const log = createLog({ level: config.logLevel, secrets, destination });
    const signals = { signal: calledOff.signal, leaving: leaving.signal };
    const starting = start(config, { log, droppedLogLines: destination.dropped, ...signals });
    // Before the start is complete: the app acknowledges requests while it still asks Slack about its token.
    stopInTime(process, { starting, leaving, calledOff, log, destination, config });
    const { port } = await starting;
    const { host, publicUrl } = config;
    log.info({ host, port, mode: slack.mode, publicUrl, version: VERSION }, 'listening');
  } catch (error) {
    if (leaving.signal.aborted) return;
    process.stderr.write(`${scrub(wordsFor(error, storeUrl))}\n`);
    process.exit(1);
  }
}
