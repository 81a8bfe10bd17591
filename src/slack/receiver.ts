import { parse } from 'node:querystring';
import { z } from 'zod';
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import type { Reply, Route } from '../http/routes.ts';
import { createSignatureCheck } from './signature.ts';
import type { SignatureVerdict } from './signature.ts';

/** Slack's largest payloads, modals with full state, are a third of this. */
const MOST_BYTES = 1_048_576;

/** Slack tries our certificate without a signature and expects a 200; nothing is done for it. Bolt does the same. */
const CERTIFICATE_TEST = /(?:^|&)ssl_check=1(?:&|$)/;

type Body = ReceiverEvent['body'];

interface ReceiverParts {
  readonly signingSecret: string;
  readonly now: () => number;
  /** Told of requests that were refused. */
  readonly report: (verdict: SignatureVerdict | 'unreadable') => void;
  /** Told that Slack dropped events, since more than 30,000 came within an hour. */
  readonly rateLimited: (which: { readonly workspaceId: string; readonly minute: Date }) => void;
}

/** Bolt knows nothing of it. Source: docs.slack.dev/reference/events/app_rate_limited. */
const RateLimited = z.object({
  team_id: z.string().catch(''),
  minute_rate_limited: z.number().catch(0),
});

const EMPTY: Reply = { status: 200 };

function text(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for what Slack never sends. Form fields come once each; the first counts. */
function readBody(contentType: string, body: Buffer): Body | undefined {
  try {
    if (contentType.startsWith('application/json')) {
      const json: unknown = JSON.parse(body.toString('utf8'));
      return isObject(json) ? json : undefined;
    }
    if (!contentType.startsWith('application/x-www-form-urlencoded')) return undefined;
    const form = body.toString('utf8');
    // A payload may have 30 KB, which URLSearchParams decodes in half the time, and a command's small fields in more.
    if (!form.startsWith('payload=')) return parse(form);
    const payload: unknown = JSON.parse(new URLSearchParams(form).get('payload') ?? '');
    return isObject(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

function retryOf(number: string | string[] | undefined, reason: string | string[] | undefined) {
  return {
    ...(typeof number === 'string' ? { retryNum: Number(number) } : {}),
    ...(typeof reason === 'string' ? { retryReason: reason } : {}),
  };
}

/** What a listener acknowledged with, as the answer to Slack. */
function acknowledgement(response: unknown): Reply {
  if (response === undefined || response === '') return EMPTY;
  if (typeof response === 'string') return text(200, response);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(response) };
}

/**
 * Takes in everything Slack sends over HTTP, at `POST /slack/events`, and hands it to Bolt. Own code in place of
 * Bolt's HTTPReceiver: one pass over the body and a prepared key make an acknowledgement about half as dear, a content
 * type with a charset is accepted, and a time stamp from the future is not (more of that in `signature.ts`). A
 * certificate test with a wrong signature is refused, which Bolt lets pass; both run nothing for it.
 */
export function createReceiver({
  signingSecret,
  now,
  report,
  rateLimited,
}: ReceiverParts): Receiver & { readonly route: Route } {
  const check = createSignatureCheck(signingSecret, now);
  let app: App | undefined;

  function process(event: Omit<ReceiverEvent, 'ack'>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const ack = async (response?: unknown) => resolve(acknowledgement(response));
      // A listener that never acknowledges still ends in an answer.
      const handled = app?.processEvent({ ...event, ack }) ?? Promise.resolve();
      handled.then(() => resolve(EMPTY), reject);
    });
  }

  return {
    init: (bolt) => void (app = bolt),
    start: async () => undefined,
    stop: async () => undefined,
    route: {
      method: 'POST',
      path: '/slack/events',
      async handle({ headers, body: readAll }) {
        const raw = await readAll(MOST_BYTES);
        const verdict = check(headers['x-slack-signature'], headers['x-slack-request-timestamp'], raw);
        if (verdict === 'missing' && CERTIFICATE_TEST.test(raw.toString('latin1'))) return EMPTY;
        if (verdict !== 'good') {
          report(verdict);
          return text(401, 'The request isn’t signed by Slack.\n');
        }
        const body = readBody((headers['content-type'] ?? '').toLowerCase(), raw);
        if (body === undefined) {
          report('unreadable');
          return text(400, 'The app doesn’t understand the body.\n');
        }
        if (body['ssl_check'] !== undefined) return EMPTY;
        if (body['type'] === 'url_verification') {
          const { challenge } = body;
          return text(200, typeof challenge === 'string' ? challenge : '');
        }
        if (body['type'] === 'app_rate_limited') {
          const { team_id: workspaceId, minute_rate_limited: minute } = RateLimited.parse(body);
          rateLimited({ workspaceId, minute: new Date(minute * 1_000) });
          return EMPTY;
        }
        return process({ body, ...retryOf(headers['x-slack-retry-num'], headers['x-slack-retry-reason']) });
      },
    },
  };
}
