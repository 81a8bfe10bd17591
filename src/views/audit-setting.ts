import type { Rule } from '../grants/acts.ts';
import type { Power } from '../grants/power.ts';
import type { RecordedChange } from '../grants/recorded-change.ts';
import { ruleTitle } from './home-rules.ts';
import { powerWords } from './power-words.ts';
import type { Line, Piece } from './rich-text.ts';
import { count } from './text.ts';

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

function channelWords(powers: Readonly<Record<string, Power>>, named: Named): Line {
  const entries = Object.entries(powers);
  if (entries.length === 0) return ['as elsewhere'];
  return listed(entries, ([id, power]) => [named(id), ` ${powerWords(power)}`]);
}

const changed = (title: string, to: Line, from: Line): Line => [`${title}: `, ...to, '; before: ', ...from];

/** What became of a setting, in the words of the Home tab. */
export function settingChangeWords(change: RecordedChange, named: Named): Line {
  switch (change.setting) {
    case 'rule':
      return changed(ruleTitle(change.act), ruleWords(change.to, named), ruleWords(change.from, named));
    case 'mostPower':
      return changed('No link grants more than', [powerWords(change.to)], [powerWords(change.from)]);
    case 'usualPower':
      return changed('Watch grants', [powerWords(change.to)], [powerWords(change.from)]);
    case 'channelPower':
      return changed(
        'Watch grants in channels',
        channelWords(change.to, named),
        channelWords(change.from, named),
      );
  }
}
