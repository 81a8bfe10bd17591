import type { Viewer } from '../commands/rights.ts';
import { accessLevelsUpTo, type Access } from '../permissions/access.ts';
import {
  button,
  buttons,
  done,
  lines,
  notice,
  points,
  type Message,
  type Part,
} from '../messages/message.ts';
import { CHOOSE_ACCESS } from '../messages/action-ids.ts';
import { outdatedButton } from '../messages/failure-words.ts';
import { accessMeaning, accessTitle, accessWords } from '../messages/session-words.ts';
import { bold, type Line } from '../messages/text.ts';
import { defaultAccessIn, type SettingsRepository } from '../workspaces/settings.ts';
import { whoChanged } from './settings-list.ts';

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

function accessChosen(access: Access): Message {
  return done([`Saved. Watch buttons in new lists: ${accessWords(access)}.`], WHERE);
}

/** @param by who chose first; an empty id is the app itself */
function accessAlreadyChosen(by: string, access: Access): Message {
  return notice(
    [whoChanged(by), ' already chose the default access: ', bold(accessWords(access)), '. Nothing changed.'],
    WHERE,
  );
}

/** The choice of the default access, which a workspace's admins are offered until one of them makes it. */
export interface DefaultAccess {
  readonly now: (workspaceId: string) => Promise<AccessNow>;
  /** Makes the choice if no admin has; also where it keeps what is in force. */
  readonly choose: (viewer: Viewer, access: Access) => Promise<Message>;
}

const SETTING = 'defaultAccess';

export function createDefaultAccess(settings: SettingsRepository): DefaultAccess {
  async function now(workspaceId: string): Promise<AccessNow> {
    const { settings: own, kept } = await settings.read(workspaceId);
    const inForce = defaultAccessIn(own, undefined);
    return { inForce, most: own.maxAccess, isChosen: kept(SETTING).version > 0 };
  }

  return {
    now,
    async choose(viewer, access) {
      const { inForce: from, most } = await now(viewer.workspaceId);
      // Another admin lowered the maximum since the button was shown.
      if (!accessLevelsUpTo(most).includes(access)) return outdatedButton;
      const recorded = { setting: SETTING, from, to: access };
      // Version 0: only the first of several admins chooses.
      const outcome = await settings.change(viewer, { name: SETTING, value: access, version: 0, recorded });
      if (outcome === 'changed') return accessChosen(access);
      return accessAlreadyChosen(outcome.by, (await now(viewer.workspaceId)).inForce);
    },
  };
}
