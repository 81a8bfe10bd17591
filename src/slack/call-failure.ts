import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { z } from 'zod';
import type { PostOutcome } from '../outbox/transport.ts';
import { isPassing, slackErrorCode } from '../workspaces/web-client.ts';

/** "It's possible some aspect of the operation succeeded before the error was raised." Source: chat.postMessage, Errors. */
const MAY_HAVE_WORKED = new Set(['internal_error', 'fatal_error']);
/** Never connected, so Slack hasn't seen the request. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

const Coded = z.object({ code: z.string() });
const Missing = z.object({ needed: z.string() });

/** Why a call to Slack's Web API failed. */
export type CallFailure = Exclude<PostOutcome, { readonly outcome: 'posted' }>;

function wasNotSent(error: unknown): boolean {
  if (!(error instanceof WebAPIRequestError)) return false;
  const { original } = error;
  const code = Coded.safeParse(original.cause).data?.code ?? Coded.safeParse(original).data?.code ?? '';
  return NOT_SENT.has(code);
}

/** Only the first if Slack names several, since any one of them would do. */
function scopeMissing(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  return Missing.safeParse(error.data).data?.needed.split(',')[0];
}

/** What a rejected web-api call means to a caller that may repeat it. */
export function callFailure(error: unknown): CallFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return { outcome: 'later', reason: 'ratelimited', afterMs: Math.max(1, error.retryAfter) * 1_000 };
  }
  const code = slackErrorCode(error);
  if (code !== undefined && isPassing(code)) {
    return { outcome: 'later', reason: code, ...(MAY_HAVE_WORKED.has(code) ? { unclear: true } : {}) };
  }
  if (code !== undefined) {
    const neededScope = scopeMissing(error);
    return { outcome: 'never', reason: code, ...(neededScope === undefined ? {} : { neededScope }) };
  }
  if (error instanceof WebAPIHTTPError) {
    const { statusCode } = error;
    return { outcome: 'later', reason: `http_${statusCode}`, ...(statusCode < 500 ? {} : { unclear: true }) };
  }
  return { outcome: 'later', reason: 'no_answer', ...(wasNotSent(error) ? {} : { unclear: true }) };
}

/** Codes about what was sent, not about where. Source: chat.postMessage and views.update, Errors. */
const ABOUT_CONTENT = new Set([
  'attachment_payload_limit_exceeded',
  'cannot_parse_attachment',
  'invalid_arguments',
  'invalid_attachments',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_payload',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'view_too_large',
]);

/** A response URL refused the message. */
export class ResponseAddressError extends Error {
  override readonly name = 'ResponseAddressError';
  readonly status: number;
  /** From Slack; undefined if it gave none. */
  readonly code: string | undefined;
  constructor(status: number, code: string | undefined) {
    super(`Slack answered ${status}, ${code ?? 'without a code'}`);
    this.status = status;
    this.code = code;
  }
}

/** Whether Slack refused the content, so that something simpler may be shown in the same place. */
export function isContentRefused(error: unknown): boolean {
  const code = error instanceof ResponseAddressError ? error.code : slackErrorCode(error);
  if (code !== undefined) return ABOUT_CONTENT.has(code);
  return error instanceof ResponseAddressError && error.status === 400;
}
