import type { AuditEntry } from '../audit/audit.ts';
import type { AuditFilter } from '../audit/filter.ts';
import { ACTION } from '../messages/action-ids.ts';
import {
  button,
  buttons,
  done,
  lines,
  message,
  notice,
  points,
  problem,
  refusal,
  waiting,
} from '../messages/message.ts';
import type { Message, Part } from '../messages/message.ts';
import { bold, code, count as counted, date, day, short, time } from '../messages/text.ts';
import type { Line, Piece } from '../messages/text.ts';
import { sentence, where, who } from './audit-sentences.ts';
import type { ShownRecord } from './audit-sentences.ts';

/** At one line each, this many fit into a message's text. */
export const RECORDS_ON_A_PAGE = 20;

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
};

/** One page of the audit. */
export interface AuditPage {
  readonly filter: AuditFilter;
  /** Records skipped before this page. */
  readonly offset: number;
  readonly records: readonly ShownRecord[];
  /** The value of the More button; undefined where there are no more. */
  readonly more: string | undefined;
  /** How far back the page reaches, where there are more. */
  readonly searchedTo: Date | undefined;
  /** The value of the buttons that get the file. */
  readonly file: string;
  /** The reader's time zone, if Slack says it. */
  readonly zone: string | undefined;
}

/** When on its day, where, and what someone did, in a sentence: "in #support, @Kim tried to watch (not on the list)". */
function recordLine(record: ShownRecord): Line {
  const { at, userId, channelId } = record;
  const [act, ...rest] = sentence(record);
  const place: Line = channelId === undefined ? [] : ['in ', where(channelId), ', '];
  return [time(new Date(at)), ' · ', ...place, who(userId), ' ', bold(act), ...rest];
}

/** Names the day of a time for a reader, by a time zone; by UTC where Slack doesn't say theirs, or nobody knows it. */
function dayNames(zone: string | undefined): (at: Date) => string {
  try {
    const names = new Intl.DateTimeFormat('en-CA', { timeZone: zone ?? 'UTC' });
    return (at) => names.format(at);
  } catch {
    return (at) => at.toISOString().slice(0, 10);
  }
}

/** Each day once, with its records below. */
function daysOf(records: readonly ShownRecord[], zone: string | undefined): readonly Part[] {
  const nameOf = dayNames(zone);
  const days = Map.groupBy(records, ({ at }) => nameOf(new Date(at)));
  return [...days.values()].flatMap((ofDay) => {
    const [first] = ofDay;
    return first === undefined ? [] : [lines([day(new Date(first.at))]), points(...ofDay.map(recordLine))];
  });
}

const listed = (before: string, pieces: readonly Piece[]): readonly Piece[] =>
  pieces.flatMap((piece, index) => [index === 0 ? before : ' or ', piece]);

/** " by @sam in #support since ...": what was understood of the filter, for the reader to check. */
function filterWords({ userIds, channelIds, visitorIds, actions, since }: AuditFilter): Line {
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

/** The newest records, one per line. */
export function auditPage(page: AuditPage): Message {
  const { filter, offset, records, more, searchedTo, file, zone } = page;
  const range = records.length === 0 ? '' : `, ${offset + 1} to ${offset + records.length}`;
  const isCutShort = searchedTo !== undefined && records.length < RECORDS_ON_A_PAGE;
  return message(
    lines([bold(`Audit log, newest first${range}`), ...filterWords(filter)]),
    ...daysOf(records, zone),
    ...(isCutShort
      ? [lines([date(searchedTo), ': searched back to here. Press More to search further back.'])]
      : []),
    buttons(
      ...(more === undefined
        ? []
        : [button({ text: 'More', actionId: ACTION.auditMore, value: more, label: 'More: older records' })]),
      button({
        text: 'Get the file',
        actionId: ACTION.auditFile,
        value: file,
        label: 'Get the file of these and all older records, as CSV',
      }),
      button({
        text: 'As JSON lines',
        actionId: ACTION.auditLines,
        value: file,
        label: 'Get the same as JSON lines',
      }),
    ),
  );
}

export function emptyAudit(filter: AuditFilter): Message {
  return notice(
    ['Nothing is on record', ...filterWords(filter), '.'],
    [
      'Try fewer filters: ',
      code('/cobrowse audit'),
      ' shows everything. Records are kept for as long as your admin has set.',
    ],
  );
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

export function auditForAdmins(): Message {
  return refusal(['Only admins can see the audit log.']);
}

const older = (isCut: boolean) =>
  isCut ? ' Older ones were left out to keep the file small: narrow it down with a filter.' : '';

/** The text above the file; Slack reads it as markup, so it contains only our words. */
export function auditFileComment(count: number, isCut: boolean): string {
  return `Audit log: ${counted(count, 'record')}, newest first.${older(isCut)}`;
}

export function auditFileSent(count: number, isCut: boolean): Message {
  return done([`I sent you the file with ${counted(count, 'record')} as a direct message.${older(isCut)}`]);
}

/** A second click on the same button. */
export const auditFileUnderWay: Message = waiting(['Your file is on its way. Check your direct messages.']);

/** Slack refused the file. @param given why, in Slack's own code, and the missing scope */
export function auditFileRefused(given: { readonly reason: string; readonly scope?: string }): Message {
  const { reason, scope } = given;
  if (reason === 'missing_scope') {
    return problem(
      ['I can’t send files: the app lacks the scope ', code(short(scope ?? 'files:write', 60)), '.'],
      ['Ask your admin to reinstall the app from its manifest, then press again.'],
    );
  }
  return problem(
    ['Slack didn’t take the file: ', code(short(reason, 60)), '.'],
    ['Check your direct messages with this app. If the file isn’t there, press again in a minute.'],
  );
}
