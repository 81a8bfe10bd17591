import type { Session } from '../cobrowse/schemas.ts';
import type { Conclusion } from '../grants/fate.ts';
import type { Power } from '../grants/power.ts';
import { sessionLine } from './agent-card.ts';
import { lines, points } from './message.ts';
import type { Part } from './message.ts';
import { powerWords } from './power-words.ts';
import { bold, date } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { count, duration, short } from './text.ts';

/** The reader's sessions of this day, latest first: the first of them, and how many there are. */
export interface TodaysSessions {
  readonly latest: readonly Session[];
  readonly total: number;
}

/** A link that the reader was given, and what became of it as far as the service told or was asked. */
export interface GivenLink {
  /** The visitor's name, or its id where it cannot be looked up. */
  readonly visitor: string;
  readonly power: Power;
  readonly at: Date;
  /** `lengthSeconds` where it is known. */
  readonly end?: { readonly at: Date; readonly lengthSeconds?: number };
  /** Where there is no end, and none is expected any more. */
  readonly concluded?: Conclusion['concluded'];
}

/** The latest links of the last week, newest first. */
export interface GivenLinks {
  readonly latest: readonly GivenLink[];
  /** Whether an end would be known: where it would not, there is nothing to conclude. */
  readonly tellsEnds: boolean;
}

export function sessionsToday({ latest, total }: TodaysSessions): readonly Part[] {
  if (total === 0) return [lines(['None so far.'])];
  const older = total - latest.length;
  const rest = older === 0 ? [] : [lines([`And ${count(older, 'earlier one')} today.`])];
  return [points(...latest.map(sessionLine)), ...rest];
}

/** The service tells of ends and of nothing else: an honest state, and no more. */
function whatBecame({ end, concluded }: GivenLink, tellsEnds: boolean): Line {
  if (end === undefined) {
    if (concluded === 'unused') return [': not used'];
    if (concluded === 'unknown') return [': outcome unknown, since the service shows no end'];
    return tellsEnds ? [': no end was told so far: still open, or never opened'] : [];
  }
  const { lengthSeconds } = end;
  const known = lengthSeconds !== undefined && Number.isFinite(lengthSeconds);
  return [': ended ', date(end.at), ...(known ? [` after ${duration(lengthSeconds)}`] : [])];
}

export function givenLinks({ latest, tellsEnds }: GivenLinks): readonly Part[] {
  if (latest.length === 0) {
    return [lines(['None in the last seven days. Press Watch beside a visitor to be given one.'])];
  }
  const line = (link: GivenLink): Line => [
    bold(short(link.visitor) || 'A visitor'),
    ', ',
    date(link.at),
    `, ${powerWords(link.power)}`,
    ...whatBecame(link, tellsEnds),
  ];
  return [points(...latest.map(line))];
}
