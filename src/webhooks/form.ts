import type { PlainTextOption } from '@slack/types';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import type { AdminForm } from '../admin/home-buttons.ts';
import { forAdmins } from '../admin/settings-list.ts';
import { isObviouslyNotPublic } from '../cobrowse/public-agent.ts';
import type { Viewer } from '../commands/rights.ts';
import type { Filled } from '../commands/command.ts';
import { WEBHOOK_FORM as FORM } from '../messages/action-ids.ts';
import { field, type UserGroup } from '../commands/inputs.ts';
import { plain } from '../messages/text.ts';
import { message, status } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedForm } from '../messages/failure-words.ts';
import { filterComplaints, filterFields, filtersIn, withHandles } from '../subscriptions/filter-fields.ts';
import type { AddressChoices, WebhookAddresses } from './addresses.ts';
import { WEBHOOK_EVENTS } from './bodies.ts';
import {
  addressAdded,
  addressChanged,
  addressSaved,
  eventWords,
  keyMissing,
  noSuchAddress,
  tooManyAddresses,
} from './messages.ts';
import { createWebhookSecret } from './sign.ts';

const LONGEST = 1_000;

const EVENTS = WEBHOOK_EVENTS.map((event): PlainTextOption => ({
  text: plain(eventWords(event)),
  value: event,
}));
const NAMES: PlainTextOption = { text: plain('Send the customer’s name'), value: FORM.withNames };

const NO_ADDRESS = 'Enter the whole address, beginning with https://.';
const NO_USER = 'Leave out the user name and password. Messages are signed instead.';
const TOO_LONG = `An address can have at most ${LONGEST.toLocaleString('en-US')} characters.`;
const NO_EVENT = 'Choose at least one event.';
const NOT_PUBLIC =
  'This has to be a public https address. Only whoever runs the app can allow another, in WEBHOOK_HOSTS.';
const DUPLICATE = 'This address has been added already.';

const addressIn = (filled: Filled): string => filled[FORM.addressBlock]?.[0]?.trim() ?? '';

/** What is wrong with an address, whoever adds it. */
function addressComplaint(text: string): string | undefined {
  if (text.length > LONGEST) return TOO_LONG;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return NO_ADDRESS;
  return url.username === '' && url.password === '' ? undefined : NO_USER;
}

const eventsIn = (filled: Filled) =>
  WEBHOOK_EVENTS.filter((event) => filled[FORM.eventsBlock]?.includes(event) === true);

const choicesComplaints = (filled: Filled) => ({
  ...(eventsIn(filled).length === 0 ? { [FORM.eventsBlock]: NO_EVENT } : {}),
  ...filterComplaints(filled),
});

/** Groups without their names. */
const choicesIn = (filled: Filled): AddressChoices => ({
  events: eventsIn(filled),
  filters: filtersIn(filled),
  hasNames: filled[FORM.namesBlock]?.[0] === FORM.withNames,
});

function choiceFields(
  chosen: AddressChoices | undefined,
  groups: readonly UserGroup[] | undefined,
): FormContent['blocks'] {
  const events =
    chosen === undefined ? EVENTS : EVENTS.filter(({ value }) => chosen.events.includes(value ?? ''));
  return [
    field({
      block: FORM.eventsBlock,
      label: 'Events',
      element: {
        type: 'checkboxes',
        action_id: FORM.input,
        options: EVENTS,
        ...(events.length === 0 ? {} : { initial_options: events }),
      },
    }),
    ...filterFields(chosen?.filters, groups),
    field({
      block: FORM.namesBlock,
      label: 'Personal details',
      hint: 'Otherwise messages only have the customer’s ID.',
      optional: true,
      element: {
        type: 'checkboxes',
        action_id: FORM.input,
        options: [NAMES],
        ...(chosen?.hasNames === true ? { initial_options: [NAMES] } : {}),
      },
    }),
  ];
}

/** The audit entry of what was chosen: the host, and nothing else of the address. */
export const choicesEntry = (
  outcome: 'added' | 'changed',
  { workspaceId, userId }: Viewer,
  { host, events, hasNames }: Pick<AddressChoices, 'events' | 'hasNames'> & { readonly host: string },
): NewEntry => ({
  workspaceId,
  userId,
  action: 'webhook',
  outcome,
  detail: { host, events: events.join(' '), names: hasNames },
});

interface FormParts {
  readonly addresses: Pick<WebhookAddresses, 'list' | 'one' | 'open' | 'isSealable' | 'add' | 'change'>;
  /** Hosts that may be private or plain http for a workspace. */
  readonly hostsFor: (workspaceId: string) => readonly string[];
  /** The user groups to choose from; undefined if Slack doesn't list them. Never rejects. */
  readonly groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>;
  /** An audit entry as a statement. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
}

/** The form that adds an address, and says its secret once. */
export function createAddForm({ addresses, hostsFor, groupsOf, prepare }: FormParts): AdminForm {
  async function form(typed: string, chosen?: AddressChoices, workspaceId = ''): Promise<FormContent> {
    return {
      submit: 'Add',
      blocks: [
        field({
          block: FORM.addressBlock,
          label: 'Address',
          hint: 'Where messages are sent, such as https://hooks.example.com/co-browsing. It’s stored encrypted.',
          element: {
            type: 'plain_text_input',
            action_id: FORM.input,
            max_length: LONGEST,
            ...(typed === '' ? {} : { initial_value: typed.slice(0, LONGEST) }),
          },
        }),
        ...choiceFields(chosen, await groupsOf(workspaceId)),
      ],
    };
  }

  async function isKnown(workspaceId: string, url: URL): Promise<boolean> {
    const all = await addresses.list(workspaceId);
    const sameHost = all.filter(({ host }) => host === url.host);
    const opened = await Promise.all(sameHost.map((one) => addresses.open(one)));
    return opened.some((one) => one?.url?.reveal() === url.href);
  }

  return {
    callbackId: FORM.addCallbackId,
    title: 'Webhooks',
    right: () => forAdmins('webhooks'),
    async open({ workspaceId }) {
      return { title: 'Add a webhook', form: await form('', undefined, workspaceId), seen: '' };
    },
    complaints(filled) {
      const wrong = addressComplaint(addressIn(filled));
      return {
        ...(wrong === undefined ? {} : { [FORM.addressBlock]: wrong }),
        ...choicesComplaints(filled),
      };
    },
    async save({ workspaceId, userId }, filled) {
      const typed = addressIn(filled);
      const url = URL.parse(typed);
      if (url === null) return outdatedForm;
      // Never sent, so two that differ in it are the same.
      url.hash = '';
      const choices = choicesIn(filled);
      if (!(await addresses.isSealable(workspaceId))) return keyMissing;
      const isPublic = !isObviouslyNotPublic(url, hostsFor(workspaceId));
      const wrong = !isPublic ? NOT_PUBLIC : (await isKnown(workspaceId, url)) ? DUPLICATE : undefined;
      if (wrong !== undefined) {
        const { blocks, ...again } = await form(typed, choices, workspaceId);
        return {
          complaints: { [FORM.addressBlock]: wrong },
          again: { ...again, blocks: [...message(status('problem', [[wrong]])).blocks, ...blocks] },
        };
      }
      const filters = await withHandles(choices.filters, () => groupsOf(workspaceId));
      const secret = createWebhookSecret();
      const by = { workspaceId, userId };
      const entry = () => prepare(choicesEntry('added', by, { ...choices, host: url.host }));
      const added = await addresses.add(by, { ...choices, filters, url, secret }, entry);
      return added === undefined ? tooManyAddresses : addressAdded({ id: added, host: url.host }, secret);
    },
  };
}

/** The form that changes what an address is told of. Its value is the address's id. */
export function createEditForm({ addresses, groupsOf, prepare }: FormParts): AdminForm {
  return {
    callbackId: FORM.editCallbackId,
    title: 'Webhooks',
    right: () => forAdmins('webhooks'),
    async open({ workspaceId }, id) {
      const address = await addresses.one({ workspaceId, id });
      if (address === undefined) return { refused: noSuchAddress };
      const blocks = choiceFields(address, await groupsOf(workspaceId));
      return {
        title: 'Edit webhook',
        form: { submit: 'Save', blocks },
        seen: String(address.version),
      };
    },
    complaints: choicesComplaints,
    async save({ workspaceId, userId }, filled, id, seen) {
      const address = await addresses.one({ workspaceId, id });
      if (address === undefined) return noSuchAddress;
      const choices = choicesIn(filled);
      const filters = await withHandles(choices.filters, () => groupsOf(workspaceId));
      const by = { workspaceId, userId };
      const entry = prepare(choicesEntry('changed', by, { ...choices, host: address.host }));
      const isSaved = await addresses.change(address, { ...choices, filters }, Number(seen), entry);
      return isSaved ? { saved: addressSaved(address) } : addressChanged;
    },
  };
}
