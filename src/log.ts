import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { LogLevel } from './config.ts';

export type Log = Logger;

/*
 * A line is JSON, and text in it may be JSON again: a quote, a backslash or a slash comes with any number of
 * backslashes before it, and what looks like a letter before a token may be the end of an escaped line break.
 */
const SLASH = String.raw`\\*\/`;
const QUOTE = String.raw`\\*"`;
const REST_OF_TEXT = String.raw`(?:[^"\\]|\\+[^"\\])+`;
const REST_OF_ADDRESS = String.raw`(?:[^\s"\\]|\\+[^\s"\\])+`;
const SECRET_FIELDS = 'watch_url|proxy_url|response_url|trigger_id|licenseToken';

// By their form, wherever in a line they stand: path redaction misses what a library nests or puts into a message.
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/x(?:ox[a-z]|app)-[\w-]+/gi, '[slack token]'],
  [
    new RegExp(`/(watch|watch${SLASH}join|charts|webhooks${SLASH}session-end)${SLASH}[\\w-]{16,}`, 'g'),
    '/$1/[ticket]',
  ],
  [
    new RegExp(`https?:(?:${SLASH}){2}hooks\\.slack(?:-gov)?\\.com${REST_OF_ADDRESS}`, 'g'),
    '[response address]',
  ],
  [new RegExp(`("(?:${SECRET_FIELDS})${QUOTE}\\s*:\\s*${QUOTE})${REST_OF_TEXT}`, 'g'), '$1[removed]'],
];

/** Matches a secret as it is and as JSON writes it, at any depth. */
function patternOf(secret: string): string {
  return secret.replaceAll(/\\+|["/]|[^\w\\"/]/g, (special) => {
    if (special.startsWith('\\')) return String.raw`\\+`;
    if (special === '"') return QUOTE;
    return special === '/' ? SLASH : `\\${special}`;
  });
}

/** Removes known secrets, and what looks like one, from a line. */
export function createScrubber(secrets: readonly string[]): (line: string) => string {
  const long = secrets.filter((secret) => secret.length >= 8).toSorted((a, b) => b.length - a.length);
  const known = new RegExp(long.map(patternOf).join('|') || '(?!)', 'g');
  return (line) => {
    let scrubbed = line.replaceAll(known, '[secret]');
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
