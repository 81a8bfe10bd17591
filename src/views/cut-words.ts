import { context } from './message.ts';
import type { Part } from './message.ts';

/** Whether people of other organisations read along in a place; where nobody knows, they may. */
export type Shared = boolean | 'unknown';

/** Said where personal details are left out, so that nobody takes them for not known. */
export function cutWords(isCut: Shared): readonly Part[] {
  if (isCut === 'unknown')
    return [context('Personal details are left out: Slack didn’t say whether this channel is shared.')];
  return isCut ? [context('Shared channel: personal details are left out.')] : [];
}
