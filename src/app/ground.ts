import type { WebClient } from '@slack/web-api';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Storage } from '../storage/store.ts';
import type { PressGrant, SessionEndGrant } from '../grants/grant.ts';
import type { TicketKind } from '../tickets/tickets.ts';

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
  readonly sessionEndTickets: TicketKind<SessionEndGrant>;
  readonly watchTickets: TicketKind<PressGrant>;
}

/** Whether the service tells this app of a session's end: on-premise it does not, and nowhere without an address of ours. */
export function tellsOfEnds({ cobrowse, config }: Pick<Ground, 'cobrowse' | 'config'>): boolean {
  return cobrowse.offers.sessionEndWebhook && config.publicUrl !== undefined;
}
