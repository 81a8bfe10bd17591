import type { PressRefusal } from '../grants/press-refusal.ts';
import { failureMessage } from './failure-words.ts';
import type { FailureWords } from './failure-words.ts';
import type { Message } from './message.ts';
import { refusalWords, rightUnknownWords } from './refusals.ts';

/** Why a press gives no link, for the one who pressed, and what to do. */
export function pressRefusalWords(why: PressRefusal): FailureWords {
  switch (why) {
    case 'unchecked':
      return rightUnknownWords();
    case 'lacks-channels:read':
    case 'lacks-groups:read':
    case 'lacks-usergroups:read':
    case 'lacks-users:read':
      return rightUnknownWords(why.slice('lacks-'.length));
    case 'late':
      return {
        title: 'Too late',
        text: 'Your press came too late: Slack’s word of it took more than a minute, so something may have held it back.',
        next: 'Press Watch again. If you read this each time, ask whoever runs the app to set the clock of its machine.',
      };
    case 'someone-else':
      return {
        title: 'Not your button',
        text: 'This button was made for someone else.',
        next: 'Type "/cobrowse find" yourself for a button of your own.',
      };
    default:
      return refusalWords('watch', why);
  }
}

/** The same as a message. */
export function pressRefused(why: PressRefusal): Message {
  return failureMessage(pressRefusalWords(why));
}
