import type { Act, Refusal } from '../grants/acts.ts';
import type { FailureWords } from './failure-words.ts';
import { lines, notice } from './message.ts';
import type { Message, Part } from './message.ts';

const DOING: Readonly<Record<Act, string>> = {
  watch: 'Seeing customers and their screens',
  stop: 'Stopping sessions',
  delete: 'Deleting visitors',
  usage: 'Seeing the usage of the account',
};

const ASK_AN_ADMIN = 'Ask a workspace admin: they can name you in the Home tab of this app.';

/** Why somebody may not do something, and whom to ask. */
export function refusalWords(act: Act, why: Refusal): FailureWords {
  const doing = DOING[act];
  const title = 'Not for you';
  switch (why) {
    case 'deactivated':
      return {
        title,
        text: 'This Slack account is deactivated: it can do nothing with this app.',
        next: 'Ask a workspace admin.',
      };
    case 'bot':
      return { title, text: `${doing} is for people, not for apps.`, next: 'Use it as yourself.' };
    case 'external':
      return {
        title,
        text: `${doing} is for the people of the workspace that installed this app, and you are of another organisation.`,
        next: 'Ask somebody of that workspace in the channel.',
      };
    case 'guest':
      return {
        title,
        text: `You are a guest in this workspace. ${doing} is not for guests, unless an admin named them.`,
        next: ASK_AN_ADMIN,
      };
    case 'left-channel':
      return {
        title,
        text: 'You are not in the channel that this belongs to.',
        next: 'Join that channel, or type /cobrowse in one that you are in.',
      };
    case 'not-named':
      return {
        title,
        text: `${doing} is for the workspace’s admins, and for those they named.`,
        next: ASK_AN_ADMIN,
      };
    default:
      return why satisfies never;
  }
}

/** A refusal as a message. */
export function refused(act: Act, why: Refusal): Message {
  const { text, next } = refusalWords(act, why);
  return notice([text], [next]);
}

/** In the place of Watch, where visitors are shown to who may not watch them; nothing where they may. */
export function noWatchWords(why: Refusal | undefined): readonly Part[] {
  if (why === undefined) return [];
  return [
    lines(
      ['There is no Watch button for you: watching is for the workspace’s admins, and for those they named.'],
      [ASK_AN_ADMIN],
    ),
  ];
}

/** Slack did not answer whether somebody may do something. @param missingScope without which it does not answer */
export function rightUnknownWords(missingScope?: string): FailureWords {
  if (missingScope !== undefined) {
    return {
      title: 'Not checked',
      text: `The app isn’t allowed to ask Slack whether you may do this: it lacks the scope ${missingScope}.`,
      next: `Ask whoever runs the app to add ${missingScope} under OAuth & Permissions and to install the app again.`,
    };
  }
  return {
    title: 'Not checked',
    text: 'Slack could not be asked whether you may do this, so it was not done.',
    next: 'Try again in a minute. If it stays so, tell whoever runs the app.',
  };
}
