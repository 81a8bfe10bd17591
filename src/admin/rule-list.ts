import type { Act, Rule, Rules } from '../permissions/acts.ts';
import { button, buttons, done, lines, problem, type Message, type Part } from '../messages/message.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import { bold, channel, count, group, user, type Line, type Piece } from '../messages/text.ts';

const LISTED = 20;
const SHOWN: readonly Act[] = ['watch', 'stop', 'delete', 'usage'];

/** What a rule is about. At most 24 characters: a modal's title. */
export function ruleTitle(act: Act): string {
  switch (act) {
    case 'watch':
      return 'Who can watch';
    case 'stop':
      return 'Who can stop sessions';
    case 'delete':
      return 'Who can delete customers';
    case 'usage':
      return 'Who can see usage';
  }
}

/** Source: docs.slack.dev/reference/objects, where ids of user groups begin with S, of channels with C or G. */
export const isGroup = (id: string) => id.startsWith('S');
export const isChannel = (id: string) => /^[CG]/.test(id);

function named(id: string): Line {
  if (isGroup(id)) return [group(id)];
  return isChannel(id) ? ['the members of ', channel(id)] : [user(id)];
}

function whoMay({ members, ids }: Rule): Line {
  const shown = ids.slice(0, LISTED).flatMap((id): Piece[] => [', ', ...named(id)]);
  const rest = ids.length - LISTED;
  return [
    members ? 'members, not guests' : 'admins',
    ...shown,
    ...(rest > 0 ? [` and ${count(rest, 'other')}`] : []),
  ];
}

const ruleLine = (act: Act, rule: Rule): Line => [bold(`${ruleTitle(act)}: `), ...whoMay(rule)];

/** Who can do what. */
export const ruleLines = (rules: Rules): readonly Line[] => SHOWN.map((act) => ruleLine(act, rules[act]));

/** The same with a button below each. */
export function ruleParts(rules: Rules): readonly Part[] {
  return SHOWN.flatMap((act) => [
    lines(ruleLine(act, rules[act])),
    buttons(
      button({
        text: 'Change',
        actionId: HOME_ACTION.changeRule,
        value: act,
        label: `Change: ${ruleTitle(act)}`,
      }),
    ),
  ]);
}

/** The answer to a change. */
export function ruleSaved(act: Act, rule: Rule): Message {
  return done(['Saved. Applies immediately, also to existing buttons.'], ruleLine(act, rule));
}

/** Who saved a setting in between; an empty id is the app itself. */
export const whoChanged = (by: string): Piece => (by === '' ? 'The app' : user(by));

/** Someone else changed it while the form was open. @param rule as it is now */
export function ruleNotSaved(act: Act, by: string, rule: Rule): Message {
  return problem(
    [whoChanged(by), ' changed this while your form was open, so your change wasn’t saved.'],
    ruleLine(act, rule),
    ['To make your change, press Settings again.'],
  );
}
