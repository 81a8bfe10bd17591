import { describe, expect, it } from 'vitest';
import { cachedNames } from '../../src/slack/cached.ts';

/** Names in a workspace, asked for of a Slack that says how often it was asked. */
function namesIn({ most = 100 } = {}) {
  const world = { installId: 'first', isInstalled: true, asked: 0 };
  const kept = cachedNames<string>(
    async () => (world.isInstalled ? { installId: world.installId } : undefined),
    () => 0,
    most,
  );
  const ask = async () => `Sam, the ${(world.asked += 1)}`;
  return { world, kept, nameOf: (id = 'U1', workspaceId = 'T1') => kept.get(workspaceId, id, ask) };
}

describe('what Slack said about what grants nothing', () => {
  it('is asked for once by all who ask in the same moment', async () => {
    const { nameOf } = namesIn();
    expect(await Promise.all([nameOf(), nameOf(), nameOf()])).toEqual(Array(3).fill('Sam, the 1'));
  });

  it.each([
    ['another person', 'U2', 'T1'],
    ['somebody of the same id in another workspace', 'U1', 'T2'],
  ])('isn’t said about %s', async (_who, id, workspaceId) => {
    const { nameOf } = namesIn();
    await nameOf();
    expect(await nameOf(id, workspaceId)).toBe('Sam, the 2');
  });

  it('is out of reach once everything of the workspace was removed, also where it’s installed again', async () => {
    const { world, nameOf } = namesIn();
    await nameOf();
    world.isInstalled = false;
    expect(await nameOf()).toBeUndefined();
    Object.assign(world, { isInstalled: true, installId: 'second' });
    expect(await nameOf()).toBe('Sam, the 2');
  });
});
