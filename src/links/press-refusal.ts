import type { Refusal } from '../permissions/acts.ts';

/**
 * Why a press gives no link: a {@link Refusal}, or it was not the press of the one for whom the button was drawn, or
 * Slack could not be asked who pressed, or would not say without a scope that the app lacks, or it was reported too `late`
 * to be the press of who opens the page, or made before the app was `restarted`, which remembers no earlier ones.
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
  'lacks-channels:read',
  'lacks-groups:read',
  'lacks-usergroups:read',
  'lacks-users:read',
  'late',
  'restarted',
] as const satisfies readonly (
  | Refusal
  | 'someone-else'
  | 'unchecked'
  | `lacks-${string}`
  | 'late'
  | 'restarted'
)[];
export type PressRefusal = Refusal | (typeof PRESS_REFUSALS)[number];

/** The refusal for a missing scope; `unchecked` where Slack does not name one that rights are asked with. */
export function lacking(scope: string | undefined): PressRefusal {
  return PRESS_REFUSALS.find((why) => why === `lacks-${scope}`) ?? 'unchecked';
}

/** Whether Slack did not say, so that the same press may be allowed another time. */
export const isUnanswered = (why: PressRefusal): boolean => why === 'unchecked' || why.startsWith('lacks-');
