import { RightUnknownError } from './acts.ts';

/**
 * Asks who may. Where Slack cannot be asked nobody may: that is a refusal, too, before it goes on as a RightUnknownError.
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
