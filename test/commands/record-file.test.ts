import { describe, expect, it } from 'vitest';
import { columnsIn } from '../../src/admin/audit.ts';
import { type RecordFormat, recordFile } from '../../src/commands/record-file.ts';
import type { AuditEntry } from '../../src/audit/audit.ts';

async function* records(count: number): AsyncGenerator<AuditEntry> {
  for (let number = 0; number < count; number += 1) {
    yield {
      at: '2026-11-08T15:30:00.000Z',
      workspaceId: 'T0ACME00000',
      userId: 'U0ALEX00001',
      action: 'search',
      outcome: String(number),
    };
  }
}

const fileOf = (...[all, format, mostBytes]: [AsyncIterable<AuditEntry>, RecordFormat, number?]) =>
  recordFile(all, format, columnsIn('Asia/Kathmandu'), mostBytes);

describe('a file of records', () => {
  it('is a table for spreadsheets, ids and sentences side by side', async () => {
    const { content } = await fileOf(records(1), 'csv');
    expect(content.toString().split('\n')).toEqual([
      '\uFEFF"Time (Asia/Kathmandu)","Person","What","Action","Outcome","Channel","Visitor","Details"',
      '"2026-11-08 21:15:00","U0ALEX00001","tried to search (0)","search","0","","",""',
      '',
    ]);
  });

  it.each(['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '＝1'])(
    'runs no formula that a visitor calls itself: %j',
    async (visitorId) => {
      async function* hostile() {
        for await (const record of records(1)) yield { ...record, visitorId };
      }
      const { content } = await fileOf(hostile(), 'csv');
      expect(content.toString()).toContain(`,"'${visitorId.replaceAll('"', '""')}",`);
    },
  );

  it('ends with a whole line before it grows too large, and says so', async () => {
    const { content: all } = await fileOf(records(2), 'jsonl');
    const cut = await fileOf(records(3), 'jsonl', all.length);
    expect(cut).toMatchObject({ content: all, count: 2, isCut: true });
  });
});
