import type { WebClient } from '@slack/web-api';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Storage, Store } from '../storage/store.ts';
import type { EndNews } from '../grants/fate.ts';
import type { NowCalled } from '../grants/moved-channels.ts';
import type { createChannelCheck } from '../slack/channel-members.ts';
import type { PressGrant, SessionEndGrant } from '../grants/grant.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Trail } from '../trail/trail.ts';

/** What the parts are joined from; made once, at the start. */
export interface Ground {
  readonly config: Config;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly storage: Storage;
  readonly cobrowse: CobrowseClient;
  readonly slack: WebClient;
  readonly trail: Trail;
  readonly movedChannels: Store;
  readonly nowCalled: NowCalled;
  readonly isInChannel: ReturnType<typeof createChannelCheck>;
  readonly sessionEndTickets: TicketKind<SessionEndGrant>;
  readonly watchTickets: TicketKind<PressGrant>;
}

/**
 * How this app learns of a session's end. On-premise the service does not tell, and nowhere without an address of ours;
 * it can be asked wherever it looks agents up, with their sessions.
 */
export function endNewsOf({ cobrowse, config }: Pick<Ground, 'cobrowse' | 'config'>): EndNews {
  if (cobrowse.offers.sessionEndWebhook && config.publicUrl !== undefined) return 'told';
  return cobrowse.offers.lookupAgent ? 'asked' : 'never';
}
