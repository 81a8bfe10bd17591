import { errors } from 'undici';
import type { CobrowseErrorKind } from './errors.ts';
import { codeOf } from './redact.ts';

/** What an endpoint's own refusals mean. Source: the table of errors in the service document. */
export type StatusMeanings = Readonly<Partial<Record<number, CobrowseErrorKind>>>;

const busyStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Without Retry-After: long enough for a restart of one server behind a balancer to be noticed. */
const usualPauseMs = 250;
/** A person waits for the answer: what asks for more patience is told to them instead. */
const longestPauseMs = 2_000;

/** What a status other than 200 means. A redirect is none of the document's answers and is never followed. */
export function kindOfStatus(status: number, meanings: StatusMeanings): CobrowseErrorKind {
  if (status === 401 || status === 403) return 'refused-key';
  return meanings[status] ?? (busyStatuses.has(status) ? 'busy' : 'not-understood');
}

/** What a failure without a whole answer means. */
export function kindOfNetworkFailure(error: unknown): CobrowseErrorKind {
  const code = codeOf(error) ?? '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timed-out';
  const isUnreadable = code.startsWith('UND_ERR_RES_') || code === 'UND_ERR_HEADERS_OVERFLOW';
  return isUnreadable || error instanceof errors.HTTPParserError ? 'not-understood' : 'unreachable';
}

/** Whether the connection broke off, as kept connections do when the other side restarts. */
export function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error) ?? '');
}

/**
 * How long to wait before asking once more, in milliseconds; undefined where asking again is useless or would take
 * too long.
 *
 * @param retryAfter the Retry-After header: seconds or an HTTP date (RFC 9110, 10.2.3)
 */
export function retryPauseMs(status: number, retryAfter: string | undefined, now: Date): number | undefined {
  if (!passingStatuses.has(status)) return undefined;
  const askedMs = readRetryAfter(retryAfter, now);
  if (askedMs === undefined) return usualPauseMs;
  return askedMs <= longestPauseMs ? Math.max(0, askedMs) : undefined;
}

function readRetryAfter(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : at - now.getTime();
}
