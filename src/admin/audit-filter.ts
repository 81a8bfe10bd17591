import { AuditEntry } from '../audit/audit.ts';
import { readRecordFilter, type ReadFilter } from '../commands/record-filter.ts';
import { lines, message, points, type Message } from '../messages/message.ts';
import { code, short } from '../messages/text.ts';

export type ActionName = AuditEntry['action'];

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

/** See {@link readRecordFilter}. */
export const readFilter = (
  raw: string,
  now: number,
  zone: string | undefined,
): ReadFilter<ActionName> | string => readRecordFilter(raw, now, zone, (word) => ACTION_WORDS.get(word));

/** Of an action, in lists. */
export const ACTION_NAMES: Readonly<Record<AuditEntry['action'], string>> = {
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
  sessions: 'look at sessions',
  'on-it': 'help for who waits',
  'online-notice': 'message when online',
  ask: 'question to a colleague',
  'follow-up': 'follow-up',
  webhook: 'webhook',
  agent: 'look-up of an agent',
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
  sessions: 'sessions',
  'on-it': 'on-it',
  'online-notice': 'online-notice',
  ask: 'asks',
  'follow-up': 'follow-ups',
  webhook: 'webhooks',
  agent: 'agents',
};

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
      [
        code('/cobrowse audit yesterday'),
        '  of a day, by your clock: today, yesterday, this week, last week',
      ],
      [code('/cobrowse audit jane'), '  everything about one customer, by name, email or visitor ID'],
      [code('/cobrowse audit csv'), '  the whole log as a file'],
    ),
    lines([`Filter by: ${Object.values(FILTERS).join(', ')}.`]),
  );
}
