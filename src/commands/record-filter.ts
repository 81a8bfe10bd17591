import { z } from 'zod';
import { dayAfter, dayOf, isDay, startOfDay, weekdayOf } from '../messages/days.ts';
import { code, given, joined, short, where, who, type Line, type Piece } from '../messages/text.ts';
import { unescapeSlack } from './typed.ts';

/** Each kind keeps the records that have one of its values. */
export interface RecordFilter<Word> {
  readonly userIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly visitorIds: readonly string[];
  readonly words: readonly Word[];
  readonly since: Date | undefined;
  /** Exclusive. */
  readonly until?: Date;
  /** Both in words: "yesterday", "since 2026-11-01". */
  readonly when?: string;
}

export interface ReadFilter<Word> {
  readonly filter: RecordFilter<Word>;
  /** May name a customer; empty if nothing is left. */
  readonly rest: string;
}

/** To fit into a button's value. */
export const LONGEST_FILTER = 500;

export const filterText = z
  .string()
  // The buttons carry it as JSON, where a vertical tab takes six characters.
  .transform((typed) => typed.replaceAll(/\s+/g, ' ').trim())
  .pipe(z.string().max(LONGEST_FILTER, `A filter is limited to ${LONGEST_FILTER} characters.`));

const DAY_MS = 24 * 60 * 60 * 1_000;

// Read before Slack's escaped forms are undone: a channel's name alone wouldn't say which one is meant.
const MENTION = /<([@#])([A-Z0-9]+)(?:\|[^<>]*)?>/g;
const DAYS = /\b(since )?(last (?:(\d{1,4}) )?days?|(?:this|last) week|today|yesterday)\b/i;
const SINCE = /\bsince\b(?: (\S+))?/i;
const VISITOR = /\bvisitor[ :]+([\w-]{1,64})/gi;
const VISITOR_ID = /^(?=.*\d)(?!\d{4}-\d)[\w-]{1,64}$/;

type Days = Pick<RecordFilter<unknown>, 'since' | 'until' | 'when'>;

/** A week begins on Monday. */
function daysNamed(name: string, now: number, zone: string): Omit<Days, 'when'> {
  const today = dayOf(now, zone);
  const from = (days: number) => new Date(startOfDay(dayAfter(today, days), zone));
  const monday = 1 - weekdayOf(today);
  const named: Readonly<Record<string, Omit<Days, 'when'>>> = {
    today: { since: from(0) },
    yesterday: { since: from(-1), until: from(0) },
    'this week': { since: from(monday) },
    'last week': { since: from(monday - 7), until: from(monday) },
  };
  return named[name] ?? { since: new Date(now - Number(/\d+/.exec(name)?.[0] ?? 1) * DAY_MS) };
}

function readDays(words: string, now: number, zone: string): { days: Days; rest: string } | string {
  const named = DAYS.exec(words);
  if (named !== null) {
    const [all, since = '', typed = ''] = named;
    const name = typed.toLowerCase();
    const days = daysNamed(name, now, zone);
    const rest = words.replace(all, ' ');
    if (since !== '') return { days: { since: days.since, when: `since ${name}` }, rest };
    return { days: { ...days, when: /^last (?:\d|day)/.test(name) ? `in the ${name}` : name }, rest };
  }
  const from = SINCE.exec(words);
  if (from === null) return { days: { since: undefined }, rest: words };
  const [all, day = ''] = from;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day))
    return `I didn’t understand “${all.slice(0, 60)}”. Write the day like since 2026-11-01.`;
  if (!isDay(day)) return `There’s no such day as ${day}.`;
  const days = { since: new Date(startOfDay(day, zone)), when: `since ${day}` };
  return { days, rest: words.replace(all, ' ') };
}

/** What nobody is called: a mention that Slack didn't resolve, or a form of Slack's. */
const NO_NAME = /^[@#]|[<>]/;

/** As in "by @sam in #support", "in the last 7 days", "for jane". */
const JOINING = new Set(['by', 'in', 'the', 'of', 'for', 'from', 'with', 'and']);

/**
 * Reads "@sam #support link last 7 days", in Slack's escaped form. A string says what is wrong with it.
 *
 * @param zone of whoever asks; undefined if unknown: days are then UTC's  @param wordOf takes lower case
 */
export function readRecordFilter<Word>(
  raw: string,
  now: number,
  zone: string | undefined,
  wordOf: (word: string) => Word | undefined,
): ReadFilter<Word> | string {
  const mentions = [...raw.matchAll(MENTION)];
  const idsAfter = (sign: string) => mentions.flatMap(([, kind, id = '']) => (kind === sign ? [id] : []));
  const read = readDays(unescapeSlack(raw.replaceAll(MENTION, ' ')), now, zone ?? 'UTC');
  if (typeof read === 'string') return read;
  const named = Array.from(read.rest.matchAll(VISITOR), ([, id = '']) => id);
  const words: Word[] = [];
  const rest: string[] = [];
  for (const typed of read.rest.replaceAll(VISITOR, ' ').split(/[\s,]+/)) {
    const lower = typed.toLowerCase();
    if (typed === '' || JOINING.has(lower)) continue;
    const word = wordOf(lower);
    if (word !== undefined) words.push(word);
    else if (VISITOR_ID.test(typed)) named.push(typed);
    else if (NO_NAME.test(typed) || isDay(typed)) return `I didn’t understand “${typed.slice(0, 60)}”.`;
    else rest.push(typed);
  }
  const { since, until, when } = read.days;
  return {
    filter: {
      userIds: idsAfter('@'),
      channelIds: idsAfter('#'),
      visitorIds: named,
      words,
      since,
      until,
      when: zone === undefined && when !== undefined ? `${when} (UTC)` : when,
    },
    rest: rest.join(' '),
  };
}

const listed = (before: string, pieces: readonly Piece[]) =>
  pieces.length > 0 && [before, ...joined(pieces, ' or ')];

/** "of visitor jane4821", "by @sam", "today": for the reader to check. */
export function filterParts<Word>(
  { userIds, channelIds, visitorIds, words, when }: RecordFilter<Word>,
  inWords: (word: Word) => string,
): readonly Line[] {
  const ids = visitorIds.map((id) => code(short(id, 40)));
  return given([
    listed('', words.map(inWords)),
    listed('of visitor ', ids),
    listed('by ', userIds.map(who)),
    listed('in ', channelIds.map(where)),
    when !== undefined && [when],
  ]);
}

/** " of visitor jane4821 by @sam today", after "No sessions". */
export const filterWords = <Word>(filter: RecordFilter<Word>, inWords: (word: Word) => string): Line =>
  filterParts(filter, inWords).flatMap((part, index) => [
    index === 0 && filter.words.length > 0 ? ': ' : ' ',
    ...part,
  ]);
