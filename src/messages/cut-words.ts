import { context } from './message.ts';
import type { Part } from './message.ts';

/** Whether people from other organisations can read a place; `unknown` counts as yes. */
export type Shared = boolean | 'unknown';

/** Says that personal details are left out, so that nobody takes them for unknown. */
export function cutWords(isCut: Shared): readonly Part[] {
  if (isCut === 'unknown')
    return [context('Personal details are left out: Slack didn’t say whether this channel is shared.')];
  return isCut ? [context('Shared channel: personal details are left out.')] : [];
}
