import { expect, it, onTestFinished } from 'vitest';
import { createNowCalled } from '../../src/grants/moved-channels.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { createMoves } from '../../src/subscriptions/moves.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openSettings } from '../home/settings-stage.ts';

/** Moves over real stores, with what a workspace's admins had said before. */
async function openMoves(start: object) {
  const opened = await openSettings(start);
  const storage = await openStorage('memory:');
  onTestFinished(() => storage.close());
  const repository = createSubscriptionRepository(opened.database, (error) => {
    throw error;
  });
  const store = storage.store('moved-channels');
  const moves = createMoves({ repository, settings: opened.parts.settings, moves: store });
  return { ...opened, moves, nowCalled: createNowCalled(store) };
}

it('takes the settings of a channel to its new id, on record as the app’s own doing, once', async () => {
  const rule = { members: false, ids: ['U0SAM', 'C0OLD'] };
  const { moves, recorded, stored } = await openMoves({
    channelPower: { C0OLD: 'view', C0SALES: 'point' },
    rules: { watch: rule },
  });
  await moves.moved('T1', 'C0OLD', 'C0NEW');
  await moves.moved('T1', 'C0OLD', 'C0NEW');
  const after = {
    channelPower: { C0NEW: 'view', C0SALES: 'point' },
    rules: { watch: { members: false, ids: ['U0SAM', 'C0NEW'] } },
  };
  expect(await stored()).toMatchObject(after);
  expect(recorded).toEqual([
    { by: '', outcome: 'done', setting: 'may-watch', from: rule, to: after.rules.watch },
    { by: '', outcome: 'done', setting: 'channelPower', from: { C0OLD: 'view' }, to: { C0NEW: 'view' } },
  ]);
});

it('loses nothing that an admin changes at the same time', async () => {
  const { moves, parts, stored } = await openMoves({ channelPower: { C0OLD: 'view' } });
  const ada = { workspaceId: 'T1', userId: 'U0ADA' };
  await Promise.all([
    moves.moved('T1', 'C0OLD', 'C0NEW'),
    parts.settings.change(ada, { name: 'mostPower', value: 'point', version: 0 }),
  ]);
  expect(await stored()).toMatchObject({ mostPower: 'point', channelPower: { C0NEW: 'view' } });
});

it('knows a channel that got its old id back, by each of its names', async () => {
  const { moves, nowCalled } = await openMoves({});
  await moves.moved('T1', 'G1', 'C2');
  await moves.moved('T1', 'C2', 'C3');
  await moves.moved('T1', 'C3', 'G1');
  for (const name of ['G1', 'C2', 'C3']) expect(await nowCalled('T1', name)).toBe('G1');
});
