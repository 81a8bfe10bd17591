import { setTimeout as pause } from 'node:timers/promises';
import { startApp } from './app.ts';
import type { RunningApp } from './app.ts';
import { ConfigError, readConfig } from './config/config.ts';
import type { Config } from './config/config.ts';
import { DatabaseError, databaseFailureWords } from './database/errors.ts';
import { passwordsOf, sqliteFile } from './database/open.ts';
import { standardOutput } from './log-destination.ts';
import { createLog, createScrubber } from './log.ts';
import { SlackTokenError } from './slack/setup-state.ts';
import { withSourcePositions } from './source-positions.ts';

/** The parts of Node's `process` that the app needs to start and stop. */
type Process = Pick<NodeJS.Process, 'env' | 'once' | 'stderr' | 'exit'>;

const FOR_THE_OPERATOR = [ConfigError, SlackTokenError];

function slackSecrets(slack: Config['slack']): readonly string[] {
  switch (slack.mode) {
    case 'http':
      return [slack.botToken, slack.signingSecret];
    case 'socket':
      return [slack.botToken, slack.appToken];
    case 'many':
      return [slack.signingSecret, slack.oauth.clientSecret];
    default:
      return slack satisfies never;
  }
}

/** For what the operator can fix, words; for anything else, the stack. */
function wordsFor(error: unknown, storeUrl: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DatabaseError)
    return databaseFailureWords(error, storeUrl === undefined ? undefined : sqliteFile(storeUrl));
  if (FOR_THE_OPERATOR.some((kind) => error instanceof kind)) return error.message;
  const call = 'syscall' in error ? error.syscall : undefined;
  if (call === 'listen' || call === 'getaddrinfo') return `Can't listen on HOST and PORT: ${error.message}`;
  return withSourcePositions(error.stack ?? error.message);
}

/**
 * Reads the settings, starts the app, and stops it on SIGTERM or SIGINT. On SIGTERM it first serves on for DRAIN_SECONDS,
 * until whoever sends it requests knows; a second signal ends that. Exits 1 if it can't start, or if something can't be
 * stopped.
 */
export async function run(
  process: Process,
  start: (...given: Parameters<typeof startApp>) => Promise<Pick<RunningApp, 'port' | 'stop'>> = startApp,
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
    ];
    scrub = createScrubber(secrets);
    const destination = standardOutput();
    const log = createLog({ level: config.logLevel, secrets, destination });
    const droppedLogLines = destination.dropped;
    const starting = start(config, {
      log,
      droppedLogLines,
      signal: calledOff.signal,
      leaving: leaving.signal,
    });
    /** @param isHurried whether nobody needs to learn of it first: on a terminal, somebody waits for it to end */
    const stop = async (signal: NodeJS.Signals, isHurried: boolean) => {
      log.info({ signal, drainSeconds: isHurried ? 0 : config.drainSeconds }, 'stopping');
      leaving.abort();
      if (isHurried) calledOff.abort();
      // A cancelled start serves nobody.
      starting.catch(() => calledOff.abort());
      await pause(config.drainSeconds * 1_000, undefined, { signal: calledOff.signal }).catch(
        () => undefined,
      );
      calledOff.abort();
      let code = 0;
      try {
        // A cancelled start has stopped whatever it had started.
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
    };
    const stopBy = (signal: NodeJS.Signals) => {
      if (leaving.signal.aborted) return calledOff.abort();
      if (signal === 'SIGTERM') process.once('SIGTERM', stopBy);
      void stop(signal, signal === 'SIGINT');
    };
    // Before the start is complete: the app acknowledges requests while it still asks Slack about its token.
    process.once('SIGTERM', stopBy);
    process.once('SIGINT', stopBy);
    const { port } = await starting;
    log.info({ host: config.host, port, mode: slack.mode, publicUrl: config.publicUrl }, 'listening');
  } catch (error) {
    if (leaving.signal.aborted) return;
    process.stderr.write(`${scrub(wordsFor(error, storeUrl))}\n`);
    process.exit(1);
  }
}
