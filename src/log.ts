import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { LogLevel } from './config.ts';

export type Log = Logger;

// By their form, wherever in a line they stand: path redaction misses what a library nests or puts into a message.
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\bx(?:ox[a-z]|app)-[\w-]+/gi, '[slack token]'],
  [/\/(watch|webhooks\/session-end)\/[\w-]{16,}/g, '/$1/[ticket]'],
  [/https?:\/\/hooks\.slack\.com\/[^\s"\\]+/g, '[response address]'],
  [/("(?:watch_url|proxy_url|response_url|trigger_id|licenseToken)\\?"\s*:\s*\\?")[^"\\]+/g, '$1[removed]'],
];

/** Removes known secrets, and what looks like one, from a line. */
export function createScrubber(secrets: readonly string[]): (line: string) => string {
  const known = secrets.filter((secret) => secret.length >= 8).toSorted((a, b) => b.length - a.length);
  return (line) => {
    let scrubbed = line;
    for (const secret of known) scrubbed = scrubbed.replaceAll(secret, '[secret]');
    for (const [form, instead] of SECRET_FORMS) scrubbed = scrubbed.replaceAll(form, instead);
    return scrubbed;
  };
}

interface LogOptions {
  readonly level: LogLevel;
  /** Values that never appear, whatever line they are put into. */
  readonly secrets: readonly string[];
  /** Standard output where not given. */
  readonly destination?: DestinationStream;
}

/** JSON lines, each scrubbed as the very last step before it is written. */
export function createLog({ level, secrets, destination }: LogOptions): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: createScrubber(secrets) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
