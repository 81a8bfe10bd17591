import {
  failureMessage,
  refusalWords,
  rightUnknownWords,
  type FailureWords,
} from '../messages/failure-words.ts';
import type { Message } from '../messages/message.ts';
import { REFUSALS } from '../permissions/permissions.ts';

/**
 * Why a press gives no link: a refusal, or it was not the press of the one for whom the button was drawn, or Slack could not
 * be asked who pressed, or would not say without a scope that the app lacks, or it was reported too `late` to be the press
 * of who opens the page, or made before the app was `restarted`, which remembers no earlier ones.
 */
export const PRESS_REFUSALS = [
  ...REFUSALS,
  'someone-else',
  'unchecked',
  'lacks-channels:read',
  'lacks-groups:read',
  'lacks-usergroups:read',
  'lacks-users:read',
  'late',
  'restarted',
] as const;
export type PressRefusal = (typeof PRESS_REFUSALS)[number];

/** The refusal for a missing scope; `unchecked` where Slack does not name one that rights are asked with. */
export function lacking(scope: string | undefined): PressRefusal {
  return PRESS_REFUSALS.find((why) => why === `lacks-${scope}`) ?? 'unchecked';
}

/** Whether Slack did not say, so that the same press may be allowed another time. */
export const isUnanswered = (why: PressRefusal): boolean => why === 'unchecked' || why.startsWith('lacks-');

/** Why Watch didn't open a link, for the person who pressed it, and what to do. */
export function pressRefusalWords(why: PressRefusal): FailureWords {
  switch (why) {
    case 'unchecked':
      return rightUnknownWords();
    case 'lacks-channels:read':
    case 'lacks-groups:read':
    case 'lacks-usergroups:read':
    case 'lacks-users:read':
      return rightUnknownWords({ missingScope: why.slice('lacks-'.length) });
    case 'late':
      return {
        title: 'Too late',
        text: 'Slack took over a minute to tell us about your press, so it no longer counts.',
        next: 'Press Watch again. If this keeps happening, ask your admin to check the server’s clock.',
      };
    case 'restarted':
      return {
        title: 'The app was restarting',
        text: 'Your press came while the app was restarting.',
        next: 'Press Watch again.',
      };
    case 'someone-else':
      return {
        title: 'Not your button',
        text: 'This button was made for someone else.',
        next: 'Type “/cobrowse find” to get your own button.',
      };
    default:
      return refusalWords('watch', why);
  }
}

/** The same as a message. */
export const pressRefused = (why: PressRefusal): Message => failureMessage(pressRefusalWords(why));
