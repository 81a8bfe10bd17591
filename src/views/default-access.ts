import type { Access } from '../permissions/access.ts';
import { accessLevelsUpTo } from '../permissions/access.ts';
import { accessMeaning, accessTitle, accessWords } from './access-words.ts';
import { button } from './buttons.ts';
import { CHOOSE_ACCESS } from './home-ids.ts';
import { whoChanged } from './home-rules.ts';
import { buttons, done, lines, notice, points } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold } from './rich-text.ts';
import type { Line } from './rich-text.ts';

/** What Watch gives in a workspace: by default, and at most. */
export interface AccessNow {
  readonly inForce: Access;
  readonly most: Access;
  /** Whether an admin chose the default; until then they're asked. */
  readonly isChosen: boolean;
}

const WHERE: Line = ['To change it, press Settings on the Home tab.'];

function choice(access: Access, inForce: Access) {
  const words = access === inForce ? `Keep ${accessWords(access)}` : accessTitle(access);
  return button({
    text: words,
    actionId: CHOOSE_ACCESS[access],
    value: access,
    label: `${words} by default`,
  });
}

/** Asks an admin for the default access, with what each means for the customer; empty once one of them chose. */
export function accessOffer({ inForce, most, isChosen }: AccessNow): readonly Part[] {
  const levels = accessLevelsUpTo(most);
  if (isChosen || levels.length === 1) return [];
  return [
    lines(
      [bold('Choose the default access')],
      [`Until an admin chooses, Watch gives ${accessWords(inForce)}.`],
    ),
    points(...levels.map((access): Line => [bold(`${accessTitle(access)}: `), accessMeaning(access)])),
    lines([
      `Agents can choose another one in the menu beside Watch, up to the maximum: ${accessWords(most)}.`,
    ]),
    buttons(...levels.map((access) => choice(access, inForce))),
  ];
}

/** For an admin: the question, or what was chosen. */
export function accessNow(now: AccessNow): readonly Part[] {
  const offer = accessOffer(now);
  if (offer.length > 0) return offer;
  return [lines([bold('Default access: '), `${accessWords(now.inForce)}.`], WHERE)];
}

export function accessChosen(access: Access): Message {
  return done([`Saved. From now on, new lists give ${accessWords(access)} by default.`], WHERE);
}

/** @param by who chose first; an empty id is the app itself */
export function accessAlreadyChosen(by: string, access: Access): Message {
  return notice(
    [whoChanged(by), ' already chose the default access: ', bold(accessWords(access)), '. Nothing changed.'],
    WHERE,
  );
}
