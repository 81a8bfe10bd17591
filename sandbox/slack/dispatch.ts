import { createHmac } from 'node:crypto';

import { request } from 'undici';

import { withinTime } from '../time-limit.ts';
import { parseJson } from './http-exchange.ts';

/** What happened when something was sent to the app. */
export type Acknowledgement =
  | { readonly acknowledged: true; readonly body: unknown }
  | {
      readonly acknowledged: false;
      readonly reason: 'operation_timeout' | 'dispatch_failed';
      /** If the app answered at all. */
      readonly status?: number;
      /** Whether the app asked for no further attempt, with `X-Slack-No-Retry: 1`. */
      readonly noRetry?: boolean;
    };

type PayloadKind = 'slash_commands' | 'interactive' | 'events_api';

/** An event's second or later attempt. */
export interface Retry {
  /** 1 to 3. */
  readonly number: number;
  readonly reason: 'http_timeout' | 'http_error' | 'connection_failed';
}

/** Sends a payload to the app and waits for its acknowledgement, usually 3 s. Never throws. */
export type Deliver = (
  kind: PayloadKind,
  payload: Readonly<Record<string, unknown>>,
  retry?: Retry,
) => Promise<Acknowledgement>;

/**
 * Delivery by signed HTTP requests, as Slack makes them:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack. Slack follows no redirect and accepts only a
 * 200.
 */
export const createHttpDelivery = (options: {
  readonly signingSecret: string;
  readonly requestUrl: () => string | undefined;
  readonly ackLimitMs: number;
  readonly now: () => number;
}): Deliver => {
  return async (kind, payload, retry) => {
    const url = options.requestUrl();
    if (url === undefined) return { acknowledged: false, reason: 'dispatch_failed' };
    const isEvent = kind === 'events_api';
    const body = isEvent ? JSON.stringify(payload) : formOf(kind, payload);
    const timestamp = String(Math.floor(options.now() / 1000));
    try {
      const {
        statusCode: status,
        headers,
        text,
      } = await withinTime(options.ackLimitMs, async (signal) => {
        const response = await request(url, {
          method: 'POST',
          body,
          signal,
          headers: {
            'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
            'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
            'x-slack-request-timestamp': timestamp,
            'x-slack-signature': signatureOf(options.signingSecret, timestamp, body),
            ...retryHeaders(retry),
          },
        });
        return { ...response, text: await response.body.text() };
      });
      if (status !== 200) {
        const noRetry = headers['x-slack-no-retry'] === '1';
        return { acknowledged: false, reason: 'dispatch_failed', status, noRetry };
      }
      return { acknowledged: true, body: parseBody(text, String(headers['content-type'] ?? '')) };
    } catch (error) {
      const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
      return { acknowledged: false, reason: timedOut ? 'operation_timeout' : 'dispatch_failed' };
    }
  };
};

const MCP_LIMIT_MS = 60_000;

/** Asks the app as Slackbot's MCP client does. Resolves with what it said, JSON or one event of a stream. */
export type AskMcp = (message: Readonly<Record<string, unknown>>) => Promise<unknown>;

export const createAskMcp =
  (options: Omit<Parameters<typeof createHttpDelivery>[0], 'ackLimitMs'>): AskMcp =>
  async (message) => {
    const url = options.requestUrl()?.replace('/slack/events', '/mcp');
    if (url === undefined) throw new Error('It has no address.');
    const body = JSON.stringify(message);
    const timestamp = String(Math.floor(options.now() / 1000));
    const response = await request(url, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(MCP_LIMIT_MS),
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signatureOf(options.signingSecret, timestamp, body),
      },
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(text.trim());
    return parseJson(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  };

const retryHeaders = (retry: Retry | undefined): Readonly<Record<string, string>> =>
  retry === undefined
    ? {}
    : { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason };

/** Slack's v0 signature of a body. */
const signatureOf = (signingSecret: string, timestamp: string, body: string): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`;

const formOf = (kind: PayloadKind, payload: Readonly<Record<string, unknown>>): string => {
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(payload)) form.set(key, String(value));
  return form.toString();
};

/** An answer that claims to be JSON but isn't stays text. */
const parseBody = (text: string, contentType: string): unknown =>
  contentType.startsWith('application/json') ? (parseJson(text) ?? text) : text;
