import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { z } from 'zod';
import { codeOf } from '../cobrowse/errors.ts';
import { DatabaseError } from '../database/database.ts';
import type { PostOutcome } from '../outbox/transport.ts';
import { passes, todoAbout } from '../messages/slack-codes.ts';
import { slackErrorCode } from '../workspaces/web-client.ts';

/** "It's possible some aspect of the operation succeeded before the error was raised." Source: chat.postMessage, Errors. */
const MAY_HAVE_WORKED = new Set(['internal_error', 'fatal_error']);
/** Never connected, so Slack hasn't seen the request. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

const Missing = z.object({ needed: z.string() });

function wasNotSent(error: unknown): boolean {
  if (!(error instanceof WebAPIRequestError)) return false;
  return NOT_SENT.has(codeOf(error.original.cause) ?? codeOf(error.original) ?? '');
}

/** Only the first if Slack names several, since any one of them would do. */
export function scopeMissing(error: unknown): string | undefined {
  if (!(error instanceof WebAPIPlatformError)) return undefined;
  return Missing.safeParse(error.data).data?.needed.split(',')[0];
}

/** What a rejected web-api call means to a caller that may repeat it. */
export function callFailure(error: unknown): Exclude<PostOutcome, { readonly outcome: 'posted' }> {
  if (error instanceof WebAPIRateLimitedError) {
    return { outcome: 'later', reason: 'ratelimited', afterMs: error.retryAfter * 1_000 || undefined };
  }
  // Our own database failed, so nothing was sent.
  if (error instanceof DatabaseError) return { outcome: 'later', reason: 'no_answer' };
  const code = slackErrorCode(error);
  if (code !== undefined && passes(code))
    return { outcome: 'later', reason: code, outcomeUnknown: MAY_HAVE_WORKED.has(code) || undefined };
  if (code !== undefined) return { outcome: 'never', reason: code, neededScope: scopeMissing(error) };
  if (error instanceof WebAPIHTTPError) {
    const { statusCode } = error;
    return { outcome: 'later', reason: `http_${statusCode}`, outcomeUnknown: statusCode >= 500 || undefined };
  }
  return { outcome: 'later', reason: 'no_answer', outcomeUnknown: !wasNotSent(error) || undefined };
}

export class ResponseAddressError extends Error {
  override readonly name = 'ResponseAddressError';
  readonly status: number;
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
  if (code !== undefined) return todoAbout(code) === 'simpler';
  return error instanceof ResponseAddressError && error.status === 400;
}

/** Whether a window couldn't be opened or changed because that took too long, or it was closed. */
export const isTooLate = (error: unknown): boolean =>
  todoAbout(slackErrorCode(error) ?? '') === 'press-again';
