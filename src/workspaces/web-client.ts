import { LogLevel, WebAPIPlatformError, type FetchFunction, type Logger } from '@slack/web-api';
import type { Histogram } from 'prom-client';
import { request, type Dispatcher } from 'undici';
import { z } from 'zod';
import { createDispatcher, type Proxy } from '../http/dispatcher.ts';
import type { Log } from '../logging/log.ts';
import { isTokenRefused, kindOf, type CodeKind } from '../messages/slack-codes.ts';

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
  });

/** How long Slack asks to wait, in seconds, by a number or a date; 0 if it doesn't say. Source: RFC 9110, 10.2.3. */
function secondsToWait(headers: ReadonlyMap<string, string>): number {
  const asked = headers.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(asked)) return Number(asked);
  const ms = Date.parse(asked) - Date.parse(headers.get('date') ?? '');
  return ms > 0 ? Math.ceil(ms / 1_000) : 0;
}

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
    // web-api takes that for an object.
    const text = (await answer.body.text()).replace(/"response_metadata":\s*null/, '"response_metadata":{}');
    if (status >= 300 && status < 400) throw new Error(`Slack redirects with ${status}.`);
    const found = new Map(
      Object.entries(answer.headers).map(([name, value = '']) => [name, [value].flat().join(', ')]),
    );
    // web-api takes one without a number of seconds for no answer.
    if (status === 429) found.set('retry-after', String(secondsToWait(found)));
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
  readonly refused?: () => void;
  /**
   * How long each call of a method took, and whether Slack said yes (`ok`), no (`refused`), that we asked wrongly (`wrong`), a
   * code that nobody knows (`unknown`), or nothing (`failed`).
   */
  readonly answered?: Pick<Histogram<'method' | 'outcome'>, 'startTimer'>;
}

/** How Slack's Web API is reached. */
interface SlackAccess extends Hearers {
  readonly apiUrl: string;
  /** See {@link createSlackAgent}. */
  readonly slackAgent: Dispatcher;
  readonly log: Log;
}

function outcomeOf(code: string, { ok, status }: Awaited<ReturnType<FetchFunction>>): string {
  // With 429 Slack says to wait.
  if (code === '') return status === 429 ? 'refused' : ok ? 'ok' : 'failed';
  const kind = kindOf(code);
  if (kind === 'our-fault') return 'wrong';
  return kind === 'unknown' ? kind : 'refused';
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
    took?.({ outcome: outcomeOf(code, answer) });
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

/** What Slack says of arguments that it doesn't take. */
const Complaints = z.object({ response_metadata: z.object({ messages: z.array(z.string()) }) });
const TRIGGER = /\b(?:expired_|exchanged_|invalid_)?trigger_id\b/;

/**
 * Slack's error code, if Slack said no. A proxy's page with status 200 comes as the same kind of error, with its text
 * instead of a code.
 */
export function slackErrorCode(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  const code: unknown = error.data.error;
  if (typeof code !== 'string' || !/^\w+$/.test(code)) return undefined;
  if (code !== 'invalid_arguments') return code;
  // A trigger that has run out is also said so.
  const messages = Complaints.safeParse(error.data).data?.response_metadata.messages ?? [];
  return messages.some((message) => TRIGGER.test(message)) ? 'invalid_trigger_id' : code;
}

/** What Slack's code says, if Slack said no. */
export function slackErrorKind(error: unknown): CodeKind | undefined {
  const code = slackErrorCode(error);
  return code === undefined ? undefined : kindOf(code);
}
