import type { Refusal } from './acts.ts';

/**
 * Why a press gives no link: a {@link Refusal}, or it was not the press of the one for whom the button was drawn, or
 * Slack could not be asked who pressed.
 */
export const PRESS_REFUSALS = [
  'deactivated',
  'external',
  'bot',
  'guest',
  'left-channel',
  'not-named',
  'someone-else',
  'unchecked',
] as const satisfies readonly (Refusal | 'someone-else' | 'unchecked')[];
export type PressRefusal = Refusal | (typeof PRESS_REFUSALS)[number];
