import type { CobrowseErrorKind, KeyHolder } from '../cobrowse/errors.ts';
import { button, lines, message, problem, refusal, status, withButton, type Message } from './message.ts';
import { code as typed, link, short, user } from './text.ts';
import type { Act, Refusal } from '../permissions/permissions.ts';
import { HOME_ACTION } from './action-ids.ts';

/** A failure for a person: what happened in one sentence, and the next step. */
export interface FailureWords {
  readonly title: string;
  readonly text: string;
  readonly next: string;
  /** Left out where something didn’t work. */
  readonly status?: 'refused';
}

/** Nobody watches under another name: that would cost a second license, and be recorded as someone else. */
export const agentUnknownWords: FailureWords = {
  title: 'We don’t know which agent you are',
  text: 'The co-browsing service couldn’t say which agent you are, so nothing was opened under another name.',
  next: 'Try again. If this keeps happening, tell your admin.',
};

const NOT_CONNECTED = {
  title: 'Not connected yet',
  text: 'This workspace has no co-browsing account yet.',
} as const;

/** For those who can't connect one. */
const notConnectedWords: FailureWords = {
  ...NOT_CONNECTED,
  next: 'Ask a workspace admin to connect it in this app’s Home tab.',
};

/** For the workspace's admins. */
export const connectAccountWords: FailureWords = {
  ...NOT_CONNECTED,
  next: 'Connect your co-browsing account in the Home tab.',
};

const notPublicWords: FailureWords = {
  title: 'Not a public address',
  text: 'The co-browsing service’s address isn’t a public one over https, so the app doesn’t connect to it.',
  next: 'Ask a workspace admin to press Change in this app’s Home tab and check the address. Only whoever runs the app can allow another, in COBROWSE_HOSTS.',
};

/** What is known of a failure of the co-browsing service. */
export interface CobrowseFailure {
  readonly kind: CobrowseErrorKind;
  /** A refused key isn't always a wrong key. */
  readonly code?: string;
  /** Whom it failed for, if anybody. */
  readonly visitorId?: string;
  readonly keyHolder?: KeyHolder;
}

/** Words for a failure of the co-browsing service. */
export function cobrowseFailureWords({ kind, code, visitorId, keyHolder }: CobrowseFailure): FailureWords {
  if (code === 'agent-unknown') return agentUnknownWords;
  switch (kind) {
    case 'not-found':
      return {
        title: 'Not found',
        text:
          visitorId === undefined
            ? 'The co-browsing service doesn’t know that agent.'
            : `No visitor has the ID ${short(visitorId, 60)}.`,
        next: 'Search again with “/cobrowse find” and a name or email.',
      };
    case 'limit-reached':
      return {
        title: 'Plan limit reached',
        text: 'Another session would exceed the limits of your co-browsing plan.',
        next: 'Wait for a running session to end (“/cobrowse usage” shows how many there are), or ask your account owner about the plan.',
      };
    case 'not-in-plan':
      return {
        title: 'Not in your plan',
        text: 'Your co-browsing plan doesn’t include this, or its limit is reached.',
        next: 'Ask your account owner about the plan.',
      };
    case 'visitor-online':
      return {
        title: 'The customer is online',
        text: 'This customer is online, and only offline customers can be deleted.',
        next: 'Try again once they’ve left.',
      };
    case 'not-authorized':
      if (code !== undefined) return licenseTokenWords(code);
      return {
        title: 'Session not authorized',
        text: 'The co-browsing service didn’t authorize the session.',
        next: 'Ask your account owner whether the license covers on-premise sessions.',
      };
    case 'refused-key':
      return {
        title: 'The service refused the app',
        text: `The co-browsing service refused this app’s key${code === undefined ? '' : ` and said “${code}”`}.`,
        next: refusedKeyAdvice(code, keyHolder),
      };
    case 'busy':
      return {
        title: 'The service is busy',
        text: 'The co-browsing service is busy.',
        next: 'Try again in a minute.',
      };
    case 'unreachable':
      if (code === 'not-public') return notPublicWords;
      return {
        title: 'Can’t reach the service',
        text: 'The app can’t reach the co-browsing service.',
        next: 'Try again in a minute. If this keeps happening, tell your admin.',
      };
    case 'timed-out':
      return {
        title: 'The service took too long',
        text: 'The co-browsing service didn’t answer in time.',
        next: 'Try again in a minute. If this keeps happening, tell your admin.',
      };
    case 'called-off':
      return {
        title: 'The app is restarting',
        text: 'The app is restarting, so it couldn’t finish this.',
        next: 'Try again in a minute.',
      };
    case 'not-understood':
      if (code?.startsWith('over-') === true) return tooMuchWords(code);
      return {
        title: 'Unexpected reply',
        text: 'Unexpected reply from the co-browsing service.',
        next: notUnderstoodAdvice(code),
      };
    case 'not-offered':
      return {
        title: 'Not available here',
        text: 'Your co-browsing account or installation doesn’t offer this.',
        next: 'Ask your account owner whether it can be turned on. On-premise installations have fewer features.',
      };
    case 'not-connected':
      return notConnectedWords;
    default:
      return kind satisfies never;
  }
}

/** The key is right, but the installation refuses the cloud's token for this one session. */
function licenseTokenWords(code: string): FailureWords {
  return {
    title: 'License token refused',
    text: `The on-premise installation didn’t take the license token for this session and said “${code}”.`,
    next: 'Try again. If this keeps happening, tell your admin that the cloud’s license tokens and the installation don’t match.',
  };
}

/** @param code names the limit, as `over-1-MiB` */
function tooMuchWords(code: string): FailureWords {
  return {
    title: 'Too much to read',
    text: `The co-browsing service sent too much to read: ${code.replaceAll('-', ' ')}.`,
    next: 'Narrow your search. If this keeps happening, tell your admin.',
  };
}

function notUnderstoodAdvice(code: string | undefined): string {
  switch (code) {
    case 'other-host':
      return 'Ask whoever runs the app to check WATCH_HOSTS: the link leads to a host that isn’t listed there.';
    case 'presence-unknown':
      return 'Ask whoever runs the app to check visitorIsOnline in COBROWSE_WIRE_NAMES: no visitor says whether they’re online.';
    default:
      return 'Ask your admin to run “/cobrowse doctor”.';
  }
}

const CHECK_KEY = {
  settings: 'Ask your admin to check the key: COBROWSE_API_KEY, or COBROWSE_ONPREM_REST_KEY on-premise.',
  operator: 'Ask whoever runs the app to check its key.',
  workspace: 'Ask a workspace admin to press Change in this app’s Home tab and check the key.',
} as const satisfies Record<KeyHolder | 'settings', string>;

function refusedKeyAdvice(code: string | undefined, keyHolder: KeyHolder | undefined): string {
  switch (code) {
    case 'no_subscription':
    case 'subscription_expired':
      return 'Ask your account owner to renew the co-browsing subscription.';
    case 'api_not_enabled':
      return 'Ask your account owner to turn on the REST API.';
    case 'please_contact_team':
      return 'Ask your account owner to contact the co-browsing service.';
    default:
      return CHECK_KEY[keyHolder ?? 'settings'];
  }
}

/** What is known of a failure of the database. */
interface StoreFailure {
  readonly kind: string;
  readonly isOfReading: boolean;
}

/** Words for when the database fails: what can't be recorded isn't done. */
export function storeFailureWords(failure: StoreFailure): FailureWords {
  if (failure.isOfReading) {
    return {
      title: 'Not done',
      text: 'This wasn’t done: the app can’t read its database right now.',
      next: 'Try again in a minute. If this keeps happening, tell your admin.',
    };
  }
  if (failure.kind === 'unknown') {
    return {
      title: 'Not known',
      text: 'The app’s database didn’t answer, so I can’t tell whether this was done.',
      next: 'Check before you try again. If this keeps happening, tell your admin.',
    };
  }
  return {
    title: 'Not done',
    text: 'This couldn’t be recorded, so it wasn’t done: the app can’t save anything right now.',
    next: 'Try again in a minute. If this keeps happening, tell your admin.',
  };
}

/** A window couldn't be opened or filled: Slack lets an app do that for three seconds, or it was closed meanwhile. */
export const tooLate: Message = message(status('problem', [['That took too long to open. Press it again.']]));

/** Slack says, by a code, that it can't do what it was asked right now. */
export const slackAwayWords = (code: string): FailureWords => ({
  title: 'Slack is busy',
  text: `Slack can’t do this right now (${code}).`,
  next: 'Try again in a minute. If this keeps happening, tell your admin.',
});

/** Words for an unexpected failure; the reference is in the log. */
export function unexpectedFailureWords(reference: string): FailureWords {
  return {
    title: 'Something went wrong',
    text: 'Something went wrong in the app.',
    next: `Try again. If it happens again, give your admin the reference ${reference}.`,
  };
}

/** A failure as a message. */
export function failureMessage(words: FailureWords): Message {
  return message(status(words.status ?? 'problem', [[words.text], [words.next]]));
}

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
  typed('/cobrowse help'),
  '.',
]);

export const outdatedForm = problem(['This is from another version of the app. Close this and try again.']);

/** For a button or form that another workspace posted, in a channel that the two share; or this one, before all of it was removed. */
export const ofOtherWorkspace: Message = refusal(
  [
    'This belongs to another workspace, or to an installation of Co-browse that was removed. Nothing was done.',
  ],
  ['Type ', typed('/cobrowse'), ' in this workspace to start again.'],
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
      [isYou ? 'Type ' : 'Ask them for it and type ', typed(`/cobrowse ${command} name@company.com`), '.'],
    ),
  );
}

/** Opens the form that connects an account of the service. */
export const connectButton = (text: string) =>
  button({
    text,
    actionId: HOME_ACTION.connectAccount,
    value: 'connect',
    label: `${text}: Co-browsing account`,
    style: 'primary',
  });

/** For an admin, in place of whatever was asked for in a workspace without an account. */
export const connectFirst: Message = withButton(
  failureMessage(connectAccountWords),
  connectButton('Connect'),
);
