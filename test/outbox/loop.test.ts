import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql, type Database } from '../../src/database/database.ts';
import { notice } from '../../src/messages/message.ts';
import { createAlarm } from '../../src/lifecycle/repeating.ts';
import { createFollowUps } from '../../src/team/follow-ups.ts';
import { sessionEndOf } from '../../src/sessions/session-ends.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { DAY_MS, MINUTE_MS, deliveryOf, down, openStage, sessionIn, sessionOf, took } from './stage.ts';

const { workspaceId, channelId = '' } = alexInSupport;

type Process = Awaited<ReturnType<Awaited<ReturnType<typeof openStage>>['start']>>;

const noEntry = () => ({ statement: sql`SELECT 1`, report: () => undefined });

/** Lets everything run that needs no time to pass. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** How much a process asks where it looks for what is due. */
async function askedAtLook({ outbox, watched }: Pick<Process, 'outbox' | 'watched'>): Promise<number> {
  watched.statements.length = 0;
  outbox.wake();
  await turns(400);
  return watched.statements.length;
}

/** Does something after each question of what is due, before its answer is heard. */
const afterLooks = (database: Database, act: () => Promise<void> | undefined) => {
  const before = { ...database };
  const watched: Database['read'] = async (...wanted) => {
    const rows = await before.read(...wanted);
    if (wanted[0].sql.includes('WITH clock')) await act();
    return rows;
  };
  Object.assign(database, { read: watched });
};

describe('the loop doesn’t go round while nothing can be taken', () => {
  it('where a follow-up is due in days', async () => {
    const stage = await openStage();
    const process = await stage.start({
      also: (opened, tables) =>
        createFollowUps({ database: tables, outbox: opened, prepare: noEntry, now: Date.now }),
    });
    const { database } = process;
    const dueAt = Date.now() + 3 * DAY_MS;
    await database.write(
      sql`INSERT INTO follow_ups (workspace_id, session_end_id, visitor_id, user_id, due_at, changed_at, version)
        VALUES (${workspaceId}, 'a', 'jane', 'U1', ${dueAt}, ${Date.now()}, 1)`,
    );
    expect(await askedAtLook(process)).toBeLessThan(20);
    await stage.pass(3 * DAY_MS + MINUTE_MS, 12 * 60 * MINUTE_MS);
    const told = await database.read(sql`SELECT told_at FROM follow_ups`, z.object({ told_at: z.number() }));
    expect(told.map(({ told_at: at }) => at >= dueAt)).toEqual([true]);
  });
});

describe('the loop leaves nothing waiting', () => {
  it('within five seconds if another process made it due and nothing was heard of that', async () => {
    const stage = await openStage({ isShared: true });
    const { database } = await stage.start({
      also: (outbox) =>
        outbox.register({
          name: 'hello',
          compose: async () => ({ message: async () => notice(['Hello']) }),
        }),
    });
    await stage.pass(10_000);
    await database.write(...deliveryOf('hello', 'a'));
    await stage.pass(5_000);
    expect(stage.asked).toHaveLength(1);
  });

  it('if a session end couldn’t be made into deliveries at first', async () => {
    const stage = await openStage();
    let times = 0;
    const { tell } = await stage.start({
      subscribers: {
        candidates: async () => {
          if ((times += 1) === 1) throw new Error('The database failed for a moment');
          return [];
        },
      },
    });
    await stage.pass(1_000);
    await tell('a');
    await stage.pass(15_000);
    expect(stage.order()).toHaveLength(1);
  });

  it('if it becomes due soon in a channel whose last delivery was discarded', async () => {
    const stage = await openStage({ isShared: true });
    const { tell, acts, sessionEnds, outbox } = await stage.start({
      answer: () => (stage.asked.length < 2 ? down : took()),
    });
    await tell('a');
    await stage.pass(500);
    const one = await stage.summaryOf('a');
    expect(await acts.drop(workspaceId, one?.id ?? '', 'U0')).toBe('dropped');
    await stage.pass(10_000);
    const before = stage.asked.length;
    // As a process stored it whose clock is five seconds ahead.
    const heard = { receivedAt: Date.now() + 5_000, recovered: false };
    await sessionEnds.record(
      sessionEndOf('0zzzzzzzz1', { ...alexInSupport, linkId: 'l9' }, sessionOf('b'), heard),
    );
    outbox.wake();
    await stage.pass(7_000);
    expect(stage.asked.length).toBeGreaterThan(before);
  });

  it('and forgets a channel in which nothing waits any more', async () => {
    const stage = await openStage();
    const { tell, acts } = await stage.start({ answer: () => down });
    await tell('a');
    await stage.pass(500);
    await acts.drop(workspaceId, (await stage.summaryOf('a'))?.id ?? '', 'U0');
    await stage.pass(2 * MINUTE_MS);
    const [row] = await stage.database.read(
      sql`SELECT next_at FROM channels WHERE channel_id = ${channelId}`,
      z.object({ next_at: z.number().nullable() }),
    );
    expect(row?.next_at).toBeNull();
  });
});

describe('session ends', () => {
  it('that come by the hundred are made into deliveries a hundred at a time', async () => {
    const stage = await openStage({ isShared: true });
    let [underWay, most] = [0, 0];
    const { tell } = await stage.start({
      subscribers: {
        async candidates() {
          underWay += 1;
          most = Math.max(most, underWay);
          await turns(20);
          underWay -= 1;
          return [];
        },
      },
    });
    await stage.pass(1_000);
    await Promise.all(
      Array.from({ length: 400 }, (_, index) => tell(`s${index}`, { channelId: `C${index}` })),
    );
    await stage.pass(5_000);
    expect(most).toBeLessThanOrEqual(100);
    expect(most).toBeGreaterThan(1);
  });

  it('that are in the table go first, also the one that came while the last was under way', async () => {
    const stage = await openStage();
    await stage.processOver().tell('left', { channelId: 'C0OTHER' });
    const asking = Promise.withResolvers<void>();
    const looking = Promise.withResolvers<void>();
    let isSlow = false;
    const { tell } = await stage.start({
      also: (_outbox, database) => afterLooks(database, () => (isSlow ? looking.promise : undefined)),
      subscribers: { candidates: () => asking.promise.then(() => []) },
    });
    await tell('first');
    await stage.settle();
    isSlow = true;
    asking.resolve();
    await stage.settle();
    await tell('second');
    await stage.pass(200);
    looking.resolve();
    await stage.pass(5_000);
    const order = stage.asked.map(sessionIn);
    expect(order.filter((id) => id !== 'left')).toEqual(['first', 'second']);
  });
});

describe('a stop', () => {
  it('lets nothing begin, not even by a look that was under way', async () => {
    const stage = await openStage();
    const looking = Promise.withResolvers<void>();
    let isHeld = false;
    const { database, outbox } = await stage.start({
      also: (_outbox, watched) => afterLooks(watched, () => (isHeld ? looking.promise : undefined)),
    });
    await stage.pass(1_000);
    await database.write(...deliveryOf('card', 'c1'));
    isHeld = true;
    outbox.wake();
    await turns(50);
    const stopped = outbox.stop();
    looking.resolve();
    await stopped;
    expect((await stage.deliveries())[0]?.attempts).toBe(0);
  });
});

describe('the alarm', () => {
  it('keeps nothing of the sleeps that are over', async () => {
    setFlagsFromString('--expose_gc');
    const collect = z.function().parse(runInNewContext('gc'));
    const alarm = createAlarm(Date.now);
    async function sleepOften(times: number): Promise<number> {
      for (let turn = 0; turn < times; turn += 1) {
        const slept = alarm.sleep(Date.now() + 60_000);
        alarm.by();
        await slept;
      }
      collect();
      return process.memoryUsage().heapUsed;
    }
    const before = await sleepOften(5_000);
    const grown = (await sleepOften(50_000)) - before;
    alarm.end();
    expect(grown / 50_000).toBeLessThan(50);
  });
});
