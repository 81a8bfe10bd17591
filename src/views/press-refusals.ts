import type { PressRefusal } from '../links/press-refusal.ts';
import { failureMessage } from './failure-words.ts';
import type { FailureWords } from './failure-words.ts';
import type { Message } from './message.ts';
import { refusalWords, rightUnknownWords } from './refusals.ts';

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
export function pressRefused(why: PressRefusal): Message {
  return failureMessage(pressRefusalWords(why));
}
