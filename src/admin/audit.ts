import { z } from 'zod';
import { AuditEntry, positionBefore, type AuditFilter } from '../audit/audit.ts';
import { defineCommand, definePress, jsonText } from '../commands/command.ts';
import {
  sendRecords,
  readFormat,
  recordFile,
  type RecordColumns,
  type RecordFormat,
} from '../commands/record-file.ts';
import {
  filterText,
  filterWords,
  Look,
  pageTitle,
  readRecordFilter,
  type RecordFilter,
} from '../commands/record-filter.ts';
import type { Caller } from '../commands/rights.ts';
import { dayOf, localTime } from '../messages/days.ts';
import {
  button,
  buttons,
  lines,
  message,
  notice,
  points,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import { fitting, MOST_ROWS, table, type Columns } from '../messages/table.ts';
import { bold, code, day, plainLine, say, short, time, where, who, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { withCustomers } from '../visitors/visitor-search.ts';
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

function auditUsage(complaint: string): Message {
  const examples: readonly [typed: string, meaning: string][] = [
    ['', 'everything, newest first'],
    [' @person', 'what one person did'],
    [' #channel link', 'screens that were asked for from a channel'],
    [' refusal last 7 days', 'who wasn’t allowed to do something lately'],
    [' delete since 2026-11-01', 'deletions since a day'],
    [' yesterday', 'of a day, by your clock: today, yesterday, this week, last week'],
    [' jane', 'everything about one customer, by name, email or visitor ID'],
    [' csv', 'the whole log as a file'],
  ];
  return message(
    lines([short(complaint), ' Try one of these:']),
    points(...examples.map(([typed, meaning]) => [code(`/cobrowse audit${typed}`), `  ${meaning}`])),
    lines([
      `Filter by: ${Object.values(ACTIONS)
        .map(([, filter]) => filter)
        .join(', ')}.`,
    ]),
  );
}

/** At one line each, this many fit into a message's text. */
const RECORDS_ON_A_PAGE = 20;

const wantedBy = ({ words: actions, ...others }: Filter): AuditFilter => ({ ...others, actions });

interface AuditPage {
  readonly filter: Filter;
  readonly offset: number;
  /** Of all pages, as far as they were counted. */
  readonly counted: { readonly others: number; readonly isAll: boolean };
  readonly records: readonly ShownRecord[];
  /** The value of the More button; undefined where there are no more. */
  readonly more: string | undefined;
  readonly file: string;
  readonly zone: string | undefined;
  /** In a table, where it's given. */
  readonly columns?: Columns<ShownRecord>;
}

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

/** Each day once, with its records below. */
function daysOf(records: readonly ShownRecord[], zone = 'UTC'): readonly Part[] {
  const days = Map.groupBy(records, ({ at }) => dayOf(Date.parse(at), zone));
  return [...days.values()].flatMap((ofDay) => [
    lines(...ofDay.slice(0, 1).map(({ at }) => [day(new Date(at))])),
    points(...ofDay.map(recordLine)),
  ]);
}

export function auditPage(page: AuditPage): Message {
  const { filter, offset, counted, records, more, file, zone, columns } = page;
  const pageOf = { offset, shown: records.length, total: counted.others, isAll: counted.isAll };
  return message(
    lines(pageTitle('record', pageOf, filter, nameOf)),
    ...(columns === undefined
      ? daysOf(records, zone)
      : [table('Who did what', columns, records, records.map(recordLine))]),
    buttons(
      more !== undefined &&
        button({ text: 'More', actionId: 'audit_more', value: more, label: 'More: older records' }),
      button({
        text: 'Get the file',
        actionId: 'audit_file',
        value: file,
        label: 'Get the file of these and all older records, as CSV',
      }),
      button({
        text: 'As JSON lines',
        actionId: 'audit_lines',
        value: file,
        label: 'Get the same as JSON lines',
      }),
    ),
  );
}

const emptyAudit = (filter: Filter) =>
  notice(
    ['Nothing is on record', ...filterWords(filter, nameOf), '.'],
    say`Try fewer filters: ${code('/cobrowse audit')} shows everything. Records are kept for as long as your admin has set.`,
  );

const shown = (entry: AuditEntry): ShownRecord =>
  entry.action === 'setting' ? { ...entry, change: readRecordedChange(entry.detail) } : entry;

/** How the file has an entry: ids and sentences side by side. */
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

const Page = Look.extend({ from: z.object({ at: z.int(), id: z.int() }), offset: z.int().min(0) });

/** Someone who saw the button may no longer be an admin. */
const right = { admins: 'audit', refused: () => refusal(['Only admins can see the audit log.']) } as const;

export function createAuditCommand(
  app: Pick<App, 'audit' | 'recording' | 'sendFile' | 'claims' | 'tables' | 'zoneOf' | 'now'>,
) {
  const { audit, recording, tables, zoneOf, now } = app;
  const note = ({ workspaceId, userId, channelId }: Caller, outcome: string, detail: AuditEntry['detail']) =>
    audit.record({ workspaceId, userId, channelId, action: 'audit', outcome, detail });

  /** Does something with the filter; explains the usage if it can't be read. */
  async function withFilter(
    look: Look,
    caller: Caller,
    work: (filter: Filter, customers: string[], zone: string | undefined) => Promise<Message>,
  ): Promise<Message> {
    const zone = await zoneOf(caller);
    const read = readFilter(look.filter, Date.parse(look.before), zone);
    const named = typeof read === 'string' ? read : await withCustomers(read, look, caller, recording);
    return typeof named === 'string' ? auditUsage(named) : work(named.filter, [...named.customers], zone);
  }

  function show({ offset, from, ...asked }: z.infer<typeof Page>, caller: Caller): Promise<Message> {
    return withFilter(asked, caller, async (filter, customers, zone) => {
      const look = { ...asked, customers };
      const { workspaceId, channelId } = caller;
      const wanted = wantedBy(filter);
      const inWords = channelId === undefined || (await tables.areRefused(workspaceId));
      const [{ entries, next }, counted] = await Promise.all([
        audit.page(workspaceId, wanted, from, inWords ? RECORDS_ON_A_PAGE : MOST_ROWS),
        audit.count(workspaceId, wanted, positionBefore(new Date(look.before))),
      ]);
      const query = audit.hashOf(look.filter);
      await note(caller, 'done', { query, found: entries.length });
      if (entries.length === 0 && next === undefined) return emptyAudit(filter);
      function page(some: typeof entries, columns?: Columns<ShownRecord>): Message {
        const last = some.length < entries.length ? some.at(-1) : undefined;
        const rest = last === undefined ? next : { at: Date.parse(last.at), id: last.id };
        const after = rest && { ...look, from: rest, offset: offset + some.length };
        return auditPage({
          filter,
          offset,
          counted,
          records: some.map(shown),
          more: after && JSON.stringify(after satisfies z.infer<typeof Page>),
          file: JSON.stringify(look),
          zone,
          columns,
        });
      }
      const words = page(entries.slice(0, RECORDS_ON_A_PAGE));
      const columns = shownColumns(zone);
      const fit = inWords ? 0 : fitting(columns, entries.map(shown)).length;
      return fit === 0 ? words : { ...words, tabled: page(entries.slice(0, fit), columns) };
    });
  }

  function send(look: Look, caller: Caller, format: RecordFormat): Promise<Message> {
    return withFilter(look, caller, async (filter, _customers, zone) => {
      const from = positionBefore(new Date(look.before));
      const records = audit.read(caller.workspaceId, wantedBy(filter), from);
      const file = await recordFile(records, format, columnsIn(zone));
      if (file.count === 0) return emptyAudit(filter);
      const query = audit.hashOf(look.filter);
      const { outcome, answer } = await sendRecords(app, caller, file, {
        key: ['audit', format, look.before, query],
        name: `audit-log-${dayOf(Date.parse(look.before), zone ?? 'UTC')}.${format}`,
        title: 'Audit log',
        one: 'record',
      });
      if (outcome !== undefined) await note(caller, outcome, { query, found: file.count, file: true });
      return answer;
    });
  }

  const filePress = (actionId: string, format: RecordFormat) =>
    definePress({
      actionId,
      answer: 'add',
      right,
      value: jsonText.pipe(Look),
      run: (look, caller) => send(look, caller, format),
    });

  return defineCommand({
    name: 'audit',
    usage: 'audit [filter] [csv]',
    summary: 'Show who did what, or get it as a file (admins only)',
    right,
    level: 'admin',
    examples: ['audit', 'audit @sam last 7 days', 'audit csv'],
    argument: filterText,
    run(typed, caller) {
      const at = new Date(now());
      const before = at.toISOString();
      const { format, filter } = readFormat(typed);
      if (format !== undefined) return send({ filter, before }, caller, format);
      return show({ filter, before, from: positionBefore(at), offset: 0 }, caller);
    },
    presses: [
      definePress({
        actionId: 'audit_more',
        answer: 'replace',
        right,
        value: jsonText.pipe(Page),
        run: show,
      }),
      filePress('audit_file', 'csv'),
      filePress('audit_lines', 'jsonl'),
    ],
  });
}
