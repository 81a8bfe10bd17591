import type { Button } from '@slack/types';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { CobrowseErrorKind } from '../cobrowse/errors.ts';
import { button } from '../messages/buttons.ts';

/** Failures that may pass within a moment. */
const PASSING: ReadonlySet<CobrowseErrorKind> = new Set(['busy', 'unreachable', 'timed-out']);

/** A failure that may pass, with the button that tries the same again. */
export class PassingFailure extends Error {
  override readonly name = 'PassingFailure';
  override readonly cause: CobrowseError;
  readonly retry: Button;

  constructor(cause: CobrowseError, retry: Button) {
    super(cause.message);
    this.cause = cause;
    this.retry = retry;
  }
}

/**
 * Does something that changes nothing. Rejects with a PassingFailure if it may work a moment later.
 *
 * @param again the press that retries it, and its value
 */
export async function offeringRetry<Done>(
  again: { readonly actionId: string; readonly value: string },
  work: () => Promise<Done>,
): Promise<Done> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CobrowseError) || !PASSING.has(error.kind)) throw error;
    throw new PassingFailure(error, button({ ...again, text: 'Retry', label: 'Retry the search' }));
  }
}
