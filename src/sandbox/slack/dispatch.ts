import { createHmac } from 'node:crypto';

import { parseJson } from './http-exchange.ts';

/** What came of handing something to the app. */
export type Acknowledgement =
  | { readonly acknowledged: true; readonly body: unknown }
  | { readonly acknowledged: false; readonly reason: 'operation_timeout' | 'dispatch_failed' };

type PayloadKind = 'slash_commands' | 'interactive';

/** Hands a payload to the app and waits for its acknowledgement, 3 s as a rule. Never throws. */
export type Deliver = (
  kind: PayloadKind,
  payload: Readonly<Record<string, unknown>>,
) => Promise<Acknowledgement>;

/**
 * Delivery by signed HTTP requests, as Slack makes them: https://docs.slack.dev/authentication/verifying-requests-from-slack.
 * Slack follows no redirect and takes nothing but a 200. The retries of its Events API are left out: the app has no events.
 */
export const createHttpDelivery = (options: {
  readonly signingSecret: string;
  readonly requestUrl: () => string | undefined;
  readonly ackLimitMs: number;
  readonly now: () => number;
}): Deliver => {
  return async (kind, payload) => {
    const url = options.requestUrl();
    if (url === undefined) return { acknowledged: false, reason: 'dispatch_failed' };
    const body = formOf(kind, payload);
    const timestamp = String(Math.floor(options.now() / 1000));
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(options.ackLimitMs),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': signatureOf(options.signingSecret, timestamp, body),
        },
      });
      const text = await response.text();
      if (response.status !== 200) return { acknowledged: false, reason: 'dispatch_failed' };
      return { acknowledged: true, body: parseBody(text, response.headers.get('content-type') ?? '') };
    } catch (error) {
      const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
      return { acknowledged: false, reason: timedOut ? 'operation_timeout' : 'dispatch_failed' };
    }
  };
};

/** Slack's v0 signature of a body. */
const signatureOf = (signingSecret: string, timestamp: string, body: string): string =>
  `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`;

const formOf = (kind: PayloadKind, payload: Readonly<Record<string, unknown>>): string => {
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(payload)) form.set(key, String(value));
  return form.toString();
};

/** An answer that claims to be JSON and is not stays text. */
const parseBody = (text: string, contentType: string): unknown =>
  contentType.startsWith('application/json') ? (parseJson(text) ?? text) : text;
