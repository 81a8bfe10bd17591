import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from '../../src/http/server.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Slack's v0 signature. Source: docs.slack.dev/authentication/verifying-requests-from-slack. */
export function signatureOf(secret: string, timestamp: string, body: string | Buffer): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

/** The headers by which Slack proves itself. @param atMs when it was signed, milliseconds since 1970 */
export function signedHeaders(secret: string, body: string | Buffer, atMs = Date.now()) {
  const timestamp = String(Math.floor(atMs / 1_000));
  return {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signatureOf(secret, timestamp, body),
  };
}

export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';

/** A request as a route gets it from the server. */
export function posted(headers: IncomingHttpHeaders, body: Buffer): Request {
  return {
    method: 'POST',
    parameter: '',
    query: '',
    headers,
    body: async () => body,
    onGone: () => undefined,
  };
}

/** Sends to a sandbox's app what Slack sends, well signed; `headers` come on top, an undefined one is left out. */
export function signedSender({ config, publicUrl }: Sandbox) {
  const secret = config.slack.mode === 'http' ? config.slack.signingSecret : '';
  return function send(
    body: string | Buffer,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Response> {
    const all: Readonly<Record<string, string | undefined>> = {
      'content-type': FORM,
      ...signedHeaders(secret, body),
      ...headers,
    };
    const sent = Object.entries(all).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    return fetch(`${publicUrl}/slack/events`, { method: 'POST', headers: sent, body });
  };
}
