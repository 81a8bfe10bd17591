import { CobrowseError } from '../../src/cobrowse/errors.ts';

/** The CobrowseError a call rejects with; anything else fails the test. */
export async function rejection(call: Promise<unknown>): Promise<CobrowseError> {
  const outcome: unknown = await call.then(
    () => new Error('The call was fulfilled.'),
    (error: unknown) => error,
  );
  if (outcome instanceof CobrowseError) return outcome;
  throw new Error('Expected a CobrowseError.', { cause: outcome });
}
