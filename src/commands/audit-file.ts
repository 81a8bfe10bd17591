import type { AuditEntry } from '../audit/audit.ts';

/** A file that people still open, and that is made and sent while one person waits. */
const MOST_RECORDS = 100_000;
const MOST_BYTES = 20_000_000;

/** JSON Lines: a record a line, newest first. */
interface AuditFile {
  readonly content: Buffer;
  readonly count: number;
  /** Whether older records were left out, because the file would have grown too large. */
  readonly isCut: boolean;
}

/** Takes records until there are no more, or the file is full. */
export async function auditFile(
  records: AsyncIterable<AuditEntry>,
  { mostRecords = MOST_RECORDS, mostBytes = MOST_BYTES } = {},
): Promise<AuditFile> {
  const lines: Buffer[] = [];
  let bytes = 0;
  for await (const record of records) {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    if (lines.length === mostRecords || bytes + line.length > mostBytes) {
      return { content: Buffer.concat(lines), count: lines.length, isCut: true };
    }
    lines.push(line);
    bytes += line.length;
  }
  return { content: Buffer.concat(lines), count: lines.length, isCut: false };
}
