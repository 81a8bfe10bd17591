import type { Audit } from './audit/audit.ts';
import type { Recording } from './audit/recording.ts';
import type { createRights } from './commands/rights.ts';
import type { Database } from './database/database.ts';
import type { NamedClaims } from './database/named-claims.ts';
import type { createZoneOf } from './messages/days.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { BlockRefusals, Post } from './outbox/transport.ts';
import type { Permissions } from './permissions/permissions.ts';
import type { Slack } from './slack/slack.ts';
import type { Tickets } from './http/tickets.ts';
import type { Workspaces } from './workspaces/workspaces.ts';

/**
 * What every room may use: services, never a feature. A room takes it whole, and its own stores as a second argument; what a
 * test can't make whole takes `Pick<App, …>`. Each member is described where it's made.
 */
export interface App
  extends
    Omit<Workspaces, 'find' | 'get' | 'check' | 'close' | 'installRoutes' | 'createPurging' | 'refreshing'>,
    Omit<Slack, 'post'>,
    Permissions {
  readonly database: Database;
  readonly audit: Audit;
  readonly record: Audit['record'];
  readonly prepare: Audit['prepare'];
  readonly recording: Recording;
  readonly recordRefusal: ReturnType<typeof createRights>['recordRefusal'];
  /** Rejects if the app isn't installed there. */
  readonly workspaceOf: Workspaces['get'];
  readonly outbox: Outbox;
  readonly post: Post;
  readonly claims: NamedClaims;
  readonly newBlocks: BlockRefusals;
  /** An agent's external id in the service. */
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
  readonly zoneOf: ReturnType<typeof createZoneOf>;
  readonly ticketKind: Tickets;
  /** Without a slash at its end; undefined where the app has no address. */
  readonly publicUrl: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
  /** How often to look for what is due by the calendar. */
  readonly everyMs: number;
}

/** A test can't make a workspace whole. */
export interface OfWorkspace<Needed> {
  readonly workspaceOf: (workspaceId: string) => Promise<Needed>;
}
