import { z } from 'zod';
import { code, date, short, where, who } from '../messages/text.ts';
import type { Line, Piece } from '../messages/text.ts';
import { unescapeSlack } from './typed.ts';

/** What a list of records is narrowed down to, in words: each kind leaves those that have one of its own. */
export interface RecordFilter<Word> {
  readonly userIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly visitorIds: readonly string[];
  readonly words: readonly Word[];
  readonly since: Date | undefined;
}

/** A longer one wouldn't fit into a button's value. */
const LONGEST_FILTER = 500;

/** A filter as typed. */
export const filterText = z
  .string()
  // The buttons carry it as JSON, where a vertical tab takes six characters.
  .transform((typed) => typed.replaceAll(/\s+/g, ' ').trim())
  .pipe(z.string().max(LONGEST_FILTER, `A filter is limited to ${LONGEST_FILTER} characters.`));

/** The filter as typed, and when it was first used, so that later records don't move the pages. */
export const Look = z.object({ filter: z.string().max(LONGEST_FILTER), before: z.iso.datetime() });
export type Look = z.infer<typeof Look>;

const DAY_MS = 24 * 60 * 60 * 1_000;

// Read before Slack's escaped forms are undone: a channel's name alone wouldn't say which one is meant.
const MENTION = /<([@#])([A-Z0-9]+)(?:\|[^<>]*)?>/g;
const LAST_DAYS = /\blast (?:(\d{1,4}) )?days?\b/i;
const SINCE = /\bsince (\d{4}-\d{2}-\d{2})\b/i;
const TODAY = /\btoday\b/i;
const VISITOR = /\bvisitor[ :]+([\w-]{1,64})/gi;
const VISITOR_ID = /^(?=.*\d)(?!\d{4}-\d)[\w-]{1,64}$/;

/** How far back, and the words without it. The start of a day is UTC's. */
function readSince(words: string, now: number): { readonly since: Date | undefined; readonly rest: string } {
  const from = SINCE.exec(words);
  if (from !== null) return { since: new Date(`${from[1]}T00:00:00Z`), rest: words.replace(SINCE, ' ') };
  const days = LAST_DAYS.exec(words);
  if (days !== null) {
    return { since: new Date(now - Number(days[1] ?? 1) * DAY_MS), rest: words.replace(LAST_DAYS, ' ') };
  }
  if (!TODAY.test(words)) return { since: undefined, rest: words };
  return { since: new Date(now - (now % DAY_MS)), rest: words.replace(TODAY, ' ') };
}

/**
 * The filter as typed: "@sam #support link last 7 days". A string is what is wrong with it.
 *
 * @param raw in Slack's escaped form
 * @param now milliseconds since 1970
 * @param wordOf what a word in lower case stands for; undefined if nothing
 */
export function readRecordFilter<Word>(
  raw: string,
  now: number,
  wordOf: (word: string) => Word | undefined,
): RecordFilter<Word> | string {
  const mentions = [...raw.matchAll(MENTION)];
  const idsAfter = (sign: string) => mentions.flatMap(([, kind, id = '']) => (kind === sign ? [id] : []));
  const { since, rest } = readSince(unescapeSlack(raw.replaceAll(MENTION, ' ')), now);
  if (since !== undefined && Number.isNaN(since.getTime())) return 'That isn’t a date.';
  const named = Array.from(rest.matchAll(VISITOR), ([, id = '']) => id);
  const words: Word[] = [];
  for (const typed of rest.replaceAll(VISITOR, ' ').split(/[\s,]+/)) {
    if (typed === '') continue;
    const word = wordOf(typed.toLowerCase());
    if (word !== undefined) words.push(word);
    else if (VISITOR_ID.test(typed)) named.push(typed);
    else return `I didn’t understand “${typed.slice(0, 60)}”.`;
  }
  return { userIds: idsAfter('@'), channelIds: idsAfter('#'), visitorIds: named, words, since };
}

const listed = (before: string, pieces: readonly Piece[]): readonly Piece[] =>
  pieces.flatMap((piece, index) => [index === 0 ? before : ' or ', piece]);

/** " by @sam in #support since ...": what was understood of the filter, for the reader to check. */
export function recordFilterWords<Word>(
  { userIds, channelIds, visitorIds, words, since }: RecordFilter<Word>,
  inWords: (word: Word) => string,
): Line {
  return [
    ...listed(': ', words.map(inWords)),
    ...listed(
      ' of visitor ',
      visitorIds.map((id) => code(short(id, 40))),
    ),
    ...listed(' by ', userIds.map(who)),
    ...listed(' in ', channelIds.map(where)),
    ...(since === undefined ? [] : [' since ', date(since)]),
  ];
}
