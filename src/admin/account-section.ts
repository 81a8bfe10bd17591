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
import { HOME_ACTION } from '../messages/action-ids.ts';
import { connectButton } from '../messages/failure-words.ts';
import { bold, channel, code, time, user, type Line } from '../messages/text.ts';
import type { OwnAccount, ServiceAccount } from '../workspaces/service-accounts.ts';
import { whoChanged } from './settings-list.ts';

/** A workspace's account of the service, for its admins. */
export interface AccountNow {
  readonly own: OwnAccount;
  /** Whether the operator's account serves it where it has none of its own. */
  readonly isServed: boolean;
  readonly summaryChannel: string | undefined;
}

const hasKeys = ({ key, cloud }: ServiceAccount) =>
  key !== undefined && (cloud === undefined || cloud.key !== undefined);

/** Whether nobody in the workspace can find customers. */
export const isUnconnected = ({ own: { account }, isServed }: AccountNow) =>
  account === undefined ? !isServed : !hasKeys(account);

const kindWords = ({ kind, connected }: ServiceAccount) => {
  if (kind === 'cloud') return 'Cloud';
  return connected ? 'On-premise, connected to the dashboard' : 'On-premise';
};

function accountParts({ own: { account, version }, isServed }: AccountNow): readonly Part[] {
  if (account === undefined) {
    return isServed
      ? [
          lines(['This workspace uses the account of whoever runs the app.']),
          buttons(connectButton('Connect your own')),
        ]
      : [
          lines(
            ['Connect your co-browsing account.'],
            ['Until then, nobody here can find customers or see their screens.'],
          ),
          buttons(connectButton('Connect')),
        ];
  }
  const lost: readonly Line[] = hasKeys(account)
    ? []
    : [['The app can’t read its key any more. Press Change and enter it again.']];
  return [
    lines(
      [bold(`${kindWords(account)}: `), code(account.address)],
      ['Connected by ', user(account.connectedBy), ', ', time(new Date(account.connectedAt))],
      ...lost,
    ),
    buttons(
      button({
        text: 'Change',
        actionId: HOME_ACTION.connectAccount,
        value: 'change',
        label: 'Change: Co-browsing account',
      }),
      button({
        text: 'Disconnect',
        actionId: HOME_ACTION.disconnectAccount,
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

/** The account as it is, and the way to change it; and the channel for summaries without one. */
export function accountSection(now: AccountNow): readonly Part[] {
  const { summaryChannel } = now;
  const place: Line =
    summaryChannel === undefined ? ['a direct message to the agent'] : [channel(summaryChannel)];
  return [
    ...accountParts(now),
    lines([bold('Summaries of sessions started outside a channel: '), ...place]),
    buttons(
      button({
        text: 'Summary channel',
        actionId: HOME_ACTION.summaryChannel,
        value: 'edit',
        label: 'Change: Summary channel',
      }),
    ),
  ];
}

export const accountSaved = done(
  ['Your co-browsing account is connected.'],
  ['Anyone who can watch can start now: ', code('/cobrowse online'), '.'],
);

/** @param by who changed it in between */
export const accountNotSaved = (by: string): Message =>
  problem(
    [whoChanged(by), ' changed the account in the meantime, so nothing of this was saved.'],
    ['To make your change, open the form again in the Home tab.'],
  );

/** @param now as it is afterwards */
export const accountDisconnected = (now: AccountNow): Message =>
  now.isServed
    ? done(['Disconnected. This workspace now uses the account of whoever runs the app.'])
    : done(['Disconnected. Nobody here can find customers until an account is connected.']);

export const alreadyDisconnected = notice(['No account is connected. Nothing changed.']);

export const summaryChannelSaved = (channelId: string | undefined): Message =>
  done(
    channelId === undefined
      ? ['Saved. Summaries without a channel go to the agent as a direct message.']
      : ['Saved. Summaries without a channel go to ', channel(channelId), '. Invite me there.'],
  );
