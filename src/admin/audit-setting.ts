import { accessWords } from '../permissions/access.ts';
import { bold, count } from '../messages/text.ts';
import type { Line, Piece } from '../messages/text.ts';
import type { Access } from '../permissions/access.ts';
import type { Rule } from '../permissions/acts.ts';
import type { RecordedChange } from '../workspaces/settings.ts';
import { ruleTitle } from './rule-list.ts';

/** A rule may name hundreds; the file has them all. */
const LISTED = 5;

/** Shows a person, group or channel by id. */
type Named = (id: string) => Piece;

function listed<Entry>(entries: readonly Entry[], line: (entry: Entry) => Line): Line {
  const rest = entries.length - LISTED;
  const shown = entries.slice(0, LISTED).flatMap((entry, index) => [index === 0 ? '' : ', ', ...line(entry)]);
  return rest > 0 ? [...shown, ` and ${count(rest, 'other')}`] : shown;
}

function ruleWords({ members, ids }: Rule, named: Named): Line {
  const everybody = members ? 'members' : 'admins';
  return ids.length === 0 ? [everybody] : [`${everybody}, `, ...listed(ids, (id) => [named(id)])];
}

function channelWords(accessLevels: Readonly<Record<string, Access>>, named: Named): Line {
  const entries = Object.entries(accessLevels);
  if (entries.length === 0) return ['none'];
  return listed(entries, ([id, access]) => [named(id), ` ${accessWords(access)}`]);
}

const changed = (title: string, to: Line, from: Line): Line => [
  bold(title),
  ' from ',
  ...from,
  ' to ',
  ...to,
];

/** A change of a setting, after "changed": "*Maximum access* from full control to view only". */
export function settingChangeWords(change: RecordedChange, named: Named): Line {
  switch (change.setting) {
    case 'rule':
      return changed(ruleTitle(change.act), ruleWords(change.to, named), ruleWords(change.from, named));
    case 'maxAccess':
      return changed('Maximum access', [accessWords(change.to)], [accessWords(change.from)]);
    case 'defaultAccess':
      return changed('Default access', [accessWords(change.to)], [accessWords(change.from)]);
    case 'channelAccess':
      return changed('Channel overrides', channelWords(change.to, named), channelWords(change.from, named));
  }
}
