import { randomUUID } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { acting, forAdmins, openedBy, together, type AdminForm } from '../admin/home-buttons.ts';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import { isObviouslyNotPublic } from '../cobrowse/public-agent.ts';
import type { Filled } from '../commands/command.ts';
import { inputs, type UserGroup } from '../commands/inputs.ts';
import { Answered, type Viewer } from '../commands/rights.ts';
import { outdatedForm } from '../messages/failure-words.ts';
import type { Message, Part } from '../messages/message.ts';
import { unsaved, type FormContent } from '../messages/modal.ts';
import type { App } from '../parts.ts';
import { filterComplaints, filterFields, filtersIn } from '../subscriptions/filter-fields.ts';
import type { AddressChoices, WebhookAddress, WebhookAddresses } from './addresses.ts';
import { testBody, WEBHOOK_EVENTS } from './bodies.ts';
import {
  addressAdded,
  addressChanged,
  addressSaved,
  EVENT_WORDS,
  keyMissing,
  noSuchAddress,
  removedPart,
  resumedPart,
  secretRotated,
  testResult,
  tooManyAddresses,
  webhooksMenu,
  type WebhooksNow,
} from './messages.ts';
import { isTaken, type WebhookSender } from './send.ts';
import { countSetAside, createSetAsideSurface } from './set-aside.ts';
import { createWebhookSecret } from './sign.ts';

/** An audit entry: the host, and nothing else of the address. */
export const entryOf = (
  { workspaceId, userId }: Viewer,
  outcome: string,
  host: string,
  chosen?: Pick<AddressChoices, 'events' | 'hasNames'>,
): NewEntry => ({
  workspaceId,
  userId,
  action: 'webhook',
  outcome,
  detail: { host, ...(chosen && { events: chosen.events.join(' '), names: chosen.hasNames }) },
});

const addressInput = inputs.text('address', 'Address', {
  hint: 'Where messages are sent, such as https://hooks.example.com/co-browsing. It’s stored encrypted.',
  most: 1_000,
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

const NOT_PUBLIC =
  'This has to be a public https address. Only whoever runs the app can allow another, in WEBHOOK_HOSTS.';

function addressComplaint(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'Enter the whole address, beginning with https://.';
  return url.username === '' && url.password === ''
    ? undefined
    : 'Leave out the user name and password. Messages are signed instead.';
}

const choicesIn = async (
  { groupsOf }: Pick<App, 'groupsOf'>,
  { workspaceId }: Viewer,
  filled: Filled,
): Promise<AddressChoices> => ({
  events: eventsInput.read(filled),
  filters: await filtersIn(filled, () => groupsOf(workspaceId)),
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

type HomeApp = Pick<App, 'database' | 'groupsOf' | 'prepare' | 'record' | 'now'>;

/** Rejects with an Answered where it was removed. */
const addressFinder =
  ({ one }: Pick<WebhookAddresses, 'one'>) =>
  async ({ workspaceId }: Viewer, id: string): Promise<WebhookAddress> => {
    const address = await one({ workspaceId, id });
    if (address === undefined) throw new Answered(noSuchAddress);
    return address;
  };

interface Own {
  readonly addresses: WebhookAddresses;
  readonly sender: Pick<WebhookSender, 'send'>;
  /** Hosts that may be private or plain http for a workspace. */
  readonly hostsFor: (workspaceId: string) => readonly string[];
  readonly wakeAll: () => void;
}

/** Adds an address and shows its secret once. */
function createAddForm(app: HomeApp, { addresses, hostsFor }: Own): AdminForm {
  const form = async (workspaceId: string, typed = '', chosen?: AddressChoices): Promise<FormContent> => ({
    title: 'Add a webhook',
    submit: 'Add',
    blocks: [addressInput.show(typed), ...choiceFields(chosen, await app.groupsOf(workspaceId))],
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
    open: ({ workspaceId }) => form(workspaceId),
    complaints: (filled) => ({
      [addressInput.block]: addressComplaint(addressInput.read(filled)),
      ...filterComplaints(filled),
    }),
    async save(by, filled) {
      const { workspaceId } = by;
      const typed = addressInput.read(filled);
      const url = URL.parse(typed);
      if (url === null) return outdatedForm;
      // Never sent, so two that differ in it are the same.
      url.hash = '';
      const choices = await choicesIn(app, by, filled);
      if (!(await addresses.isSealable(workspaceId))) return keyMissing;
      const refused = async (words: string) =>
        unsaved(await form(workspaceId, typed, choices), addressInput.block, words);
      if (isObviouslyNotPublic(url, hostsFor(workspaceId))) return refused(NOT_PUBLIC);
      if (await isKnown(workspaceId, url)) return refused('This address has been added already.');
      const secret = createWebhookSecret();
      const entry = app.prepare(entryOf(by, 'added', url.host, choices));
      const id = await addresses.add(by, { ...choices, url, secret }, entry);
      return id === undefined ? tooManyAddresses : addressAdded({ id, host: url.host }, secret);
    },
  };
}

/** Changes what an address is told of. The button's value is the address's id. */
function createEditForm(app: HomeApp, { addresses }: Own): AdminForm {
  const addressOf = addressFinder(addresses);
  return {
    callbackId: 'home_edit_webhook_form',
    title: 'Webhooks',
    act: () => 'webhooks',
    async open(viewer, id) {
      const address = await addressOf(viewer, id);
      const blocks = choiceFields(address, await app.groupsOf(viewer.workspaceId));
      return { title: 'Edit webhook', submit: 'Save', blocks, seen: String(address.version) };
    },
    complaints: filterComplaints,
    async save(by, filled, id, seen) {
      const address = await addressOf(by, id);
      const choices = await choicesIn(app, by, filled);
      const entry = app.prepare(entryOf(by, 'changed', address.host, choices));
      const isSaved = await addresses.change(address, choices, Number(seen), entry);
      return isSaved ? { saved: addressSaved(address) } : addressChanged;
    },
  };
}

/** What a workspace's admins see and do about its webhooks: Home's section, its buttons and forms. */
export function createWebhooksAtHome(app: HomeApp, own: Own) {
  const { prepare, record, now } = app;
  const { addresses, sender, wakeAll } = own;
  const addressOf = addressFinder(addresses);

  async function of(workspaceId: string): Promise<WebhooksNow> {
    const [all, counts] = await Promise.all([addresses.list(workspaceId), countSetAside(app, workspaceId)]);
    const shown = all.map((address) => ({ ...address, setAside: counts.get(address.id) ?? 0 }));
    return { addresses: shown, at: now() };
  }

  const menu = async (workspaceId: string, first?: Part) => webhooksMenu(await of(workspaceId), first);

  async function test(viewer: Viewer, addressId: string): Promise<Message> {
    const { workspaceId } = viewer;
    const address = await addressOf(viewer, addressId);
    const { url, secrets } = (await addresses.open(address)) ?? {};
    if (url === undefined || secrets === undefined) return keyMissing;
    const body = JSON.stringify(testBody(workspaceId, now()));
    const id = `test-${randomUUID()}`;
    const reply = await sender.send({ workspaceId, url: url.reveal(), id, body, secrets });
    if (isTaken(reply)) await addresses.worked(address);
    await record(entryOf(viewer, 'tested', address.host));
    return testResult(address, reply);
  }

  type Change = (address: WebhookAddress, entry: PreparedEntry) => Promise<boolean>;

  /** Changes one, with its entry. @throws Answered where it's gone */
  async function changed(viewer: Viewer, id: string, outcome: string, change: Change) {
    const address = await addressOf(viewer, id);
    if (!(await change(address, prepare(entryOf(viewer, outcome, address.host)))))
      throw new Answered(noSuchAddress);
    return address;
  }

  async function rotate(viewer: Viewer, id: string): Promise<Message> {
    if (!(await addresses.isSealable(viewer.workspaceId))) return keyMissing;
    const secret = createWebhookSecret();
    const rotated = await changed(viewer, id, 'rotated', (address, entry) =>
      addresses.rotate(address, secret, entry),
    );
    return secretRotated(rotated, secret);
  }

  async function remove(viewer: Viewer, id: string): Promise<Message> {
    const address = await changed(viewer, id, 'removed', addresses.remove);
    return menu(viewer.workspaceId, removedPart(address));
  }

  async function retry(viewer: Viewer, id: string): Promise<Message> {
    const address = await changed(viewer, id, 'resumed', addresses.resume);
    wakeAll();
    return menu(viewer.workspaceId, resumedPart(address));
  }

  const right = forAdmins('webhooks');
  const surface = together(
    acting('home_webhooks', 'Webhooks', right, ({ workspaceId }) => menu(workspaceId)),
    openedBy('home_add_webhook', createAddForm(app, own)),
    openedBy('home_edit_webhook', createEditForm(app, own)),
    acting('home_test_webhook', 'Send a test', right, test),
    acting('home_rotate_webhook', 'New secret', right, rotate),
    acting('home_remove_webhook', 'Webhooks', right, remove, { answer: 'replace' }),
    acting('home_resume_webhook', 'Webhooks', right, retry, { answer: 'replace' }),
    createSetAsideSurface(app, addressOf, wakeAll),
  );
  return { of, surface };
}
