import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../src/storage/open.ts';
import { TrailRecord, createTrail } from '../../src/trail/trail.ts';
import type { Deed } from '../../src/trail/trail.ts';
import { temporaryFolder } from '../storage/temporary.ts';

const noon = Date.UTC(2020, 0, 1, 12);
const DAY_MS = 24 * 60 * 60 * 1_000;
const ACME = 'T0ACME00000';
const deed: Deed = { workspaceId: ACME, userId: 'U0ALEX00001', deed: 'search', outcome: 'done' };

async function all(records: AsyncIterable<TrailRecord>): Promise<readonly TrailRecord[]> {
  const read: TrailRecord[] = [];
  for await (const record of records) read.push(record);
  return read;
}

async function openTrail({ keptDays = 30, secret = 'a secret', file = 'memory:' } = {}) {
  const clock = { time: noon };
  const storage = await openStorage(file, { now: () => clock.time });
  onTestFinished(() => storage.close());
  const told: TrailRecord[] = [];
  const store = storage.store('trail');
  const trail = createTrail({
    store,
    now: () => clock.time,
    newId: () => crypto.randomUUID(),
    keptDays,
    secret,
    report: (record) => void told.push(record),
  });
  const outcomes = async (workspaceId = ACME, before?: Date) =>
    (await all(trail.read(workspaceId, before))).map(({ outcome }) => outcome);
  return { trail, store, storage, clock, told, outcomes };
}

describe('the trail', () => {
  it('keeps what it is told with the time of it, and tells the log the same', async () => {
    const { trail, told } = await openTrail();
    await trail.record({ ...deed, visitorId: 'jane4821', channelId: 'C0SUPPORT01', detail: { found: 3 } });
    const expected = {
      at: '2020-01-01T12:00:00.000Z',
      workspaceId: ACME,
      userId: 'U0ALEX00001',
      deed: 'search',
      outcome: 'done',
      visitorId: 'jane4821',
      channelId: 'C0SUPPORT01',
      detail: { found: 3 },
    };
    expect(await all(trail.read(ACME))).toEqual([expected]);
    expect(told).toEqual([expected]);
  });

  it('is read newest first, also what was written in the same millisecond', async () => {
    const { trail, clock, outcomes } = await openTrail();
    for (const outcome of ['1', '2', '3']) await trail.record({ ...deed, outcome });
    clock.time += 1;
    await Promise.all(['4', '5'].map((outcome) => trail.record({ ...deed, outcome })));
    expect(await outcomes()).toEqual(['5', '4', '3', '2', '1']);
  });

  it('is read from a moment back, without that very millisecond', async () => {
    const { trail, clock, outcomes } = await openTrail();
    for (const outcome of ['1', '2', '3']) {
      clock.time += 1;
      await trail.record({ ...deed, outcome });
      await trail.record({ ...deed, outcome });
    }
    expect(await outcomes(ACME, new Date(noon + 3))).toEqual(['2', '2', '1', '1']);
    expect(await outcomes(ACME, new Date(noon))).toEqual([]);
  });

  it('gives thousands of records, each once, and lets other work go on meanwhile', async () => {
    const { trail, clock, outcomes } = await openTrail();
    const numbers = Array.from({ length: 2_345 }, (_, number) => String(number));
    for (const outcome of numbers) {
      clock.time += Number(outcome) % 3 === 0 ? 1 : 0;
      void trail.record({ ...deed, outcome });
    }
    await trail.record({ ...deed, outcome: 'last' });
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 0);
    const read = await outcomes();
    clearInterval(turning);
    expect(read).toEqual(['last', ...numbers.toReversed()]);
    expect(turns).toBeGreaterThan(2);
  });

  it('ends where exactly one page of records is kept', async () => {
    const { trail, outcomes } = await openTrail();
    await Promise.all(Array.from({ length: 200 }, () => trail.record(deed)));
    expect(await outcomes()).toHaveLength(200);
  });

  it('reads no more of the store than its reader takes', async () => {
    const { trail, store } = await openTrail();
    await Promise.all(Array.from({ length: 300 }, () => trail.record(deed)));
    let asked = 0;
    const counting = { ...store, get: (key: string) => ((asked += 1), store.get(key)) };
    const parts = { now: () => noon, newId: () => '1', keptDays: 1, secret: 's', report: () => undefined };
    for await (const _ of createTrail({ ...parts, store: counting }).read(ACME)) if (asked === 3) break;
    expect(asked).toBe(3);
  });

  it('keeps workspaces apart, also where the id of one begins that of another', async () => {
    const { trail, outcomes } = await openTrail();
    for (const workspaceId of ['T1', 'T10', 'T1A', 'T', 'T2']) {
      await trail.record({ ...deed, workspaceId, outcome: workspaceId });
    }
    for (const workspaceId of ['T1', 'T10', 'T1A', 'T', 'T2']) {
      expect(await outcomes(workspaceId)).toEqual([workspaceId]);
    }
    expect(await outcomes('T3')).toEqual([]);
  });

  it('forgets a record when its days are over, and not before', async () => {
    const { trail, clock, outcomes } = await openTrail({ keptDays: 2 });
    await trail.record({ ...deed, outcome: 'old' });
    clock.time += DAY_MS;
    await trail.record({ ...deed, outcome: 'young' });
    clock.time += DAY_MS - 1;
    expect(await outcomes()).toEqual(['young', 'old']);
    clock.time += 1;
    expect(await outcomes()).toEqual(['young']);
  });

  it('leaves out what is no record, and what the store cannot read', async () => {
    const path = join(await temporaryFolder(), 'store.db');
    const { trail, store, clock, outcomes } = await openTrail({ file: `sqlite:${path}` });
    for (const outcome of ['1', '2', '3']) {
      await trail.record({ ...deed, outcome });
      clock.time += 1;
    }
    const [, middle = ''] = await store.keys('', 3);
    await store.set(`${middle}x`, { deed: 'theft' });
    const database = new DatabaseSync(path);
    database.prepare(`UPDATE records SET value = '{"value"' WHERE key = ?`).run(middle);
    database.close();
    expect(await outcomes()).toEqual(['3', '1']);
  });

  it('rejects where it cannot be written or read, and has told the log by then', async () => {
    const { trail, storage, told, outcomes } = await openTrail();
    await trail.record(deed);
    await storage.close();
    await expect(trail.record(deed)).rejects.toMatchObject({ name: 'DatabaseError', kind: 'closed' });
    await expect(outcomes()).rejects.toMatchObject({ name: 'DatabaseError', kind: 'closed' });
    expect(told).toHaveLength(2);
  });

  it('can only be added to and read', async () => {
    const { trail } = await openTrail();
    expect(Object.keys(trail).toSorted()).toEqual(['hashOf', 'read', 'record']);
  });
});

describe('the hash of what was typed', () => {
  it('is the same for the same words, however they are spaced at the ends and capitalised', async () => {
    const { trail } = await openTrail();
    expect(trail.hashOf(' Jane@ACME.com ')).toBe(trail.hashOf('jane@acme.com'));
    expect(trail.hashOf('jane@acme.com')).not.toBe(trail.hashOf('jane@acme.co'));
  });

  it('holds none of the words, and cannot be had without the key', async () => {
    const { trail } = await openTrail();
    const other = await openTrail({ secret: 'another secret' });
    expect(trail.hashOf('jane')).toMatch(/^[\w-]{22}$/);
    expect(trail.hashOf('jane')).not.toContain('jane');
    expect(other.trail.hashOf('jane')).not.toBe(trail.hashOf('jane'));
  });
});
