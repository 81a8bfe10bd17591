import type { PlainTextOption } from '@slack/types';
import { z } from 'zod';
import type { Filled } from '../commands/form.ts';
import { RULE_FORM } from '../messages/action-ids.ts';
import { field, groupsFields, MOST_ASKED, plain, type UserGroup } from '../messages/form-fields.ts';
import type { FormContent } from '../messages/modal.ts';
import { outdatedForm } from '../messages/refusals.ts';
import { ACTS, type Rule, type Rules } from '../permissions/acts.ts';
import { rulesIn, settingOf, type SettingsRepository } from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { isChannel, isGroup, ruleNotSaved, ruleSaved, ruleTitle } from './rule-list.ts';
import { forAdmins } from './settings-list.ts';

/** More than any team has leads. */
const MOST_NAMED = 50;

const MEMBERS: PlainTextOption = {
  text: plain('Members of this workspace, not guests'),
  value: RULE_FORM.members,
};
const ADMINS: PlainTextOption = {
  text: plain('Only admins and those added below'),
  value: RULE_FORM.admins,
};

/** Who can do one thing, as a form, filled in with who can now. @param listed the groups to choose from, where Slack lists them */
export function ruleForm({ members, ids }: Rule, listed: readonly UserGroup[] | undefined): FormContent {
  const users = ids.filter((id) => !isGroup(id) && !isChannel(id)).slice(0, MOST_NAMED);
  const channels = ids.filter(isChannel).slice(0, MOST_ASKED);
  return {
    submit: 'Save',
    blocks: [
      field({
        block: RULE_FORM.whoBlock,
        label: 'Who can',
        hint: 'Admins and owners always can. People from other organizations never can.',
        element: {
          type: 'radio_buttons',
          action_id: RULE_FORM.input,
          options: [MEMBERS, ADMINS],
          initial_option: members ? MEMBERS : ADMINS,
        },
      }),
      field({
        block: RULE_FORM.usersBlock,
        label: 'Also allow people',
        hint: 'Guests need to be added here.',
        optional: true,
        element: {
          type: 'multi_users_select',
          action_id: RULE_FORM.input,
          placeholder: plain('Choose people'),
          max_selected_items: MOST_NAMED,
          ...(users.length === 0 ? {} : { initial_users: users }),
        },
      }),
      ...groupsFields({
        block: RULE_FORM.groupsBlock,
        actionId: RULE_FORM.input,
        label: 'Also allow user groups',
        ids: ids.filter(isGroup),
        listed,
      }),
      field({
        block: RULE_FORM.channelsBlock,
        label: 'Also allow members of',
        hint: 'Guests aren’t included. A private channel only works if the app is in it.',
        optional: true,
        element: {
          type: 'multi_conversations_select',
          action_id: RULE_FORM.input,
          placeholder: plain('Choose channels'),
          filter: { include: ['public', 'private'] },
          max_selected_items: MOST_ASKED,
          ...(channels.length === 0 ? {} : { initial_conversations: channels }),
        },
      }),
    ],
  };
}

function groupIds(filled: Filled): readonly string[] {
  // Chosen from Slack's list, or typed if there is none.
  return (filled[RULE_FORM.groupsBlock] ?? [])
    .join(' ')
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((id) => id !== '');
}

/** What is wrong with the form, by block; empty if nothing is. */
function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const { whoBlock, usersBlock, groupsBlock, channelsBlock, members, admins } = RULE_FORM;
  const found: Record<string, string> = {};
  const who = filled[whoBlock]?.[0];
  if (who !== members && who !== admins) found[whoBlock] = 'Choose who can.';
  if ((filled[usersBlock] ?? []).length > MOST_NAMED) found[usersBlock] = `At most ${MOST_NAMED} people.`;
  const groups = groupIds(filled);
  const wrong = groups.find((id) => !/^S[A-Z0-9]{2,30}$/.test(id));
  if (groups.length + (filled[channelsBlock] ?? []).length > MOST_ASKED)
    found[groupsBlock] = `At most ${MOST_ASKED} groups and channels together.`;
  if (wrong !== undefined)
    found[groupsBlock] = `“${wrong.slice(0, 40)}” isn’t a user group ID: those look like S0123ABCD.`;
  return found;
}

/** The rule in a form without complaints. */
function ruleIn(filled: Filled): Rule {
  const { whoBlock, usersBlock, channelsBlock, members } = RULE_FORM;
  const ids = [...(filled[usersBlock] ?? []), ...groupIds(filled), ...(filled[channelsBlock] ?? [])];
  return { members: filled[whoBlock]?.[0] === members, ids: [...new Set(ids)] };
}

const AnAct = z.enum(ACTS);
/** The version of a setting that a form showed; undefined if that can't be read. */
export const SeenVersion = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/** Who can do what in a workspace: a form for one action, which the button's value names. */
export function createAdminRules({
  settings,
  usualRulesOf,
  groupsOf,
}: {
  readonly settings: SettingsRepository;
  /** Who can do what, unless the workspace's admins changed it. */
  readonly usualRulesOf: (workspaceId: string) => Promise<Rules>;
  /** The groups to choose from; undefined if Slack doesn't list them. Never rejects. */
  readonly groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>;
}): AdminForm {
  return {
    callbackId: RULE_FORM.callbackId,
    right: (about) => {
      const { data: act } = AnAct.safeParse(about);
      return forAdmins(act === undefined ? 'settings' : settingOf(act));
    },
    async open(viewer, about) {
      const { data: act } = AnAct.safeParse(about);
      if (act === undefined) return { refused: outdatedForm };
      const { workspaceId } = viewer;
      const [{ settings: own, kept }, groups] = await Promise.all([
        settings.read(workspaceId),
        groupsOf(workspaceId),
      ]);
      const { version } = kept(settingOf(act));
      const form = ruleForm(rulesIn(own, await usualRulesOf(workspaceId))[act], groups);
      return { title: ruleTitle(act), form, seen: String(version) };
    },
    complaints: complaintsIn,
    async save(viewer, filled, about, seen) {
      const { data: act } = AnAct.safeParse(about);
      if (act === undefined) return outdatedForm;
      const name = settingOf(act);
      const value = ruleIn(filled);
      const { settings: own, kept } = await settings.read(viewer.workspaceId);
      const usualRules = await usualRulesOf(viewer.workspaceId);
      const from = rulesIn(own, usualRules)[act];
      const isSame = JSON.stringify(from) === JSON.stringify(value);
      const version = SeenVersion.parse(seen) ?? kept(name).version;
      const recorded = isSame ? {} : { recorded: { setting: name, from, to: value } };
      const outcome = await settings.change(viewer, { name, value, version, ...recorded });
      return outcome === 'changed'
        ? { saved: ruleSaved(act, value) }
        : ruleNotSaved(act, outcome.by, rulesIn(await settings.of(viewer.workspaceId), usualRules)[act]);
    },
  };
}
