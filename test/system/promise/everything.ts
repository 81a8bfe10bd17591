import { journeys } from './journeys.ts';
import { otherJourneys } from './other-journeys.ts';
import type { WatchedWorld } from './watched-world.ts';

/** What people do with the app, all of it while everything works, but for webhooks. */
export async function doEverything(world: WatchedWorld): Promise<void> {
  for (const journey of [...journeys, ...otherJourneys]) await journey(world);
}
