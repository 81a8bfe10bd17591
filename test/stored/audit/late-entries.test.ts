import { describe, expect, it, onTestFinished } from 'vitest';
import { createAudit, type AuditEntry, type NewEntry } from '../../../src/audit/audit.ts';
import { createRecording } from '../../../src/audit/recording.ts';
import { DatabaseError, type Database, type DatabaseErrorKind } from '../../../src/database/database.ts';
import { entriesIn } from '../../audit/entries.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';

const who = { workspaceId: 'T0ACME00000', userId: 'U0ALEX00001' };
const entry: NewEntry = { ...who, action: 'stop', outcome: 'done' };
const noon = Date.UTC(2020, 0, 1, 12);

describe.each(engines)('an entry that $engine doesn’t take', ({ newUrl }) => {
  /** An audit on a database that can be away, or lose the answer to what it does. */
  async function openAudit() {
    const database = await openUntilTestEnds(await newUrl());
    let failure: DatabaseErrorKind | undefined;
    const write: Database['write'] = async (...statements) => {
      if (failure === 'unreachable') throw new DatabaseError(failure);
      const written = await database.write(...statements);
      if (failure !== undefined) throw new DatabaseError(failure);
      return written;
    };
    const told: string[] = [];
    const logged: AuditEntry[] = [];
    let time = noon;
    const audit = createAudit({
      database: { ...database, write },
      now: () => (time += 1),
      keptDays: 36_500,
      secret: '',
      againAfterMs: 1,
      report: {
        entry: (one) => void logged.push(one),
        waiting: () => void told.push('waiting'),
        written: () => void told.push('written'),
        lost: ({ outcome }) => void told.push(`lost ${outcome}`),
      },
    });
    onTestFinished(() => audit.close());
    return {
      audit,
      told,
      logged,
      fail: (kind: DatabaseErrorKind | undefined) => void (failure = kind),
      outcomes: async () =>
        (await entriesIn(audit, entry.workspaceId)).map(({ outcome }) => outcome).toReversed(),
    };
  }

  it('is in the log at once, and in the audit with its own time and in order once the database is back', async () => {
    const { audit, told, logged, fail, outcomes } = await openAudit();
    fail('unreachable');
    const numbers = Array.from({ length: 250 }, (_, number) => String(number));
    for (const outcome of numbers) await audit.record({ ...entry, outcome });

    expect(logged.map(({ outcome }) => outcome)).toEqual(numbers);
    expect(await outcomes()).toEqual([]);
    expect(told).toEqual(['waiting']);
    fail(undefined);
    await expect.poll(() => told).toEqual(['waiting', 'written']);
    await audit.record({ ...entry, outcome: 'later' });
    expect(await outcomes()).toEqual([...numbers, 'later']);
  });

  it('is there once, even if only the answer was lost', async () => {
    const { audit, told, fail, outcomes } = await openAudit();
    fail('unknown');
    await audit.record({ ...entry, outcome: '1' });
    await audit.record({ ...entry, outcome: '2', visitorId: 'jane4821' });
    fail(undefined);
    await expect.poll(() => told).toEqual(['waiting', 'written']);

    expect(await outcomes()).toEqual(['1', '2']);
  });

  it('is written when the app stops, or else said to be missing', async () => {
    const { audit, told, fail, outcomes } = await openAudit();
    fail('unreachable');
    await audit.record({ ...entry, outcome: '1' });
    fail(undefined);
    await audit.close();
    expect(await outcomes()).toEqual(['1']);
    fail('unreachable');
    await audit.record({ ...entry, outcome: '2' });

    expect(told).toEqual(['waiting', 'written', 'waiting', 'lost 2']);
  });

  it('isn’t put off where nothing may be done without it', async () => {
    const { audit, told, logged, fail, outcomes } = await openAudit();
    fail('unreachable');
    let isDone = false;
    const act = async () => void (isDone = true);
    const deleting = createRecording(audit).announced(entry, { action: 'delete' }, act);
    await expect(deleting).rejects.toMatchObject({ name: 'DatabaseError', kind: 'unreachable' });
    fail(undefined);

    expect(isDone).toBe(false);
    expect(logged).toMatchObject([{ action: 'delete', outcome: 'asked' }]);
    expect(await outcomes()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('is said to be missing at once when too many wait', async () => {
    const { audit, told, fail } = await openAudit();
    fail('unreachable');
    for (let count = 0; count < 10_000; count += 1) await audit.record(entry);
    expect(told).toEqual(['waiting']);
    await audit.record({ ...entry, outcome: 'one more' });

    expect(told).toEqual(['waiting', 'lost one more']);
  });
});
