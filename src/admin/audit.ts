import { z } from 'zod';
import { AuditEntry, positionBefore } from '../audit/audit.ts';
import type { RecordColumns } from '../commands/record-file.ts';
import { filterWords, readRecordFilter, type RecordFilter } from '../commands/record-filter.ts';
import { defineRecordCommand } from '../commands/record-list.ts';
import { dayOf, localTime } from '../messages/days.ts';
import { lines, notice, points, refusal, type Part } from '../messages/message.ts';
import type { Columns } from '../messages/table.ts';
import { bold, code, day, plainLine, say, time, where, who, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { createCustomersNamed } from '../visitors/visitor-search.ts';
import { readRecordedChange } from '../workspaces/settings.ts';
import { sentence, type ShownRecord } from './audit-sentences.ts';

type ActionName = AuditEntry['action'];
type Filter = RecordFilter<ActionName>;

/** What each is called in lists, and what a filter takes for it, as it's typed. */
const ACTIONS: Readonly<Record<ActionName, readonly [name: string, filter: string]>> = {
  search: ['search', 'searches'],
  link: ['watch link', 'links'],
  'proxy-link': ['proxy link', 'proxy'],
  refusal: ['refusal', 'refusals'],
  stop: ['stop', 'stops'],
  outcome: ['outcome', 'outcomes'],
  note: ['note', 'notes'],
  delete: ['deletion', 'deletions'],
  setting: ['setting', 'settings'],
  subscription: ['subscription', 'subscriptions'],
  delivery: ['delivery', 'deliveries'],
  audit: ['look at the audit', 'audits'],
  usage: ['look at usage', 'usage'],
  sessions: ['look at sessions', 'sessions'],
  'on-it': ['help for who waits', 'on-it'],
  'online-notice': ['message when online', 'online-notice'],
  ask: ['question to a colleague', 'asks'],
  'follow-up': ['follow-up', 'follow-ups'],
  webhook: ['webhook', 'webhooks'],
  agent: ['look-up of an agent', 'agents'],
  slackbot: ['question through Slackbot', 'slackbot'],
};

const nameOf = (action: ActionName) => ACTIONS[action][0];

const ACTION_WORDS: ReadonlyMap<string, ActionName> = new Map([
  ...AuditEntry.shape.action.options.flatMap((action) =>
    [action, `${action}s`, ACTIONS[action][1]].map((word) => [word, action] as const),
  ),
  ['watch', 'link'],
  ['refused', 'refusal'],
  ['deletion', 'delete'],
]);

export const readFilter = (raw: string, now: number, zone: string | undefined) =>
  readRecordFilter(raw, now, zone, (word) => ACTION_WORDS.get(word));

/** When on its day, where, and what someone did, in a sentence: "in #support, @Kim tried to watch (not on the list)". */
function recordLine(record: ShownRecord): Line {
  const { at, userId, channelId } = record;
  const [act, ...rest] = sentence(record);
  const place: Line = channelId === undefined ? [] : ['in ', where(channelId), ', '];
  return [time(new Date(at)), ' · ', ...place, who(userId), ' ', bold(act), ...rest];
}

const shownColumns = (zone = 'UTC'): Columns<ShownRecord> => ({
  heads: [`Time (${zone})`, 'Person', 'What', 'Channel'],
  cells: (record) => [
    localTime(Date.parse(record.at), zone),
    [who(record.userId)],
    sentence(record),
    record.channelId === undefined ? '' : [where(record.channelId)],
  ],
});

export function daysOf(records: readonly ShownRecord[], zone = 'UTC'): readonly Part[] {
  const days = Map.groupBy(records, ({ at }) => dayOf(Date.parse(at), zone));
  return [...days.values()].flatMap((ofDay) => [
    lines(...ofDay.slice(0, 1).map(({ at }) => [day(new Date(at))])),
    points(...ofDay.map(recordLine)),
  ]);
}

const emptyAudit = (filter: Filter) =>
  notice(
    ['Nothing is on record', ...filterWords(filter, nameOf), '.'],
    say`Try fewer filters: ${code('/cobrowse audit')} shows everything. Records are kept for as long as your admin has set.`,
  );

const shown = (entry: AuditEntry): ShownRecord =>
  entry.action === 'setting' ? { ...entry, change: readRecordedChange(entry.detail) } : entry;

export const columnsIn = (zone = 'UTC'): RecordColumns<AuditEntry> => ({
  heads: [`Time (${zone})`, 'Person', 'What', 'Action', 'Outcome', 'Channel', 'Visitor', 'Details'],
  cells(entry) {
    const { at, userId, action, outcome, channelId = '', visitorId = '', detail } = entry;
    const details = detail === undefined ? '' : JSON.stringify(detail);
    const local = localTime(Date.parse(at), zone);
    return [local, userId, plainLine(sentence(shown(entry))), action, outcome, channelId, visitorId, details];
  },
  fields: (entry) => entry,
});

const FILTERS: readonly (readonly [typed: string, meaning: string])[] = [
  ['', 'everything, newest first'],
  [' @person', 'what one person did'],
  [' #channel link', 'screens that were asked for from a channel'],
  [' refusal last 7 days', 'who wasn’t allowed to do something lately'],
  [' delete since 2026-11-01', 'deletions since a day'],
  [' yesterday', 'of a day, by your clock: today, yesterday, this week, last week'],
  [' jane', 'everything about one customer, by name, email or visitor ID'],
  [' csv', 'the whole log as a file'],
];

export const createAuditCommand = (
  app: Pick<App, 'audit' | 'recording' | 'sendFile' | 'newBlocks' | 'zoneOf' | 'now'>,
) =>
  defineRecordCommand(app, createCustomersNamed(app.recording), {
    name: 'audit',
    usage: 'audit [filter] [csv]',
    summary: 'Show who did what, or get it as a file (admins only)',
    // Someone who saw a button may no longer be an admin.
    right: { admins: 'audit', refused: () => refusal(['Only admins can see the audit log.']) },
    level: 'admin',
    examples: ['audit', 'audit @sam last 7 days', 'audit csv'],
    filters: FILTERS,
    words: Object.values(ACTIONS)
      .map(([, filter]) => filter)
      .join(', '),
    one: 'record',
    title: 'Audit log',
    fileName: 'audit-log',
    formats: ['csv', 'jsonl'],
    // At one line each, this many fit into a message's text.
    onAPage: 20,
    id: z.int(),
    before: positionBefore,
    read: readFilter,
    nameOf,
    async records({ workspaceId }, filter, zone) {
      const { words: actions, ...others } = filter;
      const wanted = { ...others, actions };
      return {
        page: (most, from) => app.audit.page(workspaceId, wanted, from, most),
        count: (from) => app.audit.count(workspaceId, wanted, from),
        placeOf: ({ at, id }) => ({ at: Date.parse(at), id }),
        none: emptyAudit(filter),
        shown: async (found) => found.map(shown),
        columns: shownColumns(zone),
        line: recordLine,
        inWords: (records) => daysOf(records, zone),
        file: async (from) => ({
          columns: columnsIn(zone),
          records: app.audit.read(workspaceId, wanted, from),
        }),
      };
    },
  });
