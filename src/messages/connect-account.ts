import { HOME_ACTION } from './action-ids.ts';
import { connectAccountWords, failureMessage } from './failure-words.ts';
import { button, withButton, type Message } from './message.ts';

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
