import type { LookupFunction } from 'node:net';
import { errors, request, type Dispatcher } from 'undici';
import { NOT_PUBLIC, codeOf } from '../cobrowse/errors.ts';
import { askedPauseMs } from '../cobrowse/http.ts';
import { createPublicAgents } from '../cobrowse/public-agent.ts';
import type { Proxy } from '../http/dispatcher.ts';
import type { Secret } from '../workspaces/data-keys.ts';
import type { SlackConfig } from '../workspaces/workspaces.ts';
import { signatureHeaders } from './sign.ts';

/** For the whole request: connection, answer and what is read of it. */
const PATIENCE_MS = 10_000;
/** Of an answer, for people. */
const MOST_CHARACTERS = 200;
/** No character takes more in UTF-8. */
const MOST_BYTES = 4 * MOST_CHARACTERS;

export interface WebhookRequest {
  readonly workspaceId: string;
  readonly url: string;
  /** Its `webhook-id`. */
  readonly id: string;
  readonly body: string;
  /** The current one first. */
  readonly secrets: readonly Secret[];
}

export type FailureReason =
  | 'not_public'
  | 'unknown_host'
  | 'lookup_failed'
  | 'connection_refused'
  | 'bad_certificate'
  | 'timed_out'
  | 'no_answer';

export type WebhookReply =
  | {
      readonly is: 'answered';
      readonly status: number;
      /** How long the answer asks us to wait; undefined if it doesn't say. */
      readonly retryAfterMs: number | undefined;
      /** How its body begins: anybody's text. */
      readonly text: string;
    }
  | { readonly is: 'failed'; readonly reason: FailureReason };

export const isTaken = (reply: WebhookReply): boolean =>
  reply.is === 'answered' && reply.status >= 200 && reply.status < 300;

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/**
 * Hosts that a workspace's webhooks may go to although they aren't public or https. Where anybody can install the app, only
 * workspaces that the operator named get into the operator's network. @param hosts as WEBHOOK_HOSTS has them
 */
export const webhookHostsFor =
  (slack: SlackConfig, hosts: readonly string[]) =>
  (workspaceId: string): readonly string[] =>
    slack.mode !== 'many' || slack.oauth.allowed.includes(workspaceId) ? hosts : [];

function reasonOf(error: unknown): FailureReason {
  const code = codeOf(error) ?? '';
  const isTimeout =
    error instanceof errors.ConnectTimeoutError ||
    (error instanceof Error && error.name === 'TimeoutError') ||
    code === 'ETIMEDOUT';
  if (isTimeout) return 'timed_out';
  if (code === NOT_PUBLIC) return 'not_public';
  if (code === 'ENOTFOUND') return 'unknown_host';
  if (code === 'EAI_AGAIN') return 'lookup_failed';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  return /CERT|SIGNED|TLS|SSL/.test(code) ? 'bad_certificate' : 'no_answer';
}

/** The beginning of a body. What doesn't arrive in time is left out, since the status has said all that counts. */
async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) break;
      text += decoder.decode(chunk.subarray(0, MOST_BYTES), { stream: true });
      bytes += chunk.length;
      if (bytes >= MOST_BYTES) break;
    }
  } catch {
    // It broke off, or took too long.
  }
  body.destroy();
  return text.slice(0, MOST_CHARACTERS).toWellFormed();
}

interface SenderOptions {
  readonly hostsFor: (workspaceId: string) => readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly resolve?: LookupFunction;
  readonly proxy?: Proxy;
  readonly patienceMs?: number;
}

/** Sends webhooks to public addresses over https, whatever DNS said before, and to hosts that the operator named. */
export function createWebhookSender(options: SenderOptions) {
  const { hostsFor, now, resolve, proxy, patienceMs = PATIENCE_MS } = options;
  const agents = createPublicAgents(hostsFor, { resolve, proxy });
  return {
    /** Sends it once, signed as of now, and follows no redirect. Never rejects. */
    async send({ workspaceId, url, id, body, secrets }: WebhookRequest): Promise<WebhookReply> {
      try {
        const answer = await request(url, {
          method: 'POST',
          dispatcher: agents.of(workspaceId),
          headers: {
            'content-type': 'application/json',
            'user-agent': 'cobrowse-for-slack',
            ...signatureHeaders({ id, at: now(), body }, secrets),
          },
          body,
          signal: AbortSignal.timeout(patienceMs),
          // A kept connection may have been closed by the other side, and where it leads is judged at each one.
          reset: true,
        });
        const after = askedPauseMs([answer.headers['retry-after']].flat()[0], new Date(now()));
        return {
          is: 'answered',
          status: answer.statusCode,
          retryAfterMs: after === undefined ? undefined : Math.max(0, after),
          text: await beginningOf(answer),
        };
      } catch (error) {
        return { is: 'failed', reason: reasonOf(error) };
      }
    },
    close: () => agents.close(),
  };
}
