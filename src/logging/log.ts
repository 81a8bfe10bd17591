import { pino, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import type { LogLevel } from '../config/environment.ts';
import { standardOutput } from './log-destination.ts';

export type Log = Logger;

/*
 * A line is JSON, and text in it may be JSON again. So a quote, a backslash or a slash may have any number of backslashes
 * before it, and what looks like a letter before a token may be the end of an escaped line break. An address in an address is
 * encoded once more.
 */
const ENCODED_SLASH = '%(?:25)*2[Ff]';
const SLASH = String.raw`\\*\/`;
const ANY_SLASH = `(?:${SLASH}|${ENCODED_SLASH})`;
const QUOTE = String.raw`\\*"`;
const REST_OF_TEXT = String.raw`(?:[^"\\]|\\+[^"\\])+`;
const REST_OF_ADDRESS = String.raw`(?:[^\s"\\]|\\+[^\s"\\])+`;
const REST_OF_FIELD = String.raw`[^"\\]*(?:\\[^][^"\\]*)*`;
const SECRET_FIELDS = 'watch_url|proxy_url|response_url|trigger_id|licenseToken';

// By their form, anywhere in a line: path redaction misses what a library nests or puts into a message.
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/(?:xoxe\.)?x(?:ox[a-z]|app)-[\w-]+/gi, '[slack token]'],
  [
    new RegExp(
      `(?:/|${ENCODED_SLASH})(watch|watch${ANY_SLASH}join|charts|webhooks${ANY_SLASH}session-end)${ANY_SLASH}[\\w-]{16,}`,
      'g',
    ),
    '/$1/[ticket]',
  ],
  [
    new RegExp(`https?:(?:${SLASH}){2}hooks\\.slack(?:-gov)?\\.com${REST_OF_ADDRESS}`, 'g'),
    '[response address]',
  ],
  // A proxy's page instead of Slack's answer may repeat the request, with a link in it. Slack itself says a code.
  [
    new RegExp(`(An API error occurred: )(?!\\w+(?:"|\\\\n    at ))${REST_OF_FIELD}`, 'g'),
    '$1[no code of Slack]',
  ],
  // Even if the password is too short for `createScrubber`.
  [
    new RegExp(`(postgres(?:ql)?:(?:${SLASH}){2}[^\\s:@/"\\\\]*:)(?:[^\\s@"\\\\]|\\\\+[^\\s@"\\\\])+@`, 'g'),
    '$1[password]@',
  ],
  [/https?%(?:25)*3A(?:%(?:25)*2F){2}[\w.~%+-]+/gi, '[encoded address]'],
  [new RegExp(`("(?:${SECRET_FIELDS})${QUOTE}\\s*:\\s*${QUOTE})${REST_OF_TEXT}`, 'g'), '$1[removed]'],
];

/** As it is and as JSON escapes it, at any depth. */
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

const FOREIGN_ANSWER = '[no answer of Slack]';
const LONGEST_TEXT = 10_000;
const Coded = z.object({ data: z.object({ error: z.string().regex(/^\w+$/) }) });
const isErrorLike = (value: unknown): value is { readonly message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

/** An error may contain itself. */
const DEEPEST = 6;

function cut(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return '[deeper]';
  if (Array.isArray(value)) return value.map((inner) => cut(inner, depth + 1));
  // pino converts only the lists of errors that it knows.
  if (value instanceof Error) return withoutAnswers(pino.stdSerializers.err(value), depth);
  if (isErrorLike(value)) return withoutAnswers(value, depth);
  return typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value;
}

/** Without the foreign answers that web-api keeps. */
function withoutAnswers(error: object, depth: number): object {
  const fields: Record<string, unknown> = Object.fromEntries(
    Object.entries(error).map(([name, value]) => [name, cut(value, depth + 1)]),
  );
  const { code } = fields;
  if (code === 'slack_webapi_http_error') return { ...fields, body: FOREIGN_ANSWER, headers: FOREIGN_ANSWER };
  const isForeign = code === 'slack_webapi_platform_error' && !Coded.safeParse(error).success;
  return isForeign ? { ...fields, data: FOREIGN_ANSWER } : fields;
}

/** web-api keeps whole answers, and a proxy's page may repeat a link in any form: only what Slack itself says is kept. */
const errorInLog = (error: unknown): unknown => cut(error, 0);

interface LogOptions {
  readonly level: LogLevel;
  /** They never appear in any line. */
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream;
}

/** Each line is scrubbed as the very last step. */
export function createLog({ level, secrets, destination = standardOutput() }: LogOptions): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorInLog },
    hooks: { streamWrite: createScrubber(secrets) },
  };
  return pino(options, destination);
}
