/** Small enough to make, send and open while someone waits. */
const MOST_BYTES = 20_000_000;

/** One record per line, newest first. Also the file's extension. */
export type RecordFormat = 'csv' | 'jsonl';

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
  mostBytes = MOST_BYTES,
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
    if (bytes + line.length > mostBytes) return file(true);
    lines.push(line);
    bytes += line.length;
  }
  return file(false);
}
