import type { StandInSlack } from '../../../sandbox/slack/slack.ts';
import type { Catalog } from '../../../src/commands/catalog.ts';
import { RULE_TITLES } from '../../../src/admin/settings-list.ts';

/** All that a person can do with the app, named from the catalog: what is new there is missed at once. */
export function everythingThereIs({ commands, home }: Pick<Catalog, 'commands' | 'home'>): readonly string[] {
  const ofCommands = commands.flatMap(({ name, presses, forms, tool, shortcut, globalShortcut }) => [
    `command ${name}`,
    ...presses.map(({ actionId }) => `press ${actionId}`),
    ...forms.map(({ title }) => `form ${title}`),
    ...(tool === undefined ? [] : [`tool ${tool.name}`]),
    ...(shortcut === undefined ? [] : [`shortcut ${shortcut.callbackId}`]),
    ...(globalShortcut === undefined
      ? []
      : [`shortcut ${globalShortcut.callbackId}`, `search ${globalShortcut.suggestions.actionId}`]),
  ]);
  const ofHome = [
    'home',
    'press retry',
    ...home.presses
      .map(({ actionId }) => `press ${actionId}`)
      .filter((name) => !/_choose_(?:point|full)$/.test(name)),
    'form Access',
    'form Add a webhook',
    'form Edit webhook',
    `form ${RULE_TITLES.usage}`,
    'form Ticket addresses',
    'form Customer records',
  ];
  return [...new Set([...ofCommands, ...ofHome])].toSorted();
}

/** The same Slack, which remembers what people did in it, by the names of {@link everythingThereIs}. */
export function remembering(slack: StandInSlack): StandInSlack & { readonly driven: ReadonlySet<string> } {
  const driven = new Set<string>();
  return {
    ...slack,
    driven,
    command(args) {
      driven.add(`command ${/^\/cobrowse (\S+)/.exec(args.text)?.[1] ?? ''}`);
      return slack.command(args);
    },
    press(args) {
      driven.add(`press ${args.action_id}`);
      return slack.press(args);
    },
    slackbot(args) {
      driven.add(`tool ${args.tool ?? ''}`);
      return slack.slackbot(args);
    },
    suggest(args) {
      driven.add(`search ${args.action_id}`);
      return slack.suggest(args);
    },
    shortcut(args) {
      driven.add(`shortcut ${args.callback_id}`);
      return slack.shortcut(args);
    },
    globalShortcut(args) {
      driven.add(`shortcut ${args.callback_id}`);
      return slack.globalShortcut(args);
    },
    submit(args) {
      const view = slack.snapshot(args.as).views.find(({ id }) => id === args.view_id);
      driven.add(`form ${view?.title ?? ''}`);
      return slack.submit(args);
    },
    openHome(args) {
      driven.add('home');
      return slack.openHome(args);
    },
  };
}
