import {
  askEverything,
  askForHelp,
  askTheChannel,
  findAndWatch,
  followUp,
  shortcutAndStop,
  startProxySession,
  watchFromSales,
} from './journeys.ts';
import {
  administer,
  browse,
  followUpLater,
  searchAgain,
  settleSummaries,
  startFromElsewhere,
  subscribe,
  subscribeByForm,
  waitForCustomers,
} from './other-journeys.ts';
import type { WatchedWorld } from './watched-world.ts';

/** What people do with the app, all of it while everything works, but for webhooks. */
export async function doEverything(world: WatchedWorld): Promise<void> {
  await findAndWatch(world);
  await followUp(world);
  await askForHelp(world);
  await askTheChannel(world);
  await shortcutAndStop(world);
  await watchFromSales(world);
  await startProxySession(world);
  await askEverything(world);
  await browse(world);
  await searchAgain(world);
  await startFromElsewhere(world);
  await subscribe(world);
  await subscribeByForm(world);
  await waitForCustomers(world);
  await followUpLater(world);
  await settleSummaries(world);
  await administer(world);
}
