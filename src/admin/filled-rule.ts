import type { Filled } from '../commands/form.ts';
import { MOST_ASKED } from '../messages/form-fields.ts';
import { RULE_FORM } from '../messages/action-ids.ts';
import type { Rule } from '../permissions/acts.ts';
import { MOST_NAMED } from './rule-form.ts';

function groupIds(filled: Filled): readonly string[] {
  // Chosen from Slack's list, or typed if there is none.
  return (filled[RULE_FORM.groupsBlock] ?? [])
    .join(' ')
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((id) => id !== '');
}

/** What is wrong with the form, by block; empty if nothing is. */
export function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
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
export function ruleIn(filled: Filled): Rule {
  const { whoBlock, usersBlock, channelsBlock, members } = RULE_FORM;
  const ids = [...(filled[usersBlock] ?? []), ...groupIds(filled), ...(filled[channelsBlock] ?? [])];
  return { members: filled[whoBlock]?.[0] === members, ids: [...new Set(ids)] };
}
