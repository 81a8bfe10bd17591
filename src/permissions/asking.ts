import { RightUnknownError } from './acts.ts';

/**
 * Asks who can. If that can't be checked, no one can: it's recorded as a refusal too, and then rejects with a
 * RightUnknownError.
 *
 * @param refuse writes the refusal into the audit
 */
export async function asking<Answer>(
  ask: () => Promise<Answer>,
  refuse: (why: 'unchecked') => Promise<void>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RightUnknownError) await refuse('unchecked');
    throw error;
  }
}
