import { RightUnknownError } from './acts.ts';

/**
 * Asks who can. If Slack can't be asked, no one can: that's recorded as a refusal too, and then rejects with a
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
