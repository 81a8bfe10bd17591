import type { StandInSlack } from '../../sandbox/slack/slack.ts';
import type { Command } from '../../src/commands/command.ts';
import { CHOOSE_ACCESS, HOME_ACTION } from '../../src/messages/action-ids.ts';
import { ruleTitle } from '../../src/admin/rule-list.ts';

/** All that a person can do with the app, named from the list of commands: what is new there is missed at once. */
export function everythingThereIs(commands: readonly Command[]): readonly string[] {
  const ofCommands = commands.flatMap(({ name, presses, forms, shortcut, globalShortcut }) => [
    `command ${name}`,
    ...presses.map(({ actionId }) => `press ${actionId}`),
    ...forms.map(({ title }) => `form ${title}`),
    ...(shortcut === undefined ? [] : [`shortcut ${shortcut.callbackId}`]),
    ...(globalShortcut === undefined
      ? []
      : [`shortcut ${globalShortcut.callbackId}`, `search ${globalShortcut.suggestions.actionId}`]),
  ]);
  const ofHome = [
    'home',
    ...Object.values(HOME_ACTION).map((actionId) => `press ${actionId}`),
    `press ${CHOOSE_ACCESS.view}`,
    'form Access',
    'form Add a webhook',
    'form Edit webhook',
    `form ${ruleTitle('usage')}`,
    'form Ticket addresses',
  ];
  return [...new Set([...ofCommands, ...ofHome])].toSorted();
}

/** The same Slack, which remembers what people did in it, by the names of {@link everythingThereIs}. */
export function remembering(slack: StandInSlack): StandInSlack & { readonly driven: ReadonlySet<string> } {
  const driven = new Set<string>();
  /** The same action, which is remembered by this name. */
  const noting =
    <Given, Result>(act: (given: Given) => Result, nameOf: (given: Given) => string) =>
    (given: Given): Result => {
      driven.add(nameOf(given));
      return act(given);
    };
  const titleOf = ({ as, view_id }: { readonly as: string; readonly view_id: string }) =>
    slack.snapshot(as).views.find(({ id }) => id === view_id)?.title ?? '';
  return {
    ...slack,
    driven,
    command: noting(slack.command, ({ text }) => `command ${/^\/cobrowse (\S+)/.exec(text)?.[1] ?? ''}`),
    press: noting(slack.press, (given) => `press ${given.action_id}`),
    suggest: noting(slack.suggest, (given) => `search ${given.action_id}`),
    shortcut: noting(slack.shortcut, (given) => `shortcut ${given.callback_id}`),
    globalShortcut: noting(slack.globalShortcut, (given) => `shortcut ${given.callback_id}`),
    submit: noting(slack.submit, (given) => `form ${titleOf(given)}`),
    openHome: noting(slack.openHome, () => 'home'),
  };
}
