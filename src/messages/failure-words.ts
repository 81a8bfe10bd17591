import type { CobrowseError, CobrowseErrorKind, KeyHolder } from '../cobrowse/errors.ts';
import { button, notice, problem, refusal, withButton, type Message } from './message.ts';
import { code as typed, link, say, short, user } from './text.ts';
import type { DatabaseError } from '../database/database.ts';
import type { Act, Refusal, RightUnknownError } from '../permissions/permissions.ts';

export interface FailureWords {
  readonly text: string;
  readonly next: string;
  /** Absent where something didn’t work. */
  readonly status?: 'refused';
}

const words = (text: string, next: string): FailureWords => ({ text, next });

const SOON = 'Try again in a minute.';
const IF_IT_KEEPS = 'If this keeps happening, tell your admin.';
const SOON_OR_TELL = `${SOON} ${IF_IT_KEEPS}`;
const ASK_OWNER = 'Ask your account owner';

const notConnected = (next: string) => words('This workspace has no co-browsing account yet.', next);

export const connectAccountWords = notConnected('Connect your co-browsing account in the Home tab.');

export type CobrowseFailure = Pick<CobrowseError, 'kind'> &
  Partial<Pick<CobrowseError, 'code' | 'visitorId' | 'keyHolder'>>;

function wordsOfCode({ kind, code = '' }: CobrowseFailure): FailureWords | undefined {
  // Another name would cost a second license, and be recorded as someone else.
  if (code === 'agent-unknown')
    return words(
      'The co-browsing service couldn’t say which agent you are, so nothing was opened under another name.',
      `Try again. ${IF_IT_KEEPS}`,
    );
  if (kind === 'unreachable' && code === 'not-public')
    return words(
      'The co-browsing service’s address isn’t a public one over https, so the app doesn’t connect to it.',
      'Ask a workspace admin to press Change in this app’s Home tab and check the address. Only whoever runs the app can allow another, in COBROWSE_HOSTS.',
    );
  // It names the limit, as over-1-MiB.
  if (kind === 'not-understood' && code.startsWith('over-'))
    return words(
      `The co-browsing service sent too much to read: ${code.replaceAll('-', ' ')}.`,
      `Narrow your search. ${IF_IT_KEEPS}`,
    );
  return undefined;
}

export function cobrowseFailureWords(failure: CobrowseFailure): FailureWords {
  const { kind, code, visitorId, keyHolder } = failure;
  const byKind: Readonly<Record<CobrowseErrorKind, FailureWords>> = {
    'not-found': words(
      visitorId === undefined
        ? 'The co-browsing service doesn’t know that agent.'
        : `No visitor has the ID ${short(visitorId, 60)}.`,
      'Search again with “/cobrowse find” and a name or email.',
    ),
    'limit-reached': words(
      'Another session would exceed the limits of your co-browsing plan.',
      'Wait for a running session to end (“/cobrowse usage” shows how many there are), or ask your account owner about the plan.',
    ),
    'not-in-plan': words(
      'Your co-browsing plan doesn’t include this, or its limit is reached.',
      `${ASK_OWNER} about the plan.`,
    ),
    'visitor-online': words(
      'This customer is online, and only offline customers can be deleted.',
      'Try again once they’ve left.',
    ),
    'not-authorized': words(
      'The co-browsing service didn’t authorize the session.',
      `${ASK_OWNER} whether the license covers on-premise sessions.`,
    ),
    'refused-key': words(
      `The co-browsing service refused this app’s key${code === undefined ? '' : ` and said “${code}”`}.`,
      ADVICE.get(code) ?? CHECK_KEY[keyHolder ?? 'settings'],
    ),
    busy: words('The co-browsing service is busy.', SOON),
    unreachable: words('The app can’t reach the co-browsing service.', SOON_OR_TELL),
    'timed-out': words('The co-browsing service didn’t answer in time.', SOON_OR_TELL),
    'called-off': words('The app is restarting, so it couldn’t finish this.', SOON),
    'not-understood': words(
      'Unexpected reply from the co-browsing service.',
      ADVICE.get(code) ?? 'Ask your admin to run “/cobrowse doctor”.',
    ),
    'not-offered': words(
      'Your co-browsing account or installation doesn’t offer this.',
      `${ASK_OWNER} whether it can be turned on. On-premise installations have fewer features.`,
    ),
    'not-connected': notConnected('Ask a workspace admin to connect it in this app’s Home tab.'),
  };
  return wordsOfCode(failure) ?? byKind[kind];
}

const CHECK = 'Ask whoever runs the app to check';
const RENEW = `${ASK_OWNER} to renew the co-browsing subscription.`;
/** By the code: the service's, or ours. */
const ADVICE: ReadonlyMap<string | undefined, string> = new Map([
  ['other-host', `${CHECK} WATCH_HOSTS: the link leads to a host that isn’t listed there.`],
  ['presence-unknown', `${CHECK} visitorIsOnline in COBROWSE_WIRE_NAMES: no visitor says if they’re online.`],
  [
    'waiting-unknown',
    `${CHECK} visitorIsWaitingForCall in COBROWSE_WIRE_NAMES: no visitor says if they wait.`,
  ],
  ['no_subscription', RENEW],
  ['subscription_expired', RENEW],
  ['api_not_enabled', `${ASK_OWNER} to turn on the REST API.`],
  ['please_contact_team', `${ASK_OWNER} to contact the co-browsing service.`],
]);

const CHECK_KEY: Readonly<Record<KeyHolder | 'settings', string>> = {
  settings: 'Ask your admin to check the key: COBROWSE_API_KEY, or COBROWSE_ONPREM_REST_KEY on-premise.',
  operator: `${CHECK} its key.`,
  workspace: 'Ask a workspace admin to press Change in this app’s Home tab and check the key.',
};

/** What can't be recorded isn't done. */
export function storeFailureWords({ kind }: Pick<DatabaseError, 'kind'>): FailureWords {
  return kind === 'unknown'
    ? words(
        'The app’s database didn’t answer, so I can’t tell whether this was done.',
        `Check before you try again. ${IF_IT_KEEPS}`,
      )
    : words('This wasn’t done: the app can’t use its database right now.', SOON_OR_TELL);
}

/** Slack lets an app open and fill a window for three seconds; or it was closed meanwhile. */
export const tooLate: Message = problem(['That took too long to open. Press it again.']);

export const slackAwayWords = (code: string): FailureWords =>
  words(`Slack can’t do this right now (${code}).`, SOON_OR_TELL);

export const unexpectedFailureWords = (reference: string): FailureWords =>
  words(
    'Something went wrong in the app.',
    `Try again. If it happens again, give your admin the reference ${reference}.`,
  );

export const failureMessage = ({ text, next, status }: FailureWords): Message =>
  (status === 'refused' ? refusal : problem)([text], [next]);

const DOING: Readonly<Record<Act, string>> = {
  watch: 'see customers and their screens',
  stop: 'stop sessions',
  delete: 'delete customers',
  usage: 'see account usage',
};

const ASK_AN_ADMIN = 'Ask a workspace admin to add you in this app’s Home tab.';

export function refusalWords(act: Act, why: Refusal): FailureWords {
  const doing = DOING[act];
  const byReason: Readonly<Record<Refusal, readonly [text: string, next: string]>> = {
    deactivated: ['This Slack account is deactivated, so it can’t use this app.', 'Ask a workspace admin.'],
    bot: [`Only people can ${doing}, not apps.`, 'Use it as yourself.'],
    external: [
      `Only people from the workspace that installed this app can ${doing}, and you’re from another organization.`,
      'Ask someone from that workspace in the channel.',
    ],
    guest: [
      `You’re a guest in this workspace. Guests can’t ${doing} unless an admin adds them.`,
      ASK_AN_ADMIN,
    ],
    'left-channel': [
      'You aren’t in the channel this belongs to.',
      'Join that channel, or use /cobrowse in one you’re in.',
    ],
    'not-named': [`You don’t have permission to ${doing}.`, ASK_AN_ADMIN],
  };
  return { ...words(...byReason[why]), status: 'refused' };
}

export const refused = (act: Act, why: Refusal): Message => failureMessage(refusalWords(act, why));

export function rightUnknownWords(why: Partial<Pick<RightUnknownError, 'missingScope' | 'isUnread'>> = {}) {
  const { missingScope, isUnread } = why;
  if (isUnread)
    return words(
      'I couldn’t check your permission, so nothing was done: the app can’t read its database right now.',
      SOON_OR_TELL,
    );
  if (missingScope === undefined)
    return words('The app couldn’t check your permission with Slack, so nothing was done.', SOON_OR_TELL);
  return words(
    `The app can’t check your permission: it’s missing the scope ${missingScope}.`,
    `Ask your admin to install the app again with the scope ${missingScope}.`,
  );
}

export const outdatedButton = problem([
  'This button is from another version of the app. Run the command again.',
]);

export const unreadableRequest = problem(
  say`Slack sent this in a form that the app can’t read, so nothing was done. Try again, or type ${typed('/cobrowse help')}.`,
);

export const outdatedForm = problem(['This is from another version of the app. Close this and try again.']);

/** For a button or form of another workspace in a shared channel, or of this one before all of it was removed. */
export const ofOtherWorkspace = refusal(
  [
    'This belongs to another workspace, or to an installation of Co-browse that was removed. Nothing was done.',
  ],
  say`Type ${typed('/cobrowse')} in this workspace to start again.`,
);

/** For a workspace without the app, as in a channel that two share. @param installUrl where it can be installed */
export const notInstalled = (installUrl: string | undefined): Message =>
  refusal(
    [
      'Co-browse isn’t installed in your workspace. In a channel that two organizations share, it works for the one that installed it.',
    ],
    installUrl !== undefined &&
      say`To have it in yours, an admin can ${link(installUrl, 'install it')}. Where your organization has it, its admins add your workspace.`,
  );

/** Where Slack gave no new token in place of one that ends. */
export const installAgain = (installUrl: string | undefined): Message =>
  problem(
    [
      'Slack no longer lets this app into your workspace, so it can’t do anything here. What waits is posted once it can.',
    ],
    installUrl !== undefined &&
      say`A workspace admin can ${link(installUrl, 'install it again')}. Settings stay as they are.`,
  );

export const watchLinkNotSearched = refusal(
  [
    'That looks like a watch link, so I didn’t search for it. Anyone who has it can see the customer’s screen.',
  ],
  ['Search for the customer’s name, email or lookup code instead.'],
);

/** @param command what to type the email after */
export function noEmail(slackUserId: string, command: 'agent' | 'find', isYou: boolean): Message {
  const [whose, whom, ask] = isYou
    ? ['Your', 'you', 'Type']
    : [say`${user(slackUserId)}’s`, 'them', 'Ask them for it and type'];
  return notice(
    say`${whose} Slack profile doesn’t show this app an email address, so I can’t look ${whom} up.`,
    say`${ask} ${typed(`/cobrowse ${command} name@company.com`)}.`,
  );
}

export const connectButton = (text: string) =>
  button({ text, actionId: 'home_connect_account', label: `${text}: Co-browsing account`, style: 'primary' });

export const connectFirst = withButton(failureMessage(connectAccountWords), connectButton('Connect'));
