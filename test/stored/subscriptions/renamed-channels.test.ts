import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { sql } from '../../../src/database/database.ts';
import { moveChannel } from '../../../src/outbox/channels.ts';
import { createRenamedChannels } from '../../../src/subscriptions/renamed-channels.ts';
import { createSubscriptionRepository } from '../../../src/subscriptions/repository.ts';
import { openSettings } from '../../admin/settings-stage.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { ALEX, SUPPORT } from '../../support/person.ts';

const DOWN = new Error('The store is locked.');

/** Moves over real stores, with what a workspace's admins had said before. */
async function openMoves(start: object) {
  const opened = await openSettings(start);
  const repository = createSubscriptionRepository(opened.database);
  let isDown = false;
  const reported: unknown[] = [];
  const moves = createRenamedChannels(
    { ...opened, now: Date.now },
    {
      async moveChannel(...move) {
        if (isDown) throw DOWN;
        await repository.moveChannel(...move);
      },
    },
    () => undefined,
    (error) => reported.push(error),
  );
  return { ...opened, moves, reported, breakDown: (whether: boolean) => void (isDown = whether) };
}

it('takes the settings of a channel to its new id, on record as the app’s own doing, once', async () => {
  const rule = { members: false, ids: ['U0SAM', 'C0OLD'] };
  const { moves, recorded, stored } = await openMoves({
    channelAccess: { C0OLD: 'view', C0SALES: 'point' },
    rules: { watch: rule },
  });
  for (let time = 0; time < 2; time += 1) await moves.moved('T1', 'C0OLD', 'C0NEW');
  const after = {
    channelAccess: { C0NEW: 'view', C0SALES: 'point' },
    rules: { watch: { members: false, ids: ['U0SAM', 'C0NEW'] } },
  };
  expect(await stored()).toMatchObject(after);
  expect(recorded).toEqual([
    { by: '', outcome: 'done', setting: 'may-watch', from: rule, to: after.rules.watch },
    { by: '', outcome: 'done', setting: 'channelAccess', from: { C0OLD: 'view' }, to: { C0NEW: 'view' } },
  ]);
});

describe.each(engines)('a move that a process began and didn’t finish, in $engine', ({ newUrl }) => {
  it('goes on when the next one starts', async () => {
    const storeUrl = await newUrl();
    const database = await openUntilTestEnds(storeUrl);
    const workspace = 'T0ACME00000';
    await database.write(
      sql`INSERT INTO subscriptions (workspace_id, number, channel_id, set_up_by, set_up_at, filter, form, digests, version)
        VALUES (${workspace}, 1, 'C0OLD', ${ALEX}, 1, '{"agents":[],"groups":[],"tags":[]}', 'full', 0, 1)`,
      // As far as it came.
      ...moveChannel(workspace, 'C0OLD', SUPPORT, 1),
    );
    const sandbox = await startSandbox({ storeUrl, schedulerMs: 50 });
    onTestFinished(() => sandbox.close());
    const channels = () =>
      database.read(sql`SELECT channel_id FROM subscriptions`, z.object({ channel_id: z.string() }));
    await expect.poll(channels).toEqual([{ channel_id: SUPPORT }]);
  });
});

it('tries a move again that failed, in the order in which they came, and once done no more', async () => {
  const { moves, stored, recorded, reported, breakDown } = await openMoves({ channelAccess: { C1: 'view' } });
  breakDown(true);
  await moves.moved('T1', 'C1', 'C2');
  await moves.moved('T1', 'C2', 'C3');
  expect(reported).toEqual([DOWN, DOWN, DOWN]);
  breakDown(false);
  await Promise.all([moves.again(), moves.again()]);
  await moves.again();
  expect(await stored()).toMatchObject({ channelAccess: { C3: 'view' } });
  expect(recorded.map(({ to }) => to)).toEqual([{ C2: 'view' }, { C3: 'view' }]);
  expect(reported).toHaveLength(3);
});
