import { AuditEntry } from '../audit/audit.ts';
import type { AuditFilter } from '../audit/filter.ts';
import { unescapeSlack } from '../commands/typed.ts';
import { lines, message, points } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import { code, date, short } from '../messages/text.ts';
import type { Line, Piece } from '../messages/text.ts';
import { where, who } from './audit-sentences.ts';

type ActionName = AuditEntry['action'];

const DAY_MS = 24 * 60 * 60 * 1_000;

// Read before Slack's escaped forms are undone: a channel's name alone wouldn't say which one is meant.
const MENTION = /<([@#])([A-Z0-9]+)(?:\|[^<>]*)?>/g;
const LAST_DAYS = /\blast (?:(\d{1,4}) )?days?\b/i;
const SINCE = /\bsince (\d{4}-\d{2}-\d{2})\b/i;
const TODAY = /\btoday\b/i;
const VISITOR = /\bvisitor[ :]+([\w-]{1,64})/gi;
const VISITOR_ID = /^(?=.*\d)(?!\d{4}-\d)[\w-]{1,64}$/;

/** An action by its name, its plural, or other words for it. */
const ACTION_WORDS: ReadonlyMap<string, ActionName> = new Map([
  ...AuditEntry.shape.action.options.flatMap((action): readonly (readonly [string, ActionName])[] => [
    [action, action],
    [`${action}s`, action],
  ]),
  ['searches', 'search'],
  ['proxy', 'proxy-link'],
  ['watch', 'link'],
  ['refused', 'refusal'],
  ['deletion', 'delete'],
  ['deletions', 'delete'],
  ['deliveries', 'delivery'],
]);

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
 */
export function readFilter(raw: string, now: number): AuditFilter | string {
  const mentions = [...raw.matchAll(MENTION)];
  const idsAfter = (sign: string) => mentions.flatMap(([, kind, id = '']) => (kind === sign ? [id] : []));
  const { since, rest } = readSince(unescapeSlack(raw.replaceAll(MENTION, ' ')), now);
  if (since !== undefined && Number.isNaN(since.getTime())) return 'That isn’t a date.';
  const named = Array.from(rest.matchAll(VISITOR), ([, id = '']) => id);
  const words = rest.replaceAll(VISITOR, ' ').split(/[\s,]+/);
  const actions: ActionName[] = [];
  for (const word of words.filter((one) => one !== '')) {
    const action = ACTION_WORDS.get(word.toLowerCase());
    if (action !== undefined) actions.push(action);
    else if (VISITOR_ID.test(word)) named.push(word);
    else return `I didn’t understand “${word.slice(0, 60)}”.`;
  }
  return { userIds: idsAfter('@'), channelIds: idsAfter('#'), visitorIds: named, actions, since };
}

const WORDS: Readonly<Record<AuditEntry['action'], string>> = {
  search: 'search',
  link: 'watch link',
  'proxy-link': 'proxy link',
  refusal: 'refusal',
  stop: 'stop',
  outcome: 'outcome',
  note: 'note',
  delete: 'deletion',
  setting: 'setting',
  subscription: 'subscription',
  delivery: 'delivery',
  audit: 'look at the audit',
  usage: 'look at usage',
  'on-it': 'help for who waits',
  'online-notice': 'message when online',
  'follow-up': 'follow-up',
};

/** What a filter takes for each of them, as it's typed. */
const FILTERS: Readonly<Record<AuditEntry['action'], string>> = {
  search: 'searches',
  link: 'links',
  'proxy-link': 'proxy',
  refusal: 'refusals',
  stop: 'stops',
  outcome: 'outcomes',
  note: 'notes',
  delete: 'deletions',
  setting: 'settings',
  subscription: 'subscriptions',
  delivery: 'deliveries',
  audit: 'audits',
  usage: 'usage',
  'on-it': 'on-it',
  'online-notice': 'online-notice',
  'follow-up': 'follow-ups',
};

const listed = (before: string, pieces: readonly Piece[]): readonly Piece[] =>
  pieces.flatMap((piece, index) => [index === 0 ? before : ' or ', piece]);

/** " by @sam in #support since ...": what was understood of the filter, for the reader to check. */
export function filterWords({ userIds, channelIds, visitorIds, actions, since }: AuditFilter): Line {
  return [
    ...listed(
      ': ',
      actions.map((action) => WORDS[action]),
    ),
    ...listed(
      ' of visitor ',
      visitorIds.map((id) => code(short(id, 40))),
    ),
    ...listed(' by ', userIds.map(who)),
    ...listed(' in ', channelIds.map(where)),
    ...(since === undefined ? [] : [' since ', date(since)]),
  ];
}

/** The filter can't be read. @param complaint what is wrong */
export function auditUsage(complaint: string): Message {
  return message(
    lines([short(complaint), ' Try one of these:']),
    points(
      [code('/cobrowse audit'), '  everything, newest first'],
      [code('/cobrowse audit @person'), '  what one person did'],
      [code('/cobrowse audit #channel link'), '  screens that were asked for from a channel'],
      [code('/cobrowse audit refusal last 7 days'), '  who wasn’t allowed to do something lately'],
      [code('/cobrowse audit delete since 2026-11-01'), '  deletions since a day'],
      [code('/cobrowse audit visitor jane4821'), '  everything about one visitor'],
      [code('/cobrowse audit csv'), '  the whole log as a file'],
    ),
    lines([`Filter by: ${Object.values(FILTERS).join(', ')}.`]),
  );
}
