import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AnyRow, sql, type Database } from '../../src/database/database.ts';
import { notice } from '../../src/messages/message.ts';
import { createFollowUps } from '../../src/team/follow-ups.ts';
import { alexInSupport } from '../sessions/ended-session.ts';
import { DAY_MS, MINUTE_MS, deliveryOf, openStage, sessionIn } from './stage.ts';

const { workspaceId } = alexInSupport;

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

it('the loop doesn’t go round while nothing can be taken where a follow-up is due in days', async () => {
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

it('follow-ups that are due together wake their channels in the order of all, not in their own', async () => {
  const stage = await openStage();
  const { database } = await stage.start({
    also: (opened, tables) =>
      createFollowUps({ database: tables, outbox: opened, prepare: noEntry, now: Date.now }),
  });
  const dueAt = Date.now() + MINUTE_MS;
  await database.write(
    sql`INSERT INTO follow_ups (workspace_id, session_end_id, visitor_id, user_id, due_at, changed_at, version)
      VALUES (${workspaceId}, 'a', 'jane', 'U2', ${dueAt}, 1, 1), (${workspaceId}, 'b', 'jane', 'U1', ${dueAt}, 1, 1)`,
  );
  await stage.pass(2 * MINUTE_MS);
  const written = sql`SELECT channel_id FROM deliveries ORDER BY rowid`;
  expect(await database.read(written, AnyRow)).toEqual([{ channel_id: 'U1' }, { channel_id: 'U2' }]);
});

describe('the loop leaves nothing waiting', () => {
  it('within five seconds if another process made it due and nothing was heard of that', async () => {
    const stage = await openStage({ isShared: true });
    const { database } = await stage.start({
      also: (outbox) =>
        outbox.register({
          name: 'hello',
          render: async () => ({ message: async () => notice(['Hello']) }),
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
});

it('session ends that are in the table go first, also the one that came while the last was under way', async () => {
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

it('a stop lets nothing begin, not even by a look that was under way', async () => {
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
