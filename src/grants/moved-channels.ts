import type { Store } from '../storage/store.ts';

/** A channel that is shared and unshared again gets another id each time. */
const MOST_STEPS = 5;

/** The id a channel has now: sharing and converting change it. The same where they did not. */
export type NowCalled = (workspaceId: string, channelId: string) => Promise<string>;

/** Under which the id that came after is kept. */
export const movedFrom = (workspaceId: string, channelId: string) => `${workspaceId}:${channelId}`;

/** @param moves the id that came after each, under {@link movedFrom} */
export function createNowCalled(moves: Pick<Store, 'get'>): NowCalled {
  return async function nowCalled(workspaceId, channelId) {
    let latest = channelId;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const next = await moves.get(movedFrom(workspaceId, latest));
      if (typeof next !== 'string') break;
      latest = next;
    }
    return latest;
  };
}
