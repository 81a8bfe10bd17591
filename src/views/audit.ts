import type { RecordedChange } from '../grants/recorded-change.ts';
import type { AuditFilter } from '../audit/filter.ts';
import type { AuditEntry } from '../audit/audit.ts';
import { ACTION } from './action-ids.ts';
import { settingChangeWords } from './audit-setting.ts';
import { button } from './buttons.ts';
import { buttons, lines, message, notice, points } from './message.ts';
import type { Message } from './message.ts';
import { bold, channel, code, date, user } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { count as counted, short } from './text.ts';

/** With a line each within what a message's text may hold. */
export const RECORDS_ON_A_PAGE = 20;

const WORDS: Readonly<Record<AuditEntry['action'], string>> = {
  search: 'search',
  link: 'watch link',
  'proxy-link': 'proxy link',
  refusal: 'refusal',
  stop: 'stop',
  delete: 'deletion',
  setting: 'setting',
  subscription: 'subscription',
  delivery: 'delivery',
  audit: 'look at the audit',
  usage: 'look at usage',
};

/** Hashes and ids of ours, for the file: they tell a reader nothing. */
const FOR_THE_FILE: ReadonlySet<string> = new Set(['query', 'address', 'grant']);

/** A record, with the change of a setting read back where it is one. */
export type ShownRecord = AuditEntry & { readonly change?: RecordedChange | undefined };

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
  /** The value of the button that gets the file. */
  readonly file: string;
}

// A mention of what Slack does not know would have the whole message refused.
const who = (id: string): Piece =>
  /^[UW][A-Z0-9]{5,}$/.test(id) ? user(id) : code(short(id, 30) || 'the app');
const where = (id: string): Piece => (/^[CGD][A-Z0-9]{5,}$/.test(id) ? channel(id) : code(short(id, 30)));

const named = (id: string): Piece => (/^[CGD]/.test(id) ? where(id) : who(id));

/** What was found of a search, as which agent a link was given, and the like. */
function detailOf({ detail = {} }: AuditEntry): string {
  const said = Object.entries(detail)
    .filter(([name]) => !FOR_THE_FILE.has(name))
    .map(([name, value]) => `, ${name} ${String(value)}`);
  return short(said.join(''), 60);
}

/** What came of it. A setting was asked for before it counted, and done after. */
function outcomeWords(record: ShownRecord): Line {
  const { outcome } = record;
  const change = record.change && settingChangeWords(record.change, named);
  if (change === undefined) return [`${short(outcome, 40)}${detailOf(record)}`];
  return outcome === 'done' ? change : [`${short(outcome, 40)}, `, ...change];
}

function recordLine(record: ShownRecord): Line {
  const { at, userId, action, visitorId, channelId } = record;
  return [
    date(new Date(at)),
    '  ',
    who(userId),
    '  ',
    bold(WORDS[action]),
    ...(visitorId === undefined ? [] : [' of ', code(short(visitorId, 40))]),
    ...(channelId === undefined ? [] : [' in ', where(channelId)]),
    ': ',
    ...outcomeWords(record),
  ];
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

/** The newest records, a line each. */
export function auditPage({ filter, offset, records, more, searchedTo, file }: AuditPage): Message {
  const range = records.length === 0 ? '' : `, ${offset + 1} to ${offset + records.length}`;
  const isCutShort = searchedTo !== undefined && records.length < RECORDS_ON_A_PAGE;
  return message(
    lines([bold(`Audit trail, newest first${range}`), ...filterWords(filter)]),
    ...(records.length === 0 ? [] : [points(...records.map(recordLine))]),
    ...(isCutShort
      ? [lines(['Searched back to ', date(searchedTo), ' so far. Press More to search further back.'])]
      : []),
    buttons(
      ...(more === undefined
        ? []
        : [button({ text: 'More', actionId: ACTION.auditMore, value: more, label: 'More: older records' })]),
      button({
        text: 'Get the file',
        actionId: ACTION.auditFile,
        value: file,
        label: 'Get the file of these and all older records',
      }),
    ),
  );
}

export function emptyAudit(filter: AuditFilter): Message {
  return notice(
    ['Nothing is written down', ...filterWords(filter), '.'],
    [
      'Try fewer filters: ',
      code('/cobrowse audit'),
      ' alone shows everything. Records are kept for the time that whoever runs the app has set.',
    ],
  );
}

/** The filter is not understood. @param complaint what of it */
export function auditUsage(complaint: string): Message {
  return message(
    lines([short(complaint), ' You can ask for:']),
    points(
      [code('/cobrowse audit'), '  everything, newest first'],
      [code('/cobrowse audit @person'), '  what one person did'],
      [code('/cobrowse audit #channel link'), '  links given in a channel'],
      [code('/cobrowse audit refusal last 7 days'), '  who was refused lately'],
      [code('/cobrowse audit delete since 2026-11-01'), '  deletions since a day'],
      [code('/cobrowse audit visitor jane4821'), '  what was done about one visitor'],
    ),
    lines([`What can be named: ${Object.keys(WORDS).join(', ')}.`]),
  );
}

export function auditForAdmins(): Message {
  return notice(['The audit trail is for admins and owners of this workspace.'], ['Ask one of them.']);
}

const older = (isCut: boolean) =>
  isCut ? ' Older ones were left out to keep the file small: ask for fewer with a filter.' : '';

/** What stands above the file; Slack reads it as markup, so it holds words of ours alone. */
export function auditFileComment(count: number, isCut: boolean): string {
  return `The audit trail as you asked for it: ${counted(count, 'record')}, newest first, one a line as JSON.${older(isCut)}`;
}

export function auditFileSent(count: number, isCut: boolean): Message {
  return notice([
    `The file with ${counted(count, 'record')} is in your direct messages with this app.${older(isCut)}`,
  ]);
}

/** Slack did not take the file. @param refusal why, in Slack's own code, and the scope that it misses */
export function auditFileRefused(refusal: { readonly reason: string; readonly scope?: string }): Message {
  const { reason, scope } = refusal;
  if (reason === 'missing_scope') {
    return notice(
      [
        'The app may not send files: Slack has not given it the scope ',
        code(short(scope ?? 'files:write', 60)),
        '.',
      ],
      ['Ask whoever runs the app to reinstall it from its manifest, and press again.'],
    );
  }
  return notice(
    ['Slack did not take the file: ', code(short(reason, 60)), '.'],
    ['Look into your direct messages with this app; if it is not there, press again in a minute.'],
  );
}
