import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { ProxyGrant } from '../grants/grant.ts';
import { Power } from '../grants/power.ts';
import type { StartOptions } from '../views/start-form.ts';
import type { VisitorTools, WatchTarget } from '../views/visitor-buttons.ts';
import type { Caller } from './caller.ts';

/** What the press of a Watch button says. */
export const WatchPress = z.object({ visitorId: z.string().min(1), power: Power });
export type WatchPress = z.infer<typeof WatchPress>;

/** What the press of a proxy button says. */
export const ProxyPress = z.object({ proxy: ProxyGrant.shape.proxy });
export type ProxyPress = z.infer<typeof ProxyPress>;

/** What commands may use; `app.ts` hands it to them. */
export interface Services {
  readonly cobrowse: CobrowseClient;
  /** What the caller may do with visitors, Watch targets sealed for them. */
  readonly visitorTools: (caller: Caller) => Promise<VisitorTools>;
  /** Where a button leads that makes a link, for this caller. */
  readonly pressTarget: (press: WatchPress | ProxyPress, caller: Caller) => WatchTarget;
  /** Makes a link at a press, where no address of ours can do it; undefined where the button's address does. */
  readonly linkAtPress: ((press: WatchPress | ProxyPress, caller: Caller) => Promise<WatchLink>) | undefined;
  /** What the form of "Start co-browsing" offers in this workspace. */
  readonly startOptions: (workspaceId: string) => Promise<StartOptions>;
  /** The email in a Slack profile; undefined where it shows none. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** The id under which the service knows a Slack user who has no account there. */
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
  /** Remembers who stopped the visitor's session, for its summary, around the stopping itself. */
  readonly recordingStop: (visitorId: string, caller: Caller, stop: () => Promise<void>) => Promise<void>;
  /** Whether the caller may delete visitors: the workspace's admins, and who they named. Asked at the act itself. */
  readonly mayDelete: (caller: Caller) => Promise<boolean>;
  /** Writes down who deleted what, for good. @param count how many, where the service can tell */
  readonly recordDeletion: (caller: Caller, what: string, count: number | undefined) => Promise<void>;
}

/** The services a command needs: its signature says which. */
export type Uses<Name extends keyof Services> = Pick<Services, Name>;
