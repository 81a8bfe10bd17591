import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { AuditEntry, createAudit } from '../../src/audit/audit.ts';
import type { NewEntry } from '../../src/audit/audit.ts';
import { temporaryFolder } from '../storage/temporary.ts';

const noon = Date.UTC(2020, 0, 1, 12);
const DAY_MS = 24 * 60 * 60 * 1_000;
const ACME = 'T0ACME00000';
const action: NewEntry = { workspaceId: ACME, userId: 'U0ALEX00001', action: 'search', outcome: 'done' };

async function all(records: AsyncIterable<AuditEntry>): Promise<readonly AuditEntry[]> {
  const read: AuditEntry[] = [];
  for await (const record of records) read.push(record);
  return read;
}

async function openTrail({ keptDays = 30, secret = 'a secret', file = 'memory:' } = {}) {
  const clock = { time: noon };
  const storage = await openStorage(file, { now: () => clock.time });
  onTestFinished(() => storage.close());
  const told: AuditEntry[] = [];
  const store = storage.store('audit');
  const audit = createAudit({
    store,
    now: () => clock.time,
    newId: () => crypto.randomUUID(),
    keptDays,
    secret,
    report: (record) => void told.push(record),
  });
  const outcomes = async (workspaceId = ACME, before?: Date) =>
    (await all(audit.read(workspaceId, before))).map(({ outcome }) => outcome);
  return { audit, store, storage, clock, told, outcomes };
}

describe('the audit', () => {
  it('keeps what it is told with the time of it, and tells the log the same', async () => {
    const { audit, told } = await openTrail();
    await audit.record({ ...action, visitorId: 'jane4821', channelId: 'C0SUPPORT01', detail: { found: 3 } });
    const expected = {
      at: '2020-01-01T12:00:00.000Z',
      workspaceId: ACME,
      userId: 'U0ALEX00001',
      action: 'search',
      outcome: 'done',
      visitorId: 'jane4821',
      channelId: 'C0SUPPORT01',
      detail: { found: 3 },
    };
    expect(await all(audit.read(ACME))).toEqual([expected]);
    expect(told).toEqual([expected]);
  });

  it('is read newest first, also what was written in the same millisecond', async () => {
    const { audit, clock, outcomes } = await openTrail();
    for (const outcome of ['1', '2', '3']) await audit.record({ ...action, outcome });
    clock.time += 1;
    await Promise.all(['4', '5'].map((outcome) => audit.record({ ...action, outcome })));
    expect(await outcomes()).toEqual(['5', '4', '3', '2', '1']);
  });

  it('is read from a moment back, without that very millisecond', async () => {
    const { audit, clock, outcomes } = await openTrail();
    for (const outcome of ['1', '2', '3']) {
      clock.time += 1;
      await audit.record({ ...action, outcome });
      await audit.record({ ...action, outcome });
    }
    expect(await outcomes(ACME, new Date(noon + 3))).toEqual(['2', '2', '1', '1']);
    expect(await outcomes(ACME, new Date(noon))).toEqual([]);
  });

  it('gives thousands of records, each once, and lets other work go on meanwhile', async () => {
    const { audit, clock, outcomes } = await openTrail();
    const numbers = Array.from({ length: 2_345 }, (_, number) => String(number));
    for (const outcome of numbers) {
      clock.time += Number(outcome) % 3 === 0 ? 1 : 0;
      void audit.record({ ...action, outcome });
    }
    await audit.record({ ...action, outcome: 'last' });
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 0);
    const read = await outcomes();
    clearInterval(turning);
    expect(read).toEqual(['last', ...numbers.toReversed()]);
    expect(turns).toBeGreaterThan(2);
  });

  it('ends where exactly one page of records is kept', async () => {
    const { audit, outcomes } = await openTrail();
    await Promise.all(Array.from({ length: 200 }, () => audit.record(action)));
    expect(await outcomes()).toHaveLength(200);
  });

  it('reads no more of the store than its reader takes', async () => {
    const { audit, store } = await openTrail();
    await Promise.all(Array.from({ length: 300 }, () => audit.record(action)));
    let asked = 0;
    const counting = { ...store, get: (key: string) => ((asked += 1), store.get(key)) };
    const parts = { now: () => noon, newId: () => '1', keptDays: 1, secret: 's', report: () => undefined };
    for await (const _ of createAudit({ ...parts, store: counting }).read(ACME)) if (asked === 3) break;
    expect(asked).toBe(3);
  });

  it('keeps workspaces apart, also where the id of one begins that of another', async () => {
    const { audit, outcomes } = await openTrail();
    for (const workspaceId of ['T1', 'T10', 'T1A', 'T', 'T2']) {
      await audit.record({ ...action, workspaceId, outcome: workspaceId });
    }
    for (const workspaceId of ['T1', 'T10', 'T1A', 'T', 'T2']) {
      expect(await outcomes(workspaceId)).toEqual([workspaceId]);
    }
    expect(await outcomes('T3')).toEqual([]);
  });

  it('forgets a record when its days are over, and not before', async () => {
    const { audit, clock, outcomes } = await openTrail({ keptDays: 2 });
    await audit.record({ ...action, outcome: 'old' });
    clock.time += DAY_MS;
    await audit.record({ ...action, outcome: 'young' });
    clock.time += DAY_MS - 1;
    expect(await outcomes()).toEqual(['young', 'old']);
    clock.time += 1;
    expect(await outcomes()).toEqual(['young']);
  });

  it('leaves out what is no record, and what the store cannot read', async () => {
    const path = join(await temporaryFolder(), 'store.db');
    const { audit, store, clock, outcomes } = await openTrail({ file: `sqlite:${path}` });
    for (const outcome of ['1', '2', '3']) {
      await audit.record({ ...action, outcome });
      clock.time += 1;
    }
    const [, middle = ''] = await store.keys('', 3);
    await store.set(`${middle}x`, { action: 'theft' });
    const database = new DatabaseSync(path);
    database.prepare(`UPDATE records SET value = '{"value"' WHERE key = ?`).run(middle);
    database.close();
    expect(await outcomes()).toEqual(['3', '1']);
  });

  it('rejects where it cannot be written or read, and has told the log by then', async () => {
    const { audit, storage, told, outcomes } = await openTrail();
    await audit.record(action);
    await storage.close();
    await expect(audit.record(action)).rejects.toMatchObject({ name: 'DatabaseError', kind: 'closed' });
    await expect(outcomes()).rejects.toMatchObject({ name: 'DatabaseError', kind: 'closed' });
    expect(told).toHaveLength(2);
  });

  it('can only be added to and read', async () => {
    const { audit } = await openTrail();
    expect(Object.keys(audit).toSorted()).toEqual(['hashOf', 'read', 'record']);
  });
});

describe('the hash of what was typed', () => {
  it('is the same for the same words, however they are spaced at the ends and capitalised', async () => {
    const { audit } = await openTrail();
    expect(audit.hashOf(' Jane@ACME.com ')).toBe(audit.hashOf('jane@acme.com'));
    expect(audit.hashOf('jane@acme.com')).not.toBe(audit.hashOf('jane@acme.co'));
  });

  it('holds none of the words, and cannot be had without the key', async () => {
    const { audit } = await openTrail();
    const other = await openTrail({ secret: 'another secret' });
    expect(audit.hashOf('jane')).toMatch(/^[\w-]{22}$/);
    expect(audit.hashOf('jane')).not.toContain('jane');
    expect(other.audit.hashOf('jane')).not.toBe(audit.hashOf('jane'));
  });
});
