import { done, problem, waiting, type Message } from '../messages/message.ts';
import { code, count as counted, say, short } from '../messages/text.ts';
import { troubleWords } from '../messages/delivery-words.ts';
import { kindOf } from '../messages/slack-codes.ts';
import type { App } from '../parts.ts';
import type { Viewer } from './rights.ts';

/** Small enough to make, send and open while someone waits. */
const MOST_RECORDS = 100_000;
const MOST_BYTES = 20_000_000;
const ONE_FILE_WITHIN_MS = 60_000;

/** One record per line, newest first. Also the file's extension. */
export type RecordFormat = 'csv' | 'jsonl';

/** With Slack's own code, and the missing scope. */
interface FileRefusal {
  readonly outcome: 'refused';
  readonly reason: string;
  readonly scope?: string;
}

/** By direct message. */
export type SendFile = (
  to: Viewer,
  file: {
    readonly name: string;
    readonly title: string;
    /** Slack's mrkdwn, above the file. */
    readonly comment: string;
    readonly content: Buffer;
  },
) => Promise<{ readonly outcome: 'sent' } | FileRefusal>;

/** Asks for the file at once: "refusals last 7 days csv", "as a file". */
const AS_FILE = /(?<!\S)(?:as )?(?:an? )?(csv|jsonl?|file)(?!\S)/i;
const FORMATS: ReadonlyMap<string, RecordFormat> = new Map([
  ['csv', 'csv'],
  ['file', 'csv'],
  ['json', 'jsonl'],
  ['jsonl', 'jsonl'],
]);

export const readFormat = (typed: string) => ({
  format: FORMATS.get(AS_FILE.exec(typed)?.[1]?.toLowerCase() ?? ''),
  filter: typed.replace(AS_FILE, ' ').trim(),
});

export interface RecordColumns<Record> {
  readonly heads: readonly string[];
  readonly cells: (record: Record) => readonly string[];
  readonly fields: (record: Record) => object;
}

type RecordFile = Awaited<ReturnType<typeof recordFile>>;

/** A spreadsheet may run text that begins like this as a formula. Source: OWASP, CSV Injection; ASVS 5.0, 1.2.10. */
const FORMULA = /^[=+\-@\p{Cc}\uFF1D\uFF0B\uFF0D\uFF20]/u;

function cell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Source: RFC 4180, except for the line breaks: spreadsheets read these as well. */
const row = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\n`;

/** `isCut`: whether older records were left out. */
export async function recordFile<Record>(
  records: AsyncIterable<Record>,
  format: RecordFormat,
  { heads, cells, fields }: RecordColumns<Record>,
  { mostRecords = MOST_RECORDS, mostBytes = MOST_BYTES } = {},
) {
  // The byte order mark tells spreadsheets that it's UTF-8.
  const header = Buffer.from(format === 'csv' ? `\uFEFF${row(heads)}` : '');
  const lines: Buffer[] = [];
  let bytes = header.length;
  const file = (isCut: boolean) => ({
    content: Buffer.concat([header, ...lines]),
    count: lines.length,
    isCut,
  });
  for await (const record of records) {
    const line = Buffer.from(format === 'csv' ? row(cells(record)) : `${JSON.stringify(fields(record))}\n`);
    if (lines.length === mostRecords || bytes + line.length > mostBytes) return file(true);
    lines.push(line);
    bytes += line.length;
  }
  return file(false);
}

const OLDER = ' Older ones were left out to keep the file small: narrow it down with a filter.';
const UNNAMED =
  ' Some customers’ names are missing: there were too many, or the service didn’t answer. Their IDs are there.';

const fileUnderWay = waiting(['Your file is on its way. Check your direct messages.']);

function fileRefused({ reason, scope = 'files:write' }: FileRefusal): Message {
  const kind = kindOf(reason);
  return problem(
    say`Slack didn’t take the file: ${code(short(reason, 60))}.`,
    kind === 'missing-scope' || kind === 'files-off'
      ? troubleWords({ kind, code: reason, neededScope: scope }, true)
      : ['Check your direct messages with this app. If the file isn’t there, press again in a minute.'],
  );
}

interface AboutFile {
  readonly key: readonly string[];
  readonly name: string;
  readonly title: string;
  readonly one: string;
  /** Some customers have no name: too many were asked for, or the service failed. */
  readonly isNamedInPart?: boolean;
}

/**
 * Sends a file by direct message, once within a minute, but again at once if Slack refused it.
 *
 * @returns whether it was sent, undefined if it was on its way already; and what to say
 */
export async function sendRecords(
  { sendFile, claims }: Pick<App, 'sendFile' | 'claims'>,
  { workspaceId, userId }: Viewer,
  { content, count, isCut }: RecordFile,
  { key, name, title, one, isNamedInPart }: AboutFile,
): Promise<{ readonly outcome: 'sent' | 'not-sent' | undefined; readonly answer: Message }> {
  const claim = ['file', userId, ...key].join(' ');
  if (!(await claims.claim(workspaceId, claim, ONE_FILE_WITHIN_MS)))
    return { outcome: undefined, answer: fileUnderWay };
  const size = counted(count, one);
  const missing = `${isCut ? OLDER : ''}${isNamedInPart ? UNNAMED : ''}`;
  // Slack reads the comment as markup, so it has only our words.
  const comment = `${title}: ${size}, newest first.${missing}`;
  const sent = await sendFile({ workspaceId, userId }, { name, title, comment, content });
  if (sent.outcome === 'sent')
    return {
      outcome: 'sent',
      answer: done([`I sent you the file with ${size} as a direct message.${missing}`]),
    };
  await claims.release(workspaceId, claim);
  return { outcome: 'not-sent', answer: fileRefused(sent) };
}
