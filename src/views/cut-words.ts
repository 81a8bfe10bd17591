import type { Line } from './rich-text.ts';

/** Whether people of other organisations read along in a place; where nobody knows, they may. */
export type Shared = boolean | 'unknown';

/** Said where personal details are left out, so that nobody takes them for not known. */
export function cutWords(isCut: Shared): readonly Line[] {
  if (isCut === 'unknown')
    return [['Personal details are left out: Slack didn’t say whether this channel is shared.']];
  return isCut ? [['Shared channel: personal details are left out.']] : [];
}
