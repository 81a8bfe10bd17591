import { z } from 'zod';
import type { Complaints, Filled } from '../commands/command.ts';
import { inputs, MOST_ASKED, type UserGroup } from '../commands/inputs.ts';
import { done, type Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedForm } from '../messages/failure-words.ts';
import { ACTS, isChannel, isGroup, type Act, type Rule, type Rules } from '../permissions/permissions.ts';
import { rulesIn, settingOf, type SettingsRepository } from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { forAdmins, ruleLine, RULE_TITLES, saveSetting } from './settings-list.ts';

/** More than any team has leads. */
const MOST_NAMED = 50;

const who = inputs.radios(
  'who',
  'Who can',
  [
    ['members', 'Members of this workspace, not guests'],
    ['admins', 'Only admins and those added below'],
  ],
  { hint: 'Admins and owners always can. People from other organizations never can.' },
);
const people = inputs.people('users', 'Also allow people', {
  hint: 'Guests need to be added here.',
  optional: true,
  placeholder: 'Choose people',
  most: MOST_NAMED,
});
const groups = inputs.groups('groups', 'Also allow user groups');
const channels = inputs.channels('channels', 'Also allow members of', {
  hint: 'Guests aren’t included. A private channel only works if the app is in it.',
  optional: true,
  placeholder: 'Choose channels',
  most: MOST_ASKED,
});

/** Who can do one thing, as a form, filled in with who can now. @param listed the groups to choose from, where Slack lists them */
export const ruleForm = ({ members, ids }: Rule, listed: readonly UserGroup[] | undefined): FormContent => ({
  submit: 'Save',
  blocks: [
    who.show(members ? 'members' : 'admins'),
    people.show(ids.filter((id) => !isGroup(id) && !isChannel(id))),
    ...groups.show(ids.filter(isGroup), listed),
    channels.show(ids.filter(isChannel)),
  ],
});

const complaintsIn = (filled: Filled): Complaints => ({
  [who.block]: who.read(filled) === undefined && 'Choose who can.',
  [people.block]: people.read(filled).length > MOST_NAMED && `At most ${MOST_NAMED} people.`,
  [groups.block]:
    groups.wrong(filled) ??
    (groups.read(filled).length + channels.read(filled).length > MOST_ASKED &&
      `At most ${MOST_ASKED} groups and channels together.`),
});

const ruleIn = (filled: Filled): Rule => ({
  members: who.read(filled) === 'members',
  ids: [...people.read(filled), ...groups.read(filled), ...channels.read(filled)],
});

export const ruleSaved = (act: Act, rule: Rule): Message =>
  done(['Saved. Applies immediately, also to existing buttons.'], ruleLine(act, rule));

const actOf = (about: string): Act | undefined => z.enum(ACTS).safeParse(about).data;

/**
 * A form for each action, which the button's value names. @param usualRulesOf who can do what, unless admins changed it
 * @param groupsOf the groups to choose from; undefined if Slack doesn't list them. Never rejects
 */
export function createAdminRules(
  settings: SettingsRepository,
  usualRulesOf: (workspaceId: string) => Promise<Rules>,
  groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>,
): AdminForm {
  return {
    callbackId: 'home_rule_form',
    right: (about) => {
      const act = actOf(about);
      return forAdmins(act === undefined ? 'settings' : settingOf(act));
    },
    async open({ workspaceId }, about) {
      const act = actOf(about);
      if (act === undefined) return { refused: outdatedForm };
      const [{ settings: own, kept }, listed, usualRules] = await Promise.all([
        settings.read(workspaceId),
        groupsOf(workspaceId),
        usualRulesOf(workspaceId),
      ]);
      const form = ruleForm(rulesIn(own, usualRules)[act], listed);
      return { title: RULE_TITLES[act], form, seen: String(kept(settingOf(act)).version) };
    },
    complaints: complaintsIn,
    async save(viewer, filled, about, seen) {
      const act = actOf(about);
      if (act === undefined) return outdatedForm;
      const to = ruleIn(filled);
      const usualRules = await usualRulesOf(viewer.workspaceId);
      return saveSetting(settings, viewer, {
        name: settingOf(act),
        seen,
        from: (own) => rulesIn(own, usualRules)[act],
        to,
        saved: ruleSaved(act, to),
        now: (own) => ruleLine(act, rulesIn(own, usualRules)[act]),
      });
    },
  };
}
