import type { AuditEntry } from '../audit/audit.ts';
import { done, problem, waiting } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import { code, count as counted, plainLine, short } from '../messages/text.ts';
import { sentence } from './audit-sentences.ts';
import type { ShownRecord } from './audit-sentences.ts';

/** Small enough to open, and to make and send while someone waits. */
const MOST_RECORDS = 100_000;
const MOST_BYTES = 20_000_000;

/** One record per line, newest first: CSV for a spreadsheet, JSON lines for a program. Also the file's extension. */
export type AuditFormat = 'csv' | 'jsonl';

/** Sends a file by direct message. A refusal has Slack's own code, and the missing scope. */
export type SendFile = (
  to: { readonly workspaceId: string; readonly userId: string },
  file: {
    readonly name: string;
    readonly title: string;
    /** The text above it, as Slack's mrkdwn. */
    readonly comment: string;
    readonly content: Buffer;
  },
) => Promise<
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly scope?: string }
>;

interface AuditFile {
  readonly content: Buffer;
  readonly count: number;
  /** Whether older records were left out, because the file would have grown too large. */
  readonly isCut: boolean;
}

/** A spreadsheet runs text that begins like this as a formula. Source: OWASP, CSV Injection. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Source: RFC 4180, except for the line breaks: spreadsheets read these as well. */
const row = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\n`;

/** With the mark by which spreadsheets know UTF-8. */
const HEADER = `\uFEFF${row(['Time (UTC)', 'Person', 'What', 'Action', 'Outcome', 'Channel', 'Visitor', 'Details'])}`;

const csvLine = (record: ShownRecord): string => {
  const { at, userId, action, outcome, channelId = '', visitorId = '', detail } = record;
  const details = detail === undefined ? '' : JSON.stringify(detail);
  return row([at, userId, plainLine(sentence(record)), action, outcome, channelId, visitorId, details]);
};

/**
 * Takes records until there are no more, or the file is full.
 *
 * @param shown a record as it is put into words
 */
export async function auditFile(
  records: AsyncIterable<AuditEntry>,
  format: AuditFormat,
  {
    shown = (entry: AuditEntry): ShownRecord => entry,
    mostRecords = MOST_RECORDS,
    mostBytes = MOST_BYTES,
  } = {},
): Promise<AuditFile> {
  const header = Buffer.from(format === 'csv' ? HEADER : '');
  const lines: Buffer[] = [];
  let bytes = header.length;
  const file = (isCut: boolean): AuditFile => ({
    content: Buffer.concat([header, ...lines]),
    count: lines.length,
    isCut,
  });
  for await (const record of records) {
    const line = Buffer.from(format === 'csv' ? csvLine(shown(record)) : `${JSON.stringify(record)}\n`);
    if (lines.length === mostRecords || bytes + line.length > mostBytes) return file(true);
    lines.push(line);
    bytes += line.length;
  }
  return file(false);
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
