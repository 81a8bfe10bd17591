import { filtersInWords } from '../subscriptions/messages.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import {
  button,
  buttons,
  done,
  lines,
  message,
  problem,
  row,
  status,
  type Message,
  type Part,
  type Status,
} from '../messages/message.ts';
import { bold, code, count, date, short, user, type Line } from '../messages/text.ts';
import type { Secret } from '../workspaces/data-keys.ts';
import { MOST_ADDRESSES, isPaused, type WebhookAddress } from './addresses.ts';
import { WebhookEvent } from './bodies.ts';
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

/** An event as a form and a list say it. */
export function eventWords(event: WebhookEvent): string {
  switch (event) {
    case 'watch_link.opened':
      return 'Watch link opened';
    case 'session.ended':
      return 'Session ended';
    case 'session.outcome_changed':
      return 'Outcome changed';
    default:
      return event satisfies never;
  }
}

const hostOf = ({ host }: Pick<WebhookAddress, 'host'>) => code(short(host, 80));

function stateWords(
  { offAt, failingSince, workedAt, heldUntil, ...address }: ShownAddress,
  at: number,
): Line {
  if (offAt !== undefined) return ['Switched off: it answered 410 (gone). Since: ', date(new Date(offAt))];
  if (failingSince === undefined) return [workedAt === undefined ? 'Not tried yet' : 'Working'];
  if (!isPaused({ ...address, failingSince }, at))
    return ['Failing, so the app tries again. Since: ', date(new Date(failingSince))];
  const next: Line = heldUntil === undefined ? [] : [' · Next try: ', date(new Date(heldUntil))];
  return ['Paused: it doesn’t accept anything. Since: ', date(new Date(failingSince)), ...next];
}

const setAsideWords = ({ setAside }: ShownAddress): Line =>
  setAside === 0 ? [] : [` · ${count(setAside, 'event')} set aside`];

const webhooksButton = button({
  text: 'Webhooks',
  actionId: HOME_ACTION.webhooks,
  value: 'webhooks',
  label: 'Webhooks of this workspace, for admins',
});

/** Home's section: where they go and how that goes. */
export function webhooksSection({ addresses, at }: WebhooksNow): readonly Part[] {
  const listed = addresses.map((address): Line => [
    hostOf(address),
    ': ',
    ...stateWords(address, at),
    ...setAsideWords(address),
  ]);
  const none: Line = ['Tell your helpdesk, Zapier, n8n or your own programs about sessions.'];
  return [lines(...(listed.length === 0 ? [none] : listed)), buttons(webhooksButton)];
}

function choicesLines({ events, filters, hasNames, addedBy, addedAt }: ShownAddress): readonly Line[] {
  const known = events.flatMap((event) => {
    const read = WebhookEvent.safeParse(event);
    return read.success ? [eventWords(read.data)] : [];
  });
  return [
    [`${known.join(', ')} · For `, ...filtersInWords(filters)],
    [hasNames ? 'With the customer’s name' : 'Without the customer’s name'],
    ['Added by ', user(addedBy), ', ', date(new Date(addedAt))],
  ];
}

const testButton = ({ id, host }: Pick<WebhookAddress, 'id' | 'host'>) =>
  button({
    text: 'Send a test',
    actionId: HOME_ACTION.testWebhook,
    value: id,
    label: `Send a test to ${short(host, 40)}`,
  });

function addressButtons(address: ShownAddress, at: number): Part {
  const { id, host, setAside, offAt } = address;
  const named = short(host, 40);
  const isHeld = offAt !== undefined || isPaused(address, at);
  return buttons(
    ...(isHeld
      ? [
          button({
            text: 'Retry',
            actionId: HOME_ACTION.resumeWebhook,
            value: id,
            label: `Retry ${named}`,
            style: 'primary',
          }),
        ]
      : []),
    testButton(address),
    ...(setAside === 0
      ? []
      : [
          button({
            text: 'Set aside',
            actionId: HOME_ACTION.setAsideWebhooks,
            value: id,
            label: `Set aside for ${named}: ${count(setAside, 'event')}`,
          }),
        ]),
    button({ text: 'Edit', actionId: HOME_ACTION.editWebhook, value: id, label: `Edit ${named}` }),
    button({
      text: 'New secret',
      actionId: HOME_ACTION.rotateWebhook,
      value: id,
      label: `New secret for ${named}`,
      confirm: {
        title: 'Make a new secret?',
        text: 'For a day, messages are signed with the new secret and the one before it. An older one stops working now.',
        yes: 'Make a new one',
        no: 'Cancel',
      },
    }),
    button({
      text: 'Remove',
      actionId: HOME_ACTION.removeWebhook,
      value: id,
      label: `Remove ${named}`,
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
  return message(
    ...(first === undefined ? [] : [first]),
    lines(['Only workspace admins see this.']),
    ...addresses.flatMap((address) => [
      lines(
        [bold(short(address.host, 80))],
        [...stateWords(address, at), ...setAsideWords(address)],
        ...choicesLines(address),
      ),
      addressButtons(address, at),
    ]),
    ...(addresses.length >= MOST_ADDRESSES
      ? [lines([`That’s all: a workspace can have ${MOST_ADDRESSES} addresses.`])]
      : [
          buttons(
            button({
              text: 'Add an address',
              actionId: HOME_ACTION.addWebhook,
              value: 'add',
              label: 'Add an address for webhooks',
            }),
          ),
        ]),
  );
}

/** The only time that a secret is shown. */
const secretParts = (secret: Secret): readonly Part[] => [
  lines(['Signing secret, shown only now:']),
  lines([code(secret.reveal())]),
  lines(['Copy it into the program that gets the messages, to check that they’re from this app.']),
];

export const addressAdded = (address: Pick<WebhookAddress, 'id' | 'host'>, secret: Secret): Message =>
  message(
    status('done', [['Added ', hostOf(address), '.']]),
    ...secretParts(secret),
    buttons(testButton(address)),
  );

export const secretRotated = (address: WebhookAddress, secret: Secret): Message =>
  message(
    status('done', [['New secret for ', hostOf(address), '. The old one works for one more day.']]),
    ...secretParts(secret),
  );

export const addressSaved = (address: WebhookAddress): Message => done(['Saved ', hostOf(address), '.']);

export const removedPart = (address: WebhookAddress): Part =>
  status('done', [['Removed ', hostOf(address), '. Nothing more is sent there.']]);

/** Where it was switched off, nothing waits for it. */
export const resumedPart = (address: WebhookAddress): Part =>
  address.offAt === undefined
    ? status('waiting', [['Trying ', hostOf(address), ' again now.']])
    : status('done', [['Switched ', hostOf(address), ' on again.']]);

export const noSuchAddress = problem(['This address is gone: it was removed. Nothing changed.']);

export const tooManyAddresses = problem(
  [`A workspace can have ${MOST_ADDRESSES} addresses.`],
  ['Remove one first.'],
);

export const addressChanged = problem(
  ['Somebody changed this address while your form was open, so your change wasn’t saved.'],
  ['To make your change, open the form again.'],
);

/** Nothing can be opened or sealed. */
export const keyMissing = problem(
  ['The app can’t read or store addresses and secrets: a key is missing from SECRET_KEYS.'],
  ['Ask whoever runs the app to put it back.'],
);

/** The app was installed again without the key that it was sealed with. */
export const addressUnreadable = problem(
  ['The app can’t read this address or its secret any more: it has lost the key for them.'],
  ['Remove the address and add it again.'],
);

/** Why nothing arrived, as a sentence. */
export function failedWords(reason: FailureReason): string {
  switch (reason) {
    case 'not_public':
      return 'The address isn’t a public one over https. Only whoever runs the app can allow it, in WEBHOOK_HOSTS.';
    case 'unknown_host':
      return 'There’s no such host.';
    case 'lookup_failed':
      return 'The host’s name couldn’t be looked up: no name server answered.';
    case 'connection_refused':
      return 'The host refused the connection.';
    case 'bad_certificate':
      return 'The host’s certificate isn’t valid.';
    case 'timed_out':
      return 'There was no answer within ten seconds.';
    case 'no_answer':
      return 'The connection broke off without an answer.';
    default:
      return reason satisfies never;
  }
}

/** What came of a test. The answer's text is anybody's. */
export function testResult(address: WebhookAddress, reply: WebhookReply): Message {
  if (reply.is === 'failed')
    return problem(['The test didn’t reach ', hostOf(address), '.'], [failedWords(reply.reason)]);
  const [kind, words]: readonly [Status, string] = isTaken(reply)
    ? ['done', `: it accepted the test (${reply.status}).`]
    : ['problem', `: it didn’t accept the test (${reply.status}).`];
  const text = short(reply.text, 200);
  return message(
    status(kind, [[hostOf(address), words]]),
    ...(text === '' ? [lines(['The answer was empty.'])] : [lines(['The answer begins:']), row([{ text }])]),
  );
}
