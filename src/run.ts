import { startApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { standardOutput } from './log-destination.ts';
import { createLog, createScrubber } from './log.ts';
import { SlackTokenError } from './slack/token-check.ts';
import { DatabaseError } from './database/errors.ts';
import { databaseFailureWords } from './database/failure-words.ts';
import { sqliteFile } from './database/open.ts';

/** The parts of Node's `process` that the app's life hangs on. */
type Process = Pick<NodeJS.Process, 'env' | 'once' | 'stderr' | 'exit'>;

const FOR_THE_OPERATOR = [ConfigError, SlackTokenError];

/** What whoever starts the app can mend, in words for them; anything else with its stack. */
function wordsFor(error: unknown, storeUrl: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DatabaseError)
    return databaseFailureWords(error, storeUrl === undefined ? undefined : sqliteFile(storeUrl));
  if (FOR_THE_OPERATOR.some((kind) => error instanceof kind)) return error.message;
  const call = 'syscall' in error ? error.syscall : undefined;
  if (call === 'listen' || call === 'getaddrinfo') return `HOST and PORT do not do: ${error.message}`;
  return error.stack ?? error.message;
}

/** Reads the settings, starts the app, and stops it on SIGTERM or SIGINT. Exits 1 where it cannot start. */
export async function run(process: Process): Promise<void> {
  let scrub = createScrubber([]);
  let storeUrl: string | undefined;
  const start = new AbortController();
  try {
    const config = readConfig(process.env);
    storeUrl = config.storeUrl;
    const { slack, cobrowse, secretKeys } = config;
    const secrets = [
      slack.botToken,
      slack.mode === 'http' ? slack.signingSecret : slack.appToken,
      ...[cobrowse.cloud?.apiKey, cobrowse.onPremise?.restKey].filter((key) => key !== undefined),
      ...secretKeys,
    ];
    scrub = createScrubber(secrets);
    const destination = standardOutput();
    const log = createLog({ level: config.logLevel, secrets, destination });
    const droppedLogLines = destination.dropped;
    const starting = startApp(config, { log, droppedLogLines, signal: start.signal });
    // From now on: the app acknowledges what comes in while it still asks Slack about its token.
    const stop = (signal: string) => {
      log.info({ signal }, 'stopping');
      start.abort();
      // A start that was called off has stopped what it had started.
      void starting
        .then(
          (app) => app.stop(),
          () => undefined,
        )
        .then(() => destination.end())
        .then(() => process.exit(0));
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    const { port } = await starting;
    log.info({ host: config.host, port, mode: slack.mode, publicUrl: config.publicUrl }, 'listening');
  } catch (error) {
    if (start.signal.aborted) return;
    process.stderr.write(`${scrub(wordsFor(error, storeUrl))}\n`);
    process.exit(1);
  }
}
