import type { Viewer } from '../commands/rights.ts';
import type { Complaints, Filled } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { bareAddress } from '../cobrowse/watch-link.ts';
import { NOT_PUBLIC, type CobrowseErrorKind } from '../cobrowse/errors.ts';
import { connectButton, cobrowseFailureWords } from '../messages/failure-words.ts';
import {
  button,
  buttons,
  done,
  lines,
  notice,
  problem,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { bold, channel, code, say, time, user } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { Secret } from '../workspaces/data-keys.ts';
import type {
  NewAccount,
  OwnAccount,
  Reachable,
  ServiceAccount,
  AccountProblem,
} from '../workspaces/service-accounts.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { acting, adminsOnly, forAdmins, openedBy, together, type AdminForm } from './home-buttons.ts';
import { createSummaryChannelForm } from './setting-forms.ts';
import { OPEN_AGAIN, whoChanged } from './settings-list.ts';

const hasKeys = ({ key, cloud }: ServiceAccount) =>
  key !== undefined && (cloud === undefined || cloud.key !== undefined);

const kindWords = ({ kind, connected }: ServiceAccount) => {
  if (kind === 'cloud') return 'Cloud';
  return connected ? 'On-premise, connected to the dashboard' : 'On-premise';
};

/** The account as it is, and the way to change it. @param isServed whether the operator's serves it without one of its own */
function accountParts({ account, version }: OwnAccount, isServed: boolean): readonly Part[] {
  if (account === undefined && isServed)
    return [
      lines(['This workspace uses the account of whoever runs the app.']),
      buttons(connectButton('Connect your own')),
    ];
  if (account === undefined)
    return [
      lines(
        ['Connect your co-browsing account.'],
        ['Until then, nobody here can find customers or see their screens.'],
      ),
      buttons(connectButton('Connect')),
    ];
  return [
    lines(
      [bold(`${kindWords(account)}: `), code(account.address)],
      say`Connected by ${user(account.connectedBy)}, ${time(new Date(account.connectedAt))}`,
      !hasKeys(account) && ['The app can’t read its key any more. Press Change and enter it again.'],
    ),
    buttons(
      button({ text: 'Change', actionId: 'home_connect_account', label: 'Change: Co-browsing account' }),
      button({
        text: 'Disconnect',
        actionId: 'home_disconnect_account',
        value: String(version),
        label: 'Disconnect: Co-browsing account',
        style: 'danger',
        confirm: {
          title: 'Disconnect the account?',
          text: 'The app forgets its key. Sessions that are running go on, but their ends are only known from webhooks.',
          yes: 'Disconnect',
          no: 'Cancel',
        },
      }),
    ),
  ];
}

function summaryChannelParts(summaryChannel: string | undefined): readonly Part[] {
  const place = summaryChannel === undefined ? 'a direct message to the agent' : channel(summaryChannel);
  return [
    lines([bold('Summaries of sessions started outside a channel: '), place]),
    buttons(
      button({ text: 'Summary channel', actionId: 'home_summary_channel', label: 'Change: Summary channel' }),
    ),
  ];
}

const LONGEST = 500;

const { radios, text } = inputs;
const kind = radios('kind', 'Where the service runs', [
  ['cloud', 'Cloud'],
  ['connected', 'On-premise, connected to the vendor’s dashboard'],
  ['on-premise', 'On-premise, with license tokens from the cloud'],
]);
const address = text('address', 'Address', {
  hint: 'Of the API, beginning with https://. On-premise, the BASE_ENDPOINT.',
  most: LONGEST,
});
const key = text('key', 'API key', {
  hint: 'On-premise, the REST_KEY. It’s stored encrypted and never shown again.',
  most: LONGEST,
});
const cloudAddress = text('cloud_address', 'Cloud address', {
  hint: 'Only on-premise: of your account in the cloud, for license tokens, agents and usage.',
  optional: true,
  most: LONGEST,
});
const cloudKey = text('cloud_key', 'Cloud API key', {
  hint: 'Only on-premise.',
  optional: true,
  most: LONGEST,
});

/** What is typed into the form, without the keys. */
const typedIn = (filled: Filled) => ({
  kind: kind.read(filled),
  address: address.read(filled),
  cloudAddress: cloudAddress.read(filled),
});

/** @param complaints what was wrong with it, where Slack can't show that beside the fields any more */
function accountForm(typed: ReturnType<typeof typedIn>, complaints: Complaints = {}): FormContent {
  const fields = [
    kind.show(typed.kind ?? 'cloud'),
    address.show(typed.address),
    key.show(''),
    cloudAddress.show(typed.cloudAddress),
    cloudKey.show(''),
  ];
  return {
    submit: 'Connect',
    blocks: fields.flatMap((shown) => {
      const complaint = complaints[shown.block_id ?? ''];
      return complaint ? [shown, ...problem([complaint]).blocks] : [shown];
    }),
  };
}

const addressComplaint = (typed: string) =>
  !/^https?:$/.test(bareAddress(typed)?.url.protocol ?? '') &&
  'Enter the whole address, beginning with https://, without a query or a user name.';

const keyComplaint = (typed: string) => !/^[\x21-\x7e]+$/.test(typed) && 'A key is one word, without spaces.';

function complaintsIn(filled: Filled): Complaints {
  const where = kind.read(filled);
  const hasCloud = where !== 'cloud' && cloudAddress.read(filled) + cloudKey.read(filled) !== '';
  const needsCloud = hasCloud || where === 'on-premise';
  return {
    [address.block]: addressComplaint(address.read(filled)),
    [key.block]: keyComplaint(key.read(filled)),
    [cloudAddress.block]: needsCloud && addressComplaint(cloudAddress.read(filled)),
    [cloudKey.block]: needsCloud && keyComplaint(cloudKey.read(filled)),
  };
}

function reachable(typed: string, secret: string): Reachable {
  const bare = bareAddress(typed);
  return { address: bare === undefined ? typed : bare.url.origin + bare.path, key: new Secret(secret) };
}

function accountIn(filled: Filled): NewAccount {
  const where = kind.read(filled);
  const cloud = cloudAddress.read(filled);
  return {
    ...reachable(address.read(filled), key.read(filled)),
    kind: where === 'cloud' ? 'cloud' : 'on-premise',
    connected: where === 'connected',
    cloud: where === 'cloud' || cloud === '' ? undefined : reachable(cloud, cloudKey.read(filled)),
  };
}

const ADDRESS_WORDS: Partial<Record<CobrowseErrorKind, string>> = {
  unreachable: 'The app can’t reach this address.',
  'timed-out': 'The service didn’t answer in time. Try again in a minute.',
  'not-understood': 'No co-browsing service answers at this address.',
};

/** What the service answered, beside the field that it's about. */
function complaintOf({ of, error }: AccountProblem): readonly [block: string, words: string] {
  const { kind: failed, code: said } = error;
  const [ofAddress, ofKey] = of === 'service' ? [address, key] : [cloudAddress, cloudKey];
  if (failed === 'refused-key')
    return [ofKey.block, `The service refused this key${said === undefined ? '' : ` and said “${said}”`}.`];
  if (said === NOT_PUBLIC)
    return [
      ofAddress.block,
      'This has to be a public https address. Only whoever runs the app can allow another, in COBROWSE_HOSTS.',
    ];
  const words = cobrowseFailureWords(error);
  return [ofAddress.block, ADDRESS_WORDS[failed] ?? `${words.text} ${words.next}`];
}

const notSaved = (by: string): Message =>
  problem(
    [whoChanged(by), ' changed the account in the meantime, so nothing of this was saved.'],
    OPEN_AGAIN,
  );

const isServedIn = ({ ownAccountId, cobrowse }: Workspace) =>
  ownAccountId === undefined && cobrowse.isConnected;

export function createAdminAccount(
  { workspaceOf, isAdmin, settings }: App,
  accounts: NonNullable<App['ownAccounts']>,
) {
  const { suggestedAddress = '' } = accounts;

  const form: AdminForm = {
    callbackId: 'home_account_form',
    act: () => 'service-account',
    async open({ workspaceId }) {
      const { account, version } = await accounts.of(workspaceId);
      const shown = accountForm({
        kind: account?.connected === true ? 'connected' : account?.kind,
        address: account?.address ?? suggestedAddress,
        cloudAddress: account?.cloud?.address ?? '',
      });
      return { title: 'Co-browsing account', ...shown, seen: String(version) };
    },
    complaints: complaintsIn,
    async save(viewer, filled, _about, seen) {
      const account = accountIn(filled);
      const problems = await accounts.tryOut(viewer.workspaceId, account);
      if (problems.length > 0) {
        const complaints = Object.fromEntries(problems.map(complaintOf));
        return { complaints, again: accountForm(typedIn(filled), complaints) };
      }
      // Asking may have taken a while.
      if (!(await isAdmin(viewer))) return adminsOnly();
      const version = seen === undefined ? (await accounts.of(viewer.workspaceId)).version : Number(seen);
      const outcome = await accounts.change(viewer, account, version);
      if (outcome !== 'changed') return notSaved(outcome.by);
      const saved = done(
        ['Your co-browsing account is connected.'],
        say`Anyone who can watch can start now: ${code('/cobrowse online')}.`,
      );
      return { saved };
    },
  };

  /** @param value the version that the button was shown with */
  async function disconnect(viewer: Viewer, value: string): Promise<Message> {
    const { account } = await accounts.of(viewer.workspaceId);
    if (account === undefined) return notice(['No account is connected. Nothing changed.']);
    const outcome = await accounts.change(viewer, undefined, Number(value));
    if (outcome !== 'changed') return notSaved(outcome.by);
    return isServedIn(await workspaceOf(viewer.workspaceId))
      ? done(['Disconnected. This workspace now uses the account of whoever runs the app.'])
      : done(['Disconnected. Nobody here can find customers until an account is connected.']);
  }

  return {
    /** Home's section, and whether nobody in the workspace can find customers. */
    atHome: async (workspaceId: string) => {
      const [own, workspace] = await Promise.all([accounts.of(workspaceId), workspaceOf(workspaceId)]);
      const isServed = isServedIn(workspace);
      const { summaryChannel } = await workspace.settings();
      return {
        isUnconnected: own.account === undefined ? !isServed : !hasKeys(own.account),
        parts: [...accountParts(own, isServed), ...summaryChannelParts(summaryChannel)],
      };
    },
    surface: together(
      openedBy('home_connect_account', form),
      openedBy('home_summary_channel', createSummaryChannelForm(settings)),
      acting('home_disconnect_account', 'Co-browsing account', forAdmins('service-account'), disconnect),
    ),
  };
}
