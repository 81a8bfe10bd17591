import { App } from '@slack/bolt';
import type { Logger, Receiver } from '@slack/bolt';
import type { Log } from '../log.ts';
import { listen } from './listeners.ts';
import type { ListenerParts } from './listeners.ts';
import { webClientOptions } from './web-client.ts';

interface BoltParts extends ListenerParts {
  readonly receiver: Receiver;
  readonly botToken: string;
  readonly apiUrl: string;
  readonly logger: Logger;
  readonly log: Log;
}

/** Bolt for one workspace, over the given receiver, with our listeners. */
export function createBoltApp(parts: BoltParts): App {
  const { receiver, botToken, apiUrl, logger, log } = parts;
  const app = new App({
    receiver,
    logger,
    // Without it Bolt would look up a conversation for every request.
    convoStore: false,
    ignoreSelf: false,
    // A token that is at hand: Bolt's own check would call auth.test before the first acknowledgement.
    authorize: async () => ({ botToken }),
    clientOptions: webClientOptions({ apiUrl, logger }),
  });
  app.error(async (error) => {
    log.error({ err: error }, 'a request from Slack could not be handled');
  });
  listen(app, parts);
  return app;
}
