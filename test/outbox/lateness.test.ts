import { expect, it } from 'vitest';
import { alexInSupport } from '../sessions/ended-session.ts';
import { down, took, startStage, sessionIn } from './stage.ts';

it('the delivery that has waited longest only waits for its turn while nothing failed and its channel accepts posts', async () => {
  const stage = await startStage({
    answer: (asked) => (sessionIn(asked) === 'bad' ? down : took()),
  });
  for (const id of ['a', 'b', 'c', 'd']) await stage.tell(id);
  await stage.settle();
  expect(await stage.overview.oldest()).toMatchObject({ isInTurn: true });
  expect(await stage.overview.waiting(alexInSupport.workspaceId)).toBe(3);
  await stage.tell('bad', { channelId: 'C0SALES0002' });
  await stage.pass(10_000);
  expect(await stage.overview.oldest()).toMatchObject({ isInTurn: false });
  expect(await stage.overview.waiting()).toBe(1);
});
