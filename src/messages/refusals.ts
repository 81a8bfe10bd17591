import type { Act, Refusal } from '../permissions/acts.ts';
import { failureMessage, type FailureWords } from './failure-words.ts';
import { lines, message, problem, refusal, type Message } from './message.ts';
import { code, link, user } from './text.ts';

const DOING: Readonly<Record<Act, string>> = {
  watch: 'see customers and their screens',
  stop: 'stop sessions',
  delete: 'delete customers',
  usage: 'see account usage',
};

const ASK_AN_ADMIN = 'Ask a workspace admin to add you in this app’s Home tab.';

/** Why someone can't do something, and whom to ask. */
export function refusalWords(act: Act, why: Refusal): FailureWords {
  const doing = DOING[act];
  const common = { title: 'No permission', status: 'refused' } as const;
  switch (why) {
    case 'deactivated':
      return {
        ...common,
        text: 'This Slack account is deactivated, so it can’t use this app.',
        next: 'Ask a workspace admin.',
      };
    case 'bot':
      return { ...common, text: `Only people can ${doing}, not apps.`, next: 'Use it as yourself.' };
    case 'external':
      return {
        ...common,
        text: `Only people from the workspace that installed this app can ${doing}, and you’re from another organization.`,
        next: 'Ask someone from that workspace in the channel.',
      };
    case 'guest':
      return {
        ...common,
        text: `You’re a guest in this workspace. Guests can’t ${doing} unless an admin adds them.`,
        next: ASK_AN_ADMIN,
      };
    case 'left-channel':
      return {
        ...common,
        text: 'You aren’t in the channel this belongs to.',
        next: 'Join that channel, or use /cobrowse in one you’re in.',
      };
    case 'not-named':
      return {
        ...common,
        text: `You don’t have permission to ${doing}.`,
        next: ASK_AN_ADMIN,
      };
    default:
      return why satisfies never;
  }
}

/** A refusal as a message. */
export function refused(act: Act, why: Refusal): Message {
  return failureMessage(refusalWords(act, why));
}

/** Why it couldn't be checked whether somebody can do something. */
interface NotChecked {
  /** Without it, Slack doesn't say. */
  readonly missingScope?: string;
  /** Whether it's the rules that couldn't be read. */
  readonly isUnread?: boolean;
}

/** It isn't known whether somebody can do something. */
export function rightUnknownWords({ missingScope, isUnread = false }: NotChecked = {}): FailureWords {
  if (isUnread) {
    return {
      title: 'Not checked',
      text: 'I couldn’t check your permission, so nothing was done: the app can’t read its database right now.',
      next: 'Try again in a minute. If this keeps happening, tell your admin.',
    };
  }
  if (missingScope !== undefined) {
    return {
      title: 'Not checked',
      text: `The app can’t check your permission: it’s missing the scope ${missingScope}.`,
      next: `Ask your admin to install the app again with the scope ${missingScope}.`,
    };
  }
  return {
    title: 'Not checked',
    text: 'The app couldn’t check your permission with Slack, so nothing was done.',
    next: 'Try again in a minute. If this keeps happening, tell your admin.',
  };
}

export const outdatedButton = problem([
  'This button is from another version of the app. Run the command again.',
]);

/** For a request that isn't as Slack's usually are. */
export const unreadableRequest = problem([
  'Slack sent this in a form that the app can’t read, so nothing was done. Try again, or type ',
  code('/cobrowse help'),
  '.',
]);

export const outdatedForm = problem(['This is from another version of the app. Close this and try again.']);

/** For a button or form that another workspace posted, in a channel that the two share; or this one, before all of it was removed. */
export const ofOtherWorkspace: Message = refusal(
  [
    'This belongs to another workspace, or to an installation of Co-browse that was removed. Nothing was done.',
  ],
  ['Type ', code('/cobrowse'), ' in this workspace to start again.'],
);

/** For people in a workspace without the app, as in a channel that two organizations share. @param installUrl where it can be installed */
export const notInstalled = (installUrl: string | undefined): Message =>
  refusal(
    [
      'Co-browse isn’t installed in your workspace. In a channel that two organizations share, it works for the one that installed it.',
    ],
    ...(installUrl === undefined
      ? []
      : [['To have it in yours, an admin can ', link(installUrl, 'install it'), '.']]),
  );

/** Instead of a search for a watch link: nobody else must learn it. */
export const watchLinkNotSearched: Message = refusal(
  [
    'That looks like a watch link, so I didn’t search for it. Anyone who has it can see the customer’s screen.',
  ],
  ['Search for the customer’s name, email or lookup code instead.'],
);

/** The Slack profile shows no email to look up or search for. @param command what to type it after */
export function noEmail(slackUserId: string, command: 'agent' | 'find', isYou: boolean): Message {
  return message(
    lines(
      isYou
        ? ['Your Slack profile doesn’t show this app an email address, so I can’t look you up.']
        : [
            user(slackUserId),
            '’s Slack profile doesn’t show this app an email address, so I can’t look them up.',
          ],
      [isYou ? 'Type ' : 'Ask them for it and type ', code(`/cobrowse ${command} name@company.com`), '.'],
    ),
  );
}
