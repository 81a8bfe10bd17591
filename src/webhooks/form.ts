import type { KnownBlock } from '@slack/types';
import type { NewEntry } from '../audit/audit.ts';
import type { AdminForm } from '../admin/home-buttons.ts';
import { isObviouslyNotPublic } from '../cobrowse/public-agent.ts';
import type { Complaints, Filled } from '../commands/command.ts';
import { inputs, type UserGroup } from '../commands/inputs.ts';
import type { Viewer } from '../commands/rights.ts';
import { unsaved, type FormContent } from '../messages/modal.ts';
import { outdatedForm } from '../messages/failure-words.ts';
import type { App } from '../parts.ts';
import { filterComplaints, filterFields, filtersIn, withHandles } from '../subscriptions/filter-fields.ts';
import type { AddressChoices, WebhookAddresses } from './addresses.ts';
import { WEBHOOK_EVENTS } from './bodies.ts';
import {
  EVENT_WORDS,
  addressAdded,
  addressChanged,
  addressSaved,
  keyMissing,
  noSuchAddress,
  tooManyAddresses,
} from './messages.ts';
import { createWebhookSecret } from './sign.ts';

const LONGEST = 1_000;

const addressInput = inputs.text('address', 'Address', {
  hint: 'Where messages are sent, such as https://hooks.example.com/co-browsing. It’s stored encrypted.',
  most: LONGEST,
});
const eventsInput = inputs.checkboxes(
  'events',
  'Events',
  WEBHOOK_EVENTS.map((event) => [event, EVENT_WORDS[event]]),
);
const namesInput = inputs.checkboxes('names', 'Personal details', [['names', 'Send the customer’s name']], {
  hint: 'Otherwise messages only have the customer’s ID.',
  optional: true,
});

const NO_ADDRESS = 'Enter the whole address, beginning with https://.';
const NO_USER = 'Leave out the user name and password. Messages are signed instead.';
const TOO_LONG = `An address can have at most ${LONGEST.toLocaleString('en-US')} characters.`;
const NO_EVENT = 'Choose at least one event.';
const NOT_PUBLIC =
  'This has to be a public https address. Only whoever runs the app can allow another, in WEBHOOK_HOSTS.';
const DUPLICATE = 'This address has been added already.';

function addressComplaint(text: string): string | undefined {
  if (text.length > LONGEST) return TOO_LONG;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return NO_ADDRESS;
  return url.username === '' && url.password === '' ? undefined : NO_USER;
}

const choicesComplaints = (filled: Filled): Complaints => ({
  [eventsInput.block]: eventsInput.read(filled).length === 0 && NO_EVENT,
  ...filterComplaints(filled),
});

/** Groups without their names. */
const choicesIn = (filled: Filled): AddressChoices => ({
  events: eventsInput.read(filled),
  filters: filtersIn(filled),
  hasNames: namesInput.read(filled).length > 0,
});

const choiceFields = (
  chosen: AddressChoices | undefined,
  groups: readonly UserGroup[] | undefined,
): readonly KnownBlock[] => [
  eventsInput.show(WEBHOOK_EVENTS.filter((event) => chosen?.events.includes(event) ?? true)),
  ...filterFields(chosen?.filters, groups),
  namesInput.show(chosen?.hasNames === true ? ['names'] : []),
];

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

type FormApp = Pick<App, 'groupsOf' | 'prepare'>;

/** Adds an address and shows its secret once. @param hostsFor hosts that may be private or plain http for a workspace */
export function createAddForm(
  { groupsOf, prepare }: FormApp,
  addresses: Pick<WebhookAddresses, 'list' | 'open' | 'isSealable' | 'add'>,
  hostsFor: (workspaceId: string) => readonly string[],
): AdminForm {
  const form = async (workspaceId: string, typed = '', chosen?: AddressChoices): Promise<FormContent> => ({
    submit: 'Add',
    blocks: [addressInput.show(typed), ...choiceFields(chosen, await groupsOf(workspaceId))],
  });

  async function isKnown(workspaceId: string, url: URL): Promise<boolean> {
    const all = await addresses.list(workspaceId);
    const sameHost = all.filter(({ host }) => host === url.host);
    const opened = await Promise.all(sameHost.map((one) => addresses.open(one)));
    return opened.some((one) => one?.url?.reveal() === url.href);
  }

  return {
    callbackId: 'home_add_webhook_form',
    title: 'Webhooks',
    act: () => 'webhooks',
    async open({ workspaceId }) {
      return { title: 'Add a webhook', ...(await form(workspaceId)) };
    },
    complaints: (filled) => ({
      [addressInput.block]: addressComplaint(addressInput.read(filled)),
      ...choicesComplaints(filled),
    }),
    async save(by, filled) {
      const { workspaceId } = by;
      const typed = addressInput.read(filled);
      const url = URL.parse(typed);
      if (url === null) return outdatedForm;
      // Never sent, so two that differ in it are the same.
      url.hash = '';
      const choices = choicesIn(filled);
      if (!(await addresses.isSealable(workspaceId))) return keyMissing;
      const isPublic = !isObviouslyNotPublic(url, hostsFor(workspaceId));
      const wrong = !isPublic ? NOT_PUBLIC : (await isKnown(workspaceId, url)) ? DUPLICATE : undefined;
      if (wrong !== undefined)
        return unsaved(await form(workspaceId, typed, choices), addressInput.block, wrong);
      const filters = await withHandles(choices.filters, () => groupsOf(workspaceId));
      const secret = createWebhookSecret();
      const entry = () => prepare(choicesEntry('added', by, { ...choices, host: url.host }));
      const added = await addresses.add(by, { ...choices, filters, url, secret }, entry);
      return added === undefined ? tooManyAddresses : addressAdded({ id: added, host: url.host }, secret);
    },
  };
}

/** The form that changes what an address is told of. Its value is the address's id. */
export function createEditForm(
  { groupsOf, prepare }: FormApp,
  addresses: Pick<WebhookAddresses, 'one' | 'change'>,
): AdminForm {
  return {
    callbackId: 'home_edit_webhook_form',
    title: 'Webhooks',
    act: () => 'webhooks',
    async open({ workspaceId }, id) {
      const address = await addresses.one({ workspaceId, id });
      if (address === undefined) return noSuchAddress;
      const blocks = choiceFields(address, await groupsOf(workspaceId));
      return { title: 'Edit webhook', submit: 'Save', blocks, seen: String(address.version) };
    },
    complaints: choicesComplaints,
    async save(by, filled, id, seen) {
      const { workspaceId } = by;
      const address = await addresses.one({ workspaceId, id });
      if (address === undefined) return noSuchAddress;
      const choices = choicesIn(filled);
      const filters = await withHandles(choices.filters, () => groupsOf(workspaceId));
      const entry = prepare(choicesEntry('changed', by, { ...choices, host: address.host }));
      const isSaved = await addresses.change(address, { ...choices, filters }, Number(seen), entry);
      return isSaved ? { saved: addressSaved(address) } : addressChanged;
    },
  };
}
