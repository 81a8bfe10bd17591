import type { WebClient } from '@slack/web-api';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Momentary } from '../database/open.ts';
import type { Storage, Store } from '../storage/store.ts';
import type { EndNews } from '../grants/fate.ts';
import type { NowCalled } from '../grants/moved-channels.ts';
import type { Directory } from '../slack/directory.ts';
import type { InstalledAs } from '../slack/installed-as.ts';
import type { PressGrant, SessionEndGrant } from '../grants/grant.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Audit } from '../audit/audit.ts';

/** What the parts are joined from; made once, at the start. */
export interface Ground {
  readonly config: Config;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment: always runs on, whatever the clock is set to. */
  readonly elapsed: () => number;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly momentary: Momentary;
  readonly storage: Storage;
  readonly cobrowse: CobrowseClient;
  readonly slack: WebClient;
  readonly audit: Audit;
  readonly movedChannels: Store;
  readonly nowCalled: NowCalled;
  readonly installedAs: InstalledAs;
  readonly directory: Directory;
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
