import type { KnownBlock, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import type { Viewer } from '../commands/caller.ts';
import type { Filled } from '../commands/form.ts';
import { bareAddress } from '../cobrowse/watch-link.ts';
import { isObviouslyNotPublic } from '../cobrowse/public-agent.ts';
import { NOT_PUBLIC } from '../cobrowse/errors.ts';
import { ACCOUNT_FORM, SUMMARY_CHANNEL_FORM } from '../messages/action-ids.ts';
import { cobrowseFailureWords } from '../messages/failure-words.ts';
import { field, plain } from '../messages/form-fields.ts';
import { message, problem, status, type Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedButton } from '../messages/refusals.ts';
import { Secret } from '../workspaces/data-keys.ts';
import type { NewAccount, OwnAccount, Reachable } from '../workspaces/service-accounts.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import type { AccountProblem } from '../workspaces/try-account.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import {
  accountDisconnected,
  accountNotSaved,
  accountSaved,
  alreadyDisconnected,
  summaryChannelSaved,
  type AccountNow,
} from './account-section.ts';
import type { AdminForm } from './home-buttons.ts';
import { adminsOnly, forAdmins } from './settings-list.ts';
import { whoChanged } from './rule-list.ts';

const FORM = ACCOUNT_FORM;
const LONGEST = 500;

const KINDS = [
  { text: plain('Cloud'), value: FORM.cloud },
  { text: plain('On-premise, connected to the vendor’s dashboard'), value: FORM.connected },
  { text: plain('On-premise, with license tokens from the cloud'), value: FORM.onPremise },
] as const satisfies readonly PlainTextOption[];

/** What is typed into the form, without the keys. */
interface Typed {
  readonly kind: string;
  readonly address: string;
  readonly cloudAddress: string;
}

type Complaints = Readonly<Record<string, string>>;

/** A key is never shown again. */
const textField = (value = '') =>
  ({
    type: 'plain_text_input',
    action_id: FORM.input,
    max_length: LONGEST,
    ...(value === '' ? {} : { initial_value: value }),
  }) as const;

/** @param complaints what was wrong with it, where Slack can't show that beside the fields any more */
function accountForm(typed: Typed, complaints: Complaints = {}): FormContent {
  const chosen = KINDS.find(({ value }) => value === typed.kind) ?? KINDS[0];
  const withComplaint = (given: Parameters<typeof field>[0]): readonly KnownBlock[] => {
    const complaint = complaints[given.block];
    const said = complaint === undefined ? [] : message(status('problem', [[complaint]])).blocks;
    return [field(given), ...said];
  };
  return {
    submit: 'Connect',
    blocks: [
      ...withComplaint({
        block: FORM.kindBlock,
        label: 'Where the service runs',
        element: {
          type: 'radio_buttons',
          action_id: FORM.input,
          options: [...KINDS],
          initial_option: chosen,
        },
      }),
      ...withComplaint({
        block: FORM.addressBlock,
        label: 'Address',
        hint: 'Of the API, beginning with https://. On-premise, the BASE_ENDPOINT.',
        element: textField(typed.address.slice(0, LONGEST)),
      }),
      ...withComplaint({
        block: FORM.keyBlock,
        label: 'API key',
        hint: 'On-premise, the REST_KEY. It’s stored encrypted and never shown again.',
        element: textField(),
      }),
      ...withComplaint({
        block: FORM.cloudAddressBlock,
        label: 'Cloud address',
        hint: 'Only on-premise: of your account in the cloud, for license tokens, agents and usage.',
        optional: true,
        element: textField(typed.cloudAddress.slice(0, LONGEST)),
      }),
      ...withComplaint({
        block: FORM.cloudKeyBlock,
        label: 'Cloud API key',
        hint: 'Only on-premise.',
        optional: true,
        element: textField(),
      }),
    ],
  };
}

const typedIn = (filled: Filled, block: string): string => filled[block]?.[0]?.trim() ?? '';

const typedOf = (filled: Filled): Typed => ({
  kind: typedIn(filled, FORM.kindBlock),
  address: typedIn(filled, FORM.addressBlock),
  cloudAddress: typedIn(filled, FORM.cloudAddressBlock),
});

const NO_ADDRESS = 'Enter the whole address, beginning with https://, without a query or a user name.';
const NO_PUBLIC =
  'This has to be a public https address. Only whoever runs the app can allow another, in COBROWSE_HOSTS.';
const NO_KEY = 'A key is one word, without spaces.';

function addressComplaint(text: string, hosts: readonly string[]): string | undefined {
  const url = bareAddress(text)?.url;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return NO_ADDRESS;
  return isObviouslyNotPublic(url, hosts) ? NO_PUBLIC : undefined;
}

const keyComplaint = (text: string): string | undefined => (/^[\x21-\x7e]+$/.test(text) ? undefined : NO_KEY);

/** What is wrong with the form, by block; empty if nothing is. */
function complaintsIn(filled: Filled, hosts: readonly string[]): Complaints {
  const { kind, address, cloudAddress } = typedOf(filled);
  const cloudKey = typedIn(filled, FORM.cloudKeyBlock);
  const hasCloud = kind !== FORM.cloud && (cloudAddress !== '' || cloudKey !== '');
  const found = {
    [FORM.kindBlock]: KINDS.some(({ value }) => value === kind) ? undefined : 'Choose one.',
    [FORM.addressBlock]: addressComplaint(address, hosts),
    [FORM.keyBlock]: keyComplaint(typedIn(filled, FORM.keyBlock)),
    ...(hasCloud || kind === FORM.onPremise
      ? {
          [FORM.cloudAddressBlock]: addressComplaint(cloudAddress, hosts),
          [FORM.cloudKeyBlock]: keyComplaint(cloudKey),
        }
      : {}),
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([block, words]) => (words === undefined ? [] : [[block, words] as const])),
  );
}

function reachable(address: string, key: string): Reachable {
  const bare = bareAddress(address);
  return { address: bare === undefined ? address : bare.url.origin + bare.path, key: new Secret(key) };
}

/** The account in a form without complaints. */
function accountIn(filled: Filled): NewAccount {
  const { kind, address, cloudAddress } = typedOf(filled);
  const isCloud = kind === FORM.cloud;
  return {
    ...reachable(address, typedIn(filled, FORM.keyBlock)),
    kind: isCloud ? 'cloud' : 'on-premise',
    connected: kind === FORM.connected,
    cloud:
      isCloud || cloudAddress === ''
        ? undefined
        : reachable(cloudAddress, typedIn(filled, FORM.cloudKeyBlock)),
  };
}

/** What the service answered, beside the field that it's about. */
function complaintOf({ of, error }: AccountProblem): readonly [block: string, words: string] {
  const { kind, code } = error;
  const [addressBlock, keyBlock] =
    of === 'service' ? [FORM.addressBlock, FORM.keyBlock] : [FORM.cloudAddressBlock, FORM.cloudKeyBlock];
  if (code === NOT_PUBLIC) return [addressBlock, NO_PUBLIC];
  switch (kind) {
    case 'refused-key':
      return [keyBlock, `The service refused this key${code === undefined ? '' : ` and said “${code}”`}.`];
    case 'unreachable':
      return [addressBlock, 'The app can’t reach this address.'];
    case 'timed-out':
      return [addressBlock, 'The service didn’t answer in time. Try again in a minute.'];
    case 'not-understood':
      return [addressBlock, 'No co-browsing service answers at this address.'];
    default: {
      const { text, next } = cobrowseFailureWords(error);
      return [addressBlock, `${text} ${next}`];
    }
  }
}

/** What the admins of a workspace connect, where there are many. */
export interface OwnAccounts {
  readonly of: (workspaceId: string) => Promise<OwnAccount>;
  readonly change: (
    by: Viewer,
    next: NewAccount | undefined,
    version: number,
  ) => Promise<'changed' | { readonly by: string }>;
  readonly tryOut: (workspaceId: string, account: NewAccount) => Promise<readonly AccountProblem[]>;
  /** The address that the form suggests. */
  readonly suggestedAddress: string | undefined;
  /** Hosts that may be private or plain http. */
  readonly serviceHosts: readonly string[];
}

/** The account of a workspace, in the Home tab. */
export interface AdminAccount {
  readonly now: (workspaceId: string) => Promise<AccountNow>;
  readonly form: AdminForm;
  readonly summaryChannelForm: AdminForm;
  /** @param version of what the button was shown with */
  readonly disconnect: (viewer: Viewer, version: string) => Promise<Message>;
}

const Version = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

export function createAdminAccount({
  accounts,
  settings,
  workspaceOf,
  isAdmin,
}: {
  readonly accounts: OwnAccounts;
  readonly settings: SettingsRepository;
  readonly workspaceOf: (workspaceId: string) => Promise<Workspace>;
  /** Rejects if Slack can't be asked. */
  readonly isAdmin: (who: Viewer) => Promise<boolean>;
}): AdminAccount {
  const { suggestedAddress = '', serviceHosts } = accounts;

  async function now(workspaceId: string): Promise<AccountNow> {
    const [own, workspace] = await Promise.all([accounts.of(workspaceId), workspaceOf(workspaceId)]);
    const { summaryChannel } = await workspace.settings();
    const isServed = workspace.ownAccountId === undefined && workspace.cobrowse.isConnected;
    return { own, isServed, summaryChannel };
  }

  return {
    now,
    form: {
      callbackId: FORM.callbackId,
      busy: 'Asking the co-browsing service…',
      right: () => forAdmins('service-account'),
      async open({ workspaceId }) {
        const { account, version } = await accounts.of(workspaceId);
        const kind = account?.connected === true ? FORM.connected : (account?.kind ?? FORM.cloud);
        const address = account?.address ?? suggestedAddress;
        const form = accountForm({ kind, address, cloudAddress: account?.cloud?.address ?? '' });
        return { title: 'Co-browsing account', form, seen: String(version) };
      },
      complaints: (filled) => complaintsIn(filled, serviceHosts),
      async save(viewer, filled, _about, seen) {
        const account = accountIn(filled);
        const problems = await accounts.tryOut(viewer.workspaceId, account);
        if (problems.length > 0) {
          const complaints = Object.fromEntries(problems.map(complaintOf));
          return { complaints, again: accountForm(typedOf(filled), complaints) };
        }
        // Asking may have taken a while.
        if (!(await isAdmin(viewer))) return adminsOnly();
        const version = Version.safeParse(seen).data ?? (await accounts.of(viewer.workspaceId)).version;
        const outcome = await accounts.change(viewer, account, version);
        return outcome === 'changed' ? { saved: accountSaved } : accountNotSaved(outcome.by);
      },
    },
    summaryChannelForm: {
      callbackId: SUMMARY_CHANNEL_FORM.callbackId,
      right: () => forAdmins('summary-channel'),
      async open({ workspaceId }) {
        const { settings: own, kept } = await settings.read(workspaceId);
        return {
          title: 'Summary channel',
          form: summaryChannelForm(own.summaryChannel),
          seen: String(kept('summaryChannel').version),
        };
      },
      complaints: () => ({}),
      async save(viewer, filled, _about, seen) {
        const to = filled[SUMMARY_CHANNEL_FORM.channelBlock]?.[0];
        const { settings: own, kept } = await settings.read(viewer.workspaceId);
        const { summaryChannel: from } = own;
        const version = Version.safeParse(seen).data ?? kept('summaryChannel').version;
        const recorded =
          from === to ? {} : { recorded: { setting: 'summaryChannel', from: from ?? null, to: to ?? null } };
        const change = { name: 'summaryChannel', value: to ?? null, version, ...recorded };
        const outcome = await settings.change(viewer, change);
        if (outcome === 'changed') return { saved: summaryChannelSaved(to) };
        return problem(
          [whoChanged(outcome.by), ' changed this while your form was open, so your change wasn’t saved.'],
          ['To make your change, open the form again in the Home tab.'],
        );
      },
    },
    async disconnect(viewer, value) {
      const { data: version } = Version.safeParse(value);
      if (version === undefined) return outdatedButton;
      const { account } = await accounts.of(viewer.workspaceId);
      if (account === undefined) return alreadyDisconnected;
      const outcome = await accounts.change(viewer, undefined, version);
      if (outcome !== 'changed') return accountNotSaved(outcome.by);
      return accountDisconnected(await now(viewer.workspaceId));
    },
  };
}

function summaryChannelForm(channelId: string | undefined): FormContent {
  return {
    submit: 'Save',
    blocks: [
      field({
        block: SUMMARY_CHANNEL_FORM.channelBlock,
        label: 'Summary channel',
        hint: 'For sessions started outside a channel. If empty, the agent gets a direct message. Invite the app to the channel.',
        optional: true,
        element: {
          type: 'conversations_select',
          action_id: SUMMARY_CHANNEL_FORM.input,
          placeholder: plain('Choose a channel'),
          filter: { include: ['public', 'private'], exclude_bot_users: true },
          initial_conversation: channelId,
        },
      }),
    ],
  };
}
