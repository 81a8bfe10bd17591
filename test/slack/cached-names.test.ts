import { expect, it } from 'vitest';
import { cachedNames } from '../../src/slack/directory.ts';

it('what Slack said is out of reach once everything of the workspace was removed, also where it’s installed again', async () => {
  const world = { installId: 'first', isInstalled: true, asked: 0 };
  const kept = cachedNames<string>(
    async () => (world.isInstalled ? { installId: world.installId } : undefined),
    () => 0,
    100,
  );
  const nameIn = (workspaceId: string) =>
    kept(workspaceId, 'U1', async () => `Sam, the ${(world.asked += 1)}`);
  for (const _time of [1, 2]) expect(await nameIn('T1')).toBe('Sam, the 1');
  expect(await nameIn('T2')).toBe('Sam, the 2');
  world.isInstalled = false;
  expect(await nameIn('T1')).toBeUndefined();
  Object.assign(world, { isInstalled: true, installId: 'second' });
  expect(await nameIn('T1')).toBe('Sam, the 3');
});
