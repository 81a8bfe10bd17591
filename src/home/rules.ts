import { z } from 'zod';
import { ACTS } from '../grants/acts.ts';
import type { Rules } from '../grants/acts.ts';
import { settingOf } from '../grants/setting-changes.ts';
import { rulesIn } from '../grants/settings.ts';
import { RULE_FORM } from '../views/home-ids.ts';
import { ruleSaved, ruleTitle } from '../views/home-rules.ts';
import { ruleForm } from '../views/home-rule-form.ts';
import type { UserGroup } from '../views/home-rule-form.ts';
import { adminsOnly } from '../views/home-settings.ts';
import { outdatedForm } from '../views/outdated.ts';
import type { AdminForm } from './admin-form.ts';
import { complaintsIn, ruleIn } from './filled-rule.ts';
import type { SettingsParts } from './settings.ts';

const AnAct = z.enum(ACTS);

interface RulesParts extends SettingsParts {
  /** Who may do what where the workspace's admins have not said otherwise. */
  readonly usualRules: Rules;
  /** Those to choose from; undefined where Slack does not list them. Never rejects. */
  readonly groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>;
}

/** Who may do what in a workspace: a form for one act, which the button's value names. */
export function createAdminRules(parts: RulesParts): AdminForm {
  const { book, change, usualRules, groupsOf, isAdmin } = parts;

  return {
    callbackId: RULE_FORM.callbackId,
    async open(viewer, about) {
      const { data: act } = AnAct.safeParse(about);
      if (act === undefined) return { refused: outdatedForm };
      if (!(await isAdmin(viewer, { act: settingOf(act) }))) return { refused: adminsOnly() };
      const { workspaceId } = viewer;
      const [settings, groups] = await Promise.all([book.of(workspaceId), groupsOf(workspaceId)]);
      return { title: ruleTitle(act), form: ruleForm(rulesIn(settings, usualRules)[act], groups) };
    },
    complaints: complaintsIn,
    async save(viewer, filled, about) {
      const { data: act } = AnAct.safeParse(about);
      if (act === undefined) return outdatedForm;
      if (!(await isAdmin(viewer, { act: settingOf(act) }))) return adminsOnly();
      const to = ruleIn(filled);
      await change(viewer, (before) => {
        const from = rulesIn(before, usualRules)[act];
        const isSame = JSON.stringify(from) === JSON.stringify(to);
        const after = { ...before, rules: { ...before.rules, [act]: to } };
        return { after, changes: isSame ? [] : [{ setting: settingOf(act), from, to }] };
      });
      return ruleSaved(act, to);
    },
  };
}
