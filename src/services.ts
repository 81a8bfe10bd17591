import type { OnlineRequestOutcome } from './visitors/online-requests.ts';
import type { UserGroup } from './messages/groups-field.ts';
import type { CobrowseClient } from './cobrowse/client.ts';
import type { Session, Visitor } from './cobrowse/schemas.ts';
import type { WatchLink } from './cobrowse/watch-link.ts';
import type { MayAct } from './permissions/acts.ts';
import type { Drawn, LinkPress } from './messages/link-press.ts';
import type { PressRefusal } from './watch/press-refusals.ts';
import type { PostOutcome } from './outbox/post.ts';
import type { SessionOutcomes } from './sessions/session-outcomes.ts';
import type { IsShared } from './sessions/shown-visitor.ts';
import type { NamedClaims } from './database/named-claims.ts';
import type { Message } from './messages/message.ts';
import type { Finding } from './messages/findings.ts';
import type { LinkHolder } from './sessions/stop-messages.ts';
import type { StartOptions } from './watch/start-form.ts';
import type { Recording } from './audit/recording.ts';
import type { NewEntry, Audit } from './audit/audit.ts';
import type { VisitorTools, WatchTarget } from './messages/visitor-buttons.ts';
import type { SessionPartners } from './messages/visitor-pieces.ts';
import type { OnItOutcome } from './visitors/on-it.ts';
import type { Caller, Presser } from './commands/caller.ts';
import type { Subscriptions } from './subscriptions/subscription-service.ts';

/** The result of a press that asked for a link, with what was prepared. `repeated`: it was answered before. */
export type LinkOutcome<Prepared> =
  | { readonly is: 'link'; readonly link: WatchLink; readonly prepared: Prepared }
  | { readonly is: 'in-use'; readonly by: LinkHolder; readonly prepared: Prepared }
  | { readonly is: 'refused'; readonly why: PressRefusal }
  | { readonly is: 'repeated' };

/** A file for one person. */
interface SentFile {
  readonly name: string;
  readonly title: string;
  /** The text above it, as Slack's mrkdwn. */
  readonly comment: string;
  readonly content: Buffer;
}

/** Sends a file by direct message. A refusal has Slack's own code, and the missing scope. */
export type SendFile = (
  to: { readonly workspaceId: string; readonly userId: string },
  file: SentFile,
) => Promise<
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string; readonly scope?: string }
>;

/** What commands can use; `app.ts` provides it. */
export interface Services {
  readonly cobrowse: CobrowseClient;
  /** What the caller can do with visitors, with Watch targets sealed for them. */
  readonly visitorTools: (caller: Caller) => Promise<VisitorTools>;
  /** Who is in a session with these visitors, as far as this app made the link. Never rejects. */
  readonly partnersOf: (caller: Caller, visitors: readonly Visitor[]) => Promise<SessionPartners>;
  /** The hosts that watch links and Watch buttons lead to, as URLs spell them, as far as they are known. */
  readonly linkHosts: readonly string[];
  /** Where a button that makes a link leads, for this caller. */
  readonly pressTarget: (press: LinkPress, caller: Caller) => Promise<WatchTarget>;
  /** Whether those buttons have an address of ours, which makes the link. */
  readonly addressMakesLink: boolean;
  /** Handles the press of a button whose address makes the link; undefined if there is nothing to say. */
  readonly provePress: (drawn: Drawn, presser: Presser) => Promise<PressRefusal | undefined>;
  /**
   * Makes a link for a press itself; without `joins` it asks first if someone else has one. Calls `prepare` once it's clear
   * that they can watch, before the link is made.
   */
  readonly linkAtPress: <Prepared>(
    drawn: Drawn,
    presser: Presser,
    joins: boolean,
    prepare: () => Promise<Prepared>,
  ) => Promise<LinkOutcome<Prepared>>;
  /** What the form of "Start co-browsing" offers in this workspace. */
  readonly startOptions: (workspaceId: string) => Promise<StartOptions>;
  /** The email in a Slack profile; undefined if it shows none. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** The time zone in a Slack profile; undefined where Slack doesn't say. Never rejects. */
  readonly timeZoneOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** The id by which the service knows a Slack user without an account there. */
  readonly externalIdOf: (workspaceId: string, userId: string) => string;
  /**
   * The ids of the sessions that run with a visitor; empty if that isn't known soon. Never rejects.
   *
   * @param listed the sessions that the service lists with the visitor
   */
  readonly runningSessions: (
    workspaceId: string,
    visitorId: string,
    listed: readonly Session[],
  ) => Promise<readonly string[]>;
  /** Records who stops these sessions with the visitor, and stops them. Whether their summaries will say who it was. */
  readonly recordingStop: (
    visitorId: string,
    by: Caller & { readonly reason?: string | undefined; readonly sessionIds: readonly string[] },
    stop: () => Promise<void>,
  ) => Promise<boolean>;
  /** Recent links to a visitor's screen whose session hasn't ended, newest first. */
  readonly linksInUse: (workspaceId: string, visitorId: string) => Promise<readonly LinkHolder[]>;
  /** Whether the caller can do something. Checked at the action itself: seeing a button isn't a permission. */
  readonly mayAct: MayAct;
  /** Whether the user is an admin or owner of the workspace. Rejects with a RightUnknownError if Slack can't be asked. */
  readonly isAdmin: (caller: Caller) => Promise<boolean>;
  /**
   * Checks the installation: Slack, the service, the database, the public address. Names no channel that the caller can't
   * see. Never rejects.
   */
  readonly examine: (caller: Caller) => Promise<readonly Finding[]>;
  readonly subscriptions: Subscriptions;
  /** The user groups to choose from; undefined if Slack doesn't list them. Never rejects. */
  readonly groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>;
  /** "I'm on it" for visitors who wait: takes one, or lets go of one. */
  readonly onIt: {
    readonly toggle: (workspaceId: string, visitorId: string, userId: string) => Promise<OnItOutcome>;
  };
  /** "Tell me when online", until the person's day ends. */
  readonly onlineRequests: {
    readonly ask: (workspaceId: string, visitorId: string, userId: string) => Promise<OnlineRequestOutcome>;
    /** False if there was nothing to cancel. */
    readonly cancel: (workspaceId: string, visitorId: string, userId: string) => Promise<boolean>;
  };
  /** Writes an entry into the audit; resolves once it's saved. */
  readonly record: (entry: NewEntry) => Promise<void>;
  /** Reads the audit log, and puts typed text into the form in which it's recorded. */
  readonly audit: Pick<Audit, 'page' | 'read' | 'hashOf'>;
  readonly sendFile: SendFile;
  /** Which files are on their way to whom, so that a second click doesn't send a second one. */
  readonly filesUnderWay: NamedClaims;
  /** How sessions went, and where their summaries are. */
  readonly sessionOutcomes: SessionOutcomes;
  /** Whether people from other organisations can read a channel. Never rejects. */
  readonly isShared: IsShared;
  /** Posts to a thread, visible to everyone. Never rejects. */
  readonly postReply: (
    place: { readonly workspaceId: string; readonly to: string; readonly threadTs: string },
    message: Message,
  ) => Promise<PostOutcome>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Does something and records it in the audit, whatever the result. */
  readonly recording: Pick<Recording, 'search' | 'lookUp' | 'around' | 'announced'>;
}

/** The services a command needs: its signature says which. */
export type Uses<Name extends keyof Services> = Pick<Services, Name>;
