import type { Refusal } from './acts.ts';

/**
 * Why a press gives no link: a {@link Refusal}, or it was not the press of the one for whom the button was drawn, or
 * Slack could not be asked who pressed, or it was told of too `late` to be the press of who opens the page.
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
  'late',
] as const satisfies readonly (Refusal | 'someone-else' | 'unchecked' | 'late')[];
export type PressRefusal = Refusal | (typeof PRESS_REFUSALS)[number];
