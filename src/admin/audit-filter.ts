import type { AuditFilter } from '../audit/filter.ts';
import { AuditEntry } from '../audit/audit.ts';
import { unescapeSlack } from '../commands/typed.ts';

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
  const date = SINCE.exec(words);
  if (date !== null) return { since: new Date(`${date[1]}T00:00:00Z`), rest: words.replace(SINCE, ' ') };
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
