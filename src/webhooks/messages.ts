import { filtersInWords } from '../subscriptions/messages.ts';
import {
  button,
  buttons,
  done,
  lines,
  message,
  problem,
  row,
  status,
  type ButtonWords,
  type Message,
  type Part,
} from '../messages/message.ts';
import { bold, code, count, date, say, short, user, type Line } from '../messages/text.ts';
import type { Secret } from '../workspaces/data-keys.ts';
import { MOST_ADDRESSES, isPaused, type WebhookAddress } from './addresses.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from './bodies.ts';
import { isTaken, type FailureReason, type WebhookReply } from './send.ts';

/** An address as admins see it, with how many of its events were set aside. */
export interface ShownAddress extends WebhookAddress {
  readonly setAside: number;
}

/** A workspace's addresses at a time, milliseconds since 1970. */
export interface WebhooksNow {
  readonly addresses: readonly ShownAddress[];
  readonly at: number;
}

export const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  'watch_link.opened': 'Watch link opened',
  'session.ended': 'Session ended',
  'session.outcome_changed': 'Outcome changed',
};

const hostOf = ({ host }: Pick<WebhookAddress, 'host'>) => code(short(host, 80));

function stateWords(address: ShownAddress, at: number): Line {
  const { offAt, failingSince, workedAt, heldUntil } = address;
  if (offAt !== undefined) return say`Switched off: it answered 410 (gone). Since: ${date(new Date(offAt))}`;
  if (failingSince === undefined) return [workedAt === undefined ? 'Not tried yet' : 'Working'];
  const since = date(new Date(failingSince));
  if (!isPaused(address, at)) return say`Failing, so the app tries again. Since: ${since}`;
  const next = heldUntil !== undefined && say` · Next try: ${date(new Date(heldUntil))}`;
  return say`Paused: it doesn’t accept anything. Since: ${since}${next}`;
}

const statusLine = (address: ShownAddress, at: number): Line =>
  say`${stateWords(address, at)}${address.setAside > 0 && ` · ${count(address.setAside, 'event')} set aside`}`;

export function webhooksSection({ addresses, at }: WebhooksNow): readonly Part[] {
  const listed = addresses.map((address) => say`${hostOf(address)}: ${statusLine(address, at)}`);
  const none: Line = ['Tell your helpdesk, Zapier, n8n or your own programs about sessions.'];
  const label = 'Webhooks of this workspace, for admins';
  const open = button({ text: 'Webhooks', actionId: 'home_webhooks', label });
  return [lines(...(listed.length === 0 ? [none] : listed)), buttons(open)];
}

function choicesLines({ events, filters, hasNames, addedBy, addedAt }: ShownAddress): readonly Line[] {
  const known = WEBHOOK_EVENTS.filter((event) => events.includes(event)).map((event) => EVENT_WORDS[event]);
  return [
    say`${known.join(', ')} · For ${filtersInWords(filters)}`,
    [hasNames ? 'With the customer’s name' : 'Without the customer’s name'],
    say`Added by ${user(addedBy)}, ${date(new Date(addedAt))}`,
  ];
}

type Named = Pick<WebhookAddress, 'id' | 'host'>;

/** A button about an address; its label, for screen readers, says which. */
const aboutIt =
  ({ id, host }: Named) =>
  (text: string, actionId: string, more: Partial<ButtonWords> = {}) =>
    button({ text, actionId, value: id, ...more, label: `${more.label ?? text} ${short(host, 40)}` });

const testButton = (address: Named) =>
  aboutIt(address)('Send a test', 'home_test_webhook', { label: 'Send a test to' });

function addressButtons(address: ShownAddress, at: number): Part {
  const { setAside, offAt } = address;
  const does = aboutIt(address);
  const isHeld = offAt !== undefined || isPaused(address, at);
  return buttons(
    isHeld && does('Retry', 'home_resume_webhook', { style: 'primary' }),
    testButton(address),
    setAside > 0 &&
      does('Set aside', 'home_set_aside_webhooks', {
        label: `Set aside: ${count(setAside, 'event')}, for`,
      }),
    does('Edit', 'home_edit_webhook'),
    does('New secret', 'home_rotate_webhook', {
      label: 'New secret for',
      confirm: {
        title: 'Make a new secret?',
        text: 'For a day, messages are signed with the new secret and the one before it. An older one stops working now.',
        yes: 'Make a new one',
        no: 'Cancel',
      },
    }),
    does('Remove', 'home_remove_webhook', {
      style: 'danger',
      confirm: {
        title: 'Remove this address?',
        text: 'Nothing more is sent there, and what waits for it is dropped. You can’t undo this.',
        yes: 'Remove',
        no: 'Keep',
      },
    }),
  );
}

/** What the Webhooks button opens: each address with what can be done about it. @param first what happened just now */
export function webhooksMenu({ addresses, at }: WebhooksNow, first?: Part): Message {
  const label = 'Add an address for webhooks';
  const add = button({ text: 'Add an address', actionId: 'home_add_webhook', label });
  return message(
    first,
    lines(['Only workspace admins see this.']),
    ...addresses.flatMap((address) => [
      lines([bold(short(address.host, 80))], statusLine(address, at), ...choicesLines(address)),
      addressButtons(address, at),
    ]),
    addresses.length >= MOST_ADDRESSES
      ? lines([`That’s all: a workspace can have ${MOST_ADDRESSES} addresses.`])
      : buttons(add),
  );
}

/** The only time that a secret is shown. */
const secretParts = (secret: Secret): readonly Part[] => [
  lines(['Signing secret, shown only now:']),
  lines([code(secret.reveal())]),
  lines(['Copy it into the program that gets the messages, to check that they’re from this app.']),
];

export const addressAdded = (address: Named, secret: Secret): Message =>
  message(
    status('done', [say`Added ${hostOf(address)}.`]),
    ...secretParts(secret),
    buttons(testButton(address)),
  );

export const secretRotated = (address: WebhookAddress, secret: Secret): Message =>
  message(
    status('done', [say`New secret for ${hostOf(address)}. The old one works for one more day.`]),
    ...secretParts(secret),
  );

export const addressSaved = (address: WebhookAddress): Message => done(say`Saved ${hostOf(address)}.`);

export const removedPart = (address: WebhookAddress): Part =>
  status('done', [say`Removed ${hostOf(address)}. Nothing more is sent there.`]);

/** Where it was switched off, nothing waits for it. */
export const resumedPart = (address: WebhookAddress): Part =>
  address.offAt === undefined
    ? status('waiting', [say`Trying ${hostOf(address)} again now.`])
    : status('done', [say`Switched ${hostOf(address)} on again.`]);

export const noSuchAddress = problem(['This address is gone: it was removed. Nothing changed.']);

export const tooManyAddresses = problem(
  [`A workspace can have ${MOST_ADDRESSES} addresses.`],
  ['Remove one first.'],
);

export const addressChanged = problem(
  ['Somebody changed this address while your form was open, so your change wasn’t saved.'],
  ['To make your change, open the form again.'],
);

export const keyMissing = problem(
  ['The app can’t read or store this: the key for addresses and secrets is missing from SECRET_KEYS.'],
  ['Ask whoever runs the app to put it back. If it’s lost, remove the address and add it again.'],
);

const FAILED_WORDS: Readonly<Record<FailureReason, string>> = {
  not_public:
    'The address isn’t a public one over https. Only whoever runs the app can allow it, in WEBHOOK_HOSTS.',
  unknown_host: 'There’s no such host.',
  lookup_failed: 'The host’s name couldn’t be looked up: no name server answered.',
  connection_refused: 'The host refused the connection.',
  bad_certificate: 'The host’s certificate isn’t valid.',
  timed_out: 'There was no answer within ten seconds.',
  no_answer: 'The connection broke off without an answer.',
};

/** What came of a test. The answer's text is anybody's. */
export function testResult(address: WebhookAddress, reply: WebhookReply): Message {
  const host = hostOf(address);
  if (reply.is === 'failed')
    return problem(say`The test didn’t reach ${host}.`, [FAILED_WORDS[reply.reason]]);
  const text = short(reply.text, 200);
  return message(
    isTaken(reply)
      ? status('done', [say`${host}: it accepted the test (${String(reply.status)}).`])
      : status('problem', [say`${host}: it didn’t accept the test (${String(reply.status)}).`]),
    ...(text === '' ? [lines(['The answer was empty.'])] : [lines(['The answer begins:']), row([{ text }])]),
  );
}
