import { z } from 'zod';
import { positionBefore } from '../audit/audit.ts';
import type { Audit, AuditEntry } from '../audit/audit.ts';
import type { AuditFilter } from '../audit/filter.ts';
import type { Caller } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { definePress, jsonText } from '../commands/press.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { ACTION } from '../messages/action-ids.ts';
import { button, buttons, lines, message, notice, points, refusal } from '../messages/message.ts';
import type { Message, Part } from '../messages/message.ts';
import { bold, code, date, day, time } from '../messages/text.ts';
import type { Line } from '../messages/text.ts';
import { readRecordedChange } from '../workspaces/settings.ts';
import {
  auditFile,
  auditFileComment,
  auditFileRefused,
  auditFileSent,
  auditFileUnderWay,
} from './audit-file.ts';
import type { AuditFormat, SendFile } from './audit-file.ts';
import { auditUsage, filterWords, readFilter } from './audit-filter.ts';
import { sentence, where, who } from './audit-sentences.ts';
import type { ShownRecord } from './audit-sentences.ts';

/** At one line each, this many fit into a message's text. */
const RECORDS_ON_A_PAGE = 20;

/** One page of the audit. */
interface AuditPage {
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

function emptyAudit(filter: AuditFilter): Message {
  return notice(
    ['Nothing is on record', ...filterWords(filter), '.'],
    [
      'Try fewer filters: ',
      code('/cobrowse audit'),
      ' shows everything. Records are kept for as long as your admin has set.',
    ],
  );
}

function auditForAdmins(): Message {
  return refusal(['Only admins can see the audit log.']);
}

const LONGEST_FILTER = 500;
/** Pressing the same button again within this time sends no second file. */
const ONE_FILE_WITHIN_MS = 60_000;

/** Asks for the file at once: "refusals last 7 days csv", "as a file". */
const AS_FILE = /(?<!\S)(?:as )?(?:an? )?(csv|jsonl?|file)(?!\S)/i;
const FORMATS: ReadonlyMap<string, AuditFormat> = new Map([
  ['csv', 'csv'],
  ['file', 'csv'],
  ['json', 'jsonl'],
  ['jsonl', 'jsonl'],
]);

/** The filter as typed, and when it was first used, so that later entries don't move the pages. */
const Look = z.object({ filter: z.string().max(LONGEST_FILTER), before: z.iso.datetime() });
/** Where a page begins, and how many entries came before it. */
const Page = Look.extend({ from: z.object({ at: z.int(), id: z.int() }), offset: z.int().min(0) });
type Look = z.infer<typeof Look>;

const shown = (entry: AuditEntry): ShownRecord =>
  entry.action === 'setting' ? { ...entry, change: readRecordedChange(entry.detail) } : entry;

/** Does something with the filter; explains the usage if it can't be read. */
async function withFilter(look: Look, work: (filter: AuditFilter) => Promise<Message>): Promise<Message> {
  const filter = readFilter(look.filter, Date.parse(look.before));
  return typeof filter === 'string' ? auditUsage(filter) : work(filter);
}

/** Someone who saw the button may no longer be an admin. */
const right = { admins: 'audit', refused: auditForAdmins } as const;

export function createAuditCommand({
  audit,
  sendFile,
  claims,
  timeZoneOf,
  now,
}: {
  readonly audit: Pick<Audit, 'page' | 'read' | 'hashOf' | 'record'>;
  readonly sendFile: SendFile;
  /** Which files are on their way to whom, so that a second click doesn't send a second one. */
  readonly claims: NamedClaims;
  /** The time zone in a Slack profile; undefined where Slack doesn't say. Never rejects. */
  readonly timeZoneOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  function note(
    { workspaceId, userId, channelId }: Caller,
    what: Pick<AuditEntry, 'outcome' | 'detail'>,
  ): Promise<void> {
    const place = channelId === undefined ? {} : { channelId };
    return audit.record({ workspaceId, userId, ...place, action: 'audit', ...what });
  }

  function show(page: z.infer<typeof Page>, caller: Caller): Promise<Message> {
    return withFilter(page, async (filter) => {
      const { offset, from, ...look } = page;
      const { workspaceId } = caller;
      const { entries, next } = await audit.page(workspaceId, filter, from, RECORDS_ON_A_PAGE);
      const query = audit.hashOf(look.filter);
      await note(caller, { outcome: 'done', detail: { query, found: entries.length } });
      if (entries.length === 0 && next === undefined) return emptyAudit(filter);
      const after = next && { ...look, from: next, offset: offset + entries.length };
      return auditPage({
        filter,
        offset,
        records: entries.map(shown),
        more: after && JSON.stringify(after satisfies typeof page),
        searchedTo: next && new Date(next.at),
        file: JSON.stringify(look),
        zone: await timeZoneOf(workspaceId, caller.userId),
      });
    });
  }

  /** Sends a file, unless the same one is on its way: then undefined. If Slack refused it, it can be requested again at once. */
  async function sendOnce(key: string, ...[to, file]: Parameters<SendFile>) {
    const { workspaceId } = to;
    if (!(await claims.claim(workspaceId, key, ONE_FILE_WITHIN_MS))) return undefined;
    try {
      const sent = await sendFile(to, file);
      if (sent.outcome !== 'sent') await claims.release(workspaceId, key);
      return sent;
    } catch (error) {
      await claims.release(workspaceId, key);
      throw error;
    }
  }

  function send(look: Look, caller: Caller, format: AuditFormat): Promise<Message> {
    return withFilter(look, async (filter) => {
      const { workspaceId, userId } = caller;
      const from = positionBefore(new Date(look.before));
      const records = audit.read(workspaceId, filter, from);
      const { content, count, isCut } = await auditFile(records, format, { shown });
      if (count === 0) return emptyAudit(filter);
      const query = audit.hashOf(look.filter);
      const key = ['audit file', userId, format, look.before, query].join(' ');
      const sent = await sendOnce(key, caller, {
        name: `audit-log-${look.before.slice(0, 10)}.${format}`,
        title: 'Audit log',
        comment: auditFileComment(count, isCut),
        content,
      });
      if (sent === undefined) return auditFileUnderWay;
      const outcome = sent.outcome === 'sent' ? 'sent' : 'not-sent';
      await note(caller, { outcome, detail: { query, found: count, file: true } });
      return sent.outcome === 'sent' ? auditFileSent(count, isCut) : auditFileRefused(sent);
    });
  }

  const filePress = (actionId: string, format: AuditFormat) =>
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
    argument: z
      .string()
      // The buttons carry it as JSON, where a vertical tab takes six characters.
      .transform((typed) => typed.replaceAll(/\s+/g, ' ').trim())
      .pipe(z.string().max(LONGEST_FILTER, `A filter is limited to ${LONGEST_FILTER} characters.`)),
    run(typed, caller) {
      const at = new Date(now());
      const before = at.toISOString();
      const format = FORMATS.get(AS_FILE.exec(typed)?.[1]?.toLowerCase() ?? '');
      const filter = typed.replace(AS_FILE, ' ').trim();
      if (format !== undefined) return send({ filter, before }, caller, format);
      return show({ filter, before, from: positionBefore(at), offset: 0 }, caller);
    },
    presses: [
      definePress({
        actionId: ACTION.auditMore,
        answer: 'replace',
        right,
        value: jsonText.pipe(Page),
        run: show,
      }),
      filePress(ACTION.auditFile, 'csv'),
      filePress(ACTION.auditLines, 'jsonl'),
    ],
  });
}
