import { expect, it } from 'vitest';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { createRenamedChannels } from '../../src/subscriptions/renamed-channels.ts';
import { openSettings } from '../home/settings-stage.ts';

/** Moves over real stores, with what a workspace's admins had said before. */
async function openMoves(start: object) {
  const opened = await openSettings(start);
  const repository = createSubscriptionRepository(opened.database, (error) => {
    throw error;
  });
  const moves = createRenamedChannels({ repository, settings: opened.parts.settings });
  return { ...opened, moves };
}

it('takes the settings of a channel to its new id, on record as the app’s own doing, once', async () => {
  const rule = { members: false, ids: ['U0SAM', 'C0OLD'] };
  const { moves, recorded, stored } = await openMoves({
    channelAccess: { C0OLD: 'view', C0SALES: 'point' },
    rules: { watch: rule },
  });
  await moves.moved('T1', 'C0OLD', 'C0NEW');
  await moves.moved('T1', 'C0OLD', 'C0NEW');
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

it('loses nothing that an admin changes at the same time', async () => {
  const { moves, parts, stored } = await openMoves({ channelAccess: { C0OLD: 'view' } });
  const ada = { workspaceId: 'T1', userId: 'U0ADA' };
  await Promise.all([
    moves.moved('T1', 'C0OLD', 'C0NEW'),
    parts.settings.change(ada, { name: 'maxAccess', value: 'point', version: 0 }),
  ]);
  expect(await stored()).toMatchObject({ maxAccess: 'point', channelAccess: { C0NEW: 'view' } });
});
