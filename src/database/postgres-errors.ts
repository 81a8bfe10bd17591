import { z } from 'zod';
import { DatabaseError, type DatabaseErrorKind } from './errors.ts';

/** What a missing answer means: a change may or may not be made, or nothing was done. */
export type Lost = 'unknown' | 'unreachable';

const Failure = z.object({ code: z.string() });

// SQLSTATE, https://www.postgresql.org/docs/15/errcodes-appendix.html
const kinds: ReadonlyMap<string, DatabaseErrorKind> = new Map([
  ['53100', 'full'],
  ['53200', 'full'],
  ['40001', 'locked'], // two transactions in each other's way, also after the repeats
  ['40P01', 'locked'],
  ['55P03', 'locked'],
  ['57014', 'locked'], // given up, by us or by the server: mostly it waited for a lock
  ['28000', 'no-access'],
  ['28P01', 'no-access'],
  ['3D000', 'no-access'],
  ['42501', 'no-access'],
  ['25006', 'read-only'], // also a standby's answer
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
  ['53300', 'unreachable'], // too many connections
  ['57P03', 'unreachable'], // starting up
]);

const codeOf = (cause: unknown): string => Failure.safeParse(cause).data?.code ?? '';

/**
 * Whether the server itself sent the error, so the connection is still good: not a shutdown (57P) or a broken
 * connection (08).
 */
export const isFromServer = (cause: unknown): boolean =>
  // Every one has a digit; without that, EPIPE would be one.
  /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/.test(codeOf(cause));

/**
 * What an error of the driver means; `cause` is that error.
 *
 * @param lost what it means if it didn't come from the server: the connection broke, or there was none
 */
export function toDatabaseError(cause: unknown, lost: Lost): DatabaseError {
  if (cause instanceof DatabaseError) return cause;
  const known = kinds.get(codeOf(cause));
  if (known !== undefined) return new DatabaseError(known, cause);
  return new DatabaseError(isFromServer(cause) ? 'failed' : lost, cause);
}

/** Whether the server accepts no changes, as one that another has taken over from. */
export const hasSteppedDown = (cause: unknown): boolean => codeOf(cause) === '25006';

/** Whether the server undid a transaction only because another one was in its way. */
export const isWorthRepeating = (cause: unknown): boolean => ['40001', '40P01'].includes(codeOf(cause));
