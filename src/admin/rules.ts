import { z } from 'zod';
import type { UserGroup } from '../messages/form-fields.ts';
import { RULE_FORM } from '../messages/action-ids.ts';
import { outdatedForm } from '../messages/refusals.ts';
import { ACTS } from '../permissions/acts.ts';
import type { Rules } from '../permissions/acts.ts';
import { rulesIn, settingOf } from '../workspaces/settings.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import type { AdminForm } from './admin-form.ts';
import { complaintsIn, ruleIn } from './filled-rule.ts';
import { ruleForm } from './rule-form.ts';
import { ruleNotSaved, ruleSaved, ruleTitle } from './rule-list.ts';
import { forAdmins } from './settings-list.ts';

const AnAct = z.enum(ACTS);
const SeenVersion = z
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
