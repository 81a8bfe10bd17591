import { LogLevel, WebAPIPlatformError } from '@slack/web-api';
import type { FetchFunction, Logger } from '@slack/web-api';
import type { Histogram } from 'prom-client';
import { request } from 'undici';
import type { Dispatcher } from 'undici';
import { createDispatcher } from '../dispatcher.ts';
import type { Proxy } from '../dispatcher.ts';
import type { Log } from '../log.ts';
import { isTokenRefused } from './holds.ts';

/** Slack's largest payloads, modals with full state, are a third of this. */
const MOST_BYTES_OF_MESSAGE = 1_048_576;

/**
 * Connections to Slack, kept for half a minute, so that what follows soon needs no TLS handshake. Without an agent of our
 * own, undici sends requests through Node's copy of it, which would have to be loaded too.
 */
export const createSlackAgent = (proxy?: Proxy): Dispatcher =>
  createDispatcher(proxy, {
    keepAliveTimeout: 30_000,
    webSocket: { maxPayloadSize: MOST_BYTES_OF_MESSAGE },
    // Each post under way listens to when it connects.
  }).setMaxListeners(0);

/**
 * web-api's requests, without Node's fetch, which made a click cost half as much processor time again. Rejects if there
 * is no whole answer, and for a redirect, which Slack never sends.
 */
const requestSlack =
  (dispatcher: Dispatcher): FetchFunction =>
  async (url, { headers = {}, body = '', signal } = {}) => {
    if (typeof body === 'object') throw new TypeError('Files are uploaded by file-sender.ts.');
    const answer = await request(url, {
      method: 'POST',
      headers,
      body,
      signal: signal ?? null,
      dispatcher,
    });
    const { statusCode: status, statusText } = answer;
    const text = await answer.body.text();
    if (status >= 300 && status < 400) throw new Error(`Slack redirects with ${status}.`);
    const found = new Map(
      Object.entries(answer.headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
    );
    return {
      ok: status >= 200 && status < 300,
      status,
      statusText,
      url: String(url),
      headers: { get: (name) => found.get(name.toLowerCase()) ?? null, entries: () => found.entries() },
      arrayBuffer: () => new Blob([text]).arrayBuffer(),
      json: async () => JSON.parse(text),
      text: async () => text,
    };
  };

/** Who hears of Slack's answers. */
interface Hearers {
  /** Called when Slack refuses the token, whatever it was asked. */
  readonly refused?: (() => void) | undefined;
  /** How long each call of a method took, and whether Slack said yes (`ok`), no (`refused`), or nothing (`failed`). */
  readonly answered?: Pick<Histogram<'method' | 'outcome'>, 'startTimer'> | undefined;
}

/** How Slack's Web API is reached. */
interface SlackAccess extends Hearers {
  readonly apiUrl: string;
  /** See {@link createSlackAgent}. */
  readonly slackAgent: Dispatcher;
  readonly log: Log;
}

const noticing =
  (ask: FetchFunction, { refused, answered }: Hearers): FetchFunction =>
  async (...asked) => {
    const method = String(asked[0]).split('/').at(-1) ?? '';
    const took = answered?.startTimer({ method });
    const answer = await ask(...asked).catch((error: unknown) => {
      took?.({ outcome: 'failed' });
      throw error;
    });
    const said = await answer.text();
    const [, code = ''] = (said.includes('"ok":false') && /"error":"(\w+)"/.exec(said)) || [];
    // With 429 Slack says to wait.
    if (code !== '' || answer.status === 429) took?.({ outcome: 'refused' });
    else took?.({ outcome: answer.ok ? 'ok' : 'failed' });
    if (code !== '' && isTokenRefused(code)) refused?.();
    return answer;
  };

const text = (parts: readonly unknown[]) =>
  parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');

/**
 * Routes the loggers of Bolt and web-api into ours, so their lines go through the scrubber too. Their debug lines are
 * dropped at any level: they hold whole requests and answers, with watch links, profiles and what people typed.
 */
export function createSlackLogger(log: Log): Logger {
  const child = log.child({ from: 'bolt' });
  return {
    debug: () => undefined,
    info: (...parts) => child.debug(text(parts)),
    warn: (...parts) => child.warn(text(parts)),
    error: (...parts) => child.error(text(parts)),
    // We set the level.
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}

/**
 * Options for clients of Slack's Web API that fail soon and never retry by themselves. web-api's defaults, no time
 * limit and ten tries, have delivered a message twice. The caller decides whether a call may be repeated. With their limit of
 * a hundred calls at once, a press would wait behind a hundred that hang, and a post would leave later than the app thinks.
 */
export function webClientOptions({ apiUrl, slackAgent, log, ...hearers }: SlackAccess) {
  return {
    slackApiUrl: apiUrl,
    fetch: noticing(requestSlack(slackAgent), hearers),
    logger: createSlackLogger(log),
    timeout: 10_000,
    maxRequestConcurrency: Infinity,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
  } as const;
}

/**
 * Slack's error code, if Slack said no. A proxy's page with status 200 comes as the same kind of error, with its text
 * instead of a code.
 */
export function slackErrorCode(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  return typeof code === 'string' && /^\w+$/.test(code) ? code : undefined;
}

/** Temporary failures. Any other code is a permanent no. Source: chat.postMessage, Errors. */
const PASSING = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
  'ratelimited',
  'rate_limited',
  'rollup_error',
  'accesslimited',
  'message_limit_exceeded',
]);

/** Whether a code of Slack's means that it can't answer now. */
export const isPassing = (code: string): boolean => PASSING.has(code);
