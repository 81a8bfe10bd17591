import type { SummaryForm } from '../subscriptions/subscription.ts';

/** What a subscription needs to know about an ended session. */
export interface EndedSession {
  readonly workspaceId: string;
  readonly visitorId: string;
  /** Who pressed Watch. */
  readonly userId: string;
  /** Undefined if it isn't known. */
  readonly seconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

/** A subscription that may want a session; `isCertain` if no one has to be asked. */
export interface Candidate {
  readonly id: string;
  readonly channelId: string;
  readonly isCertain: boolean;
}

/** How a delivery for subscriptions went. `reason` is Slack's code, or ours. */
export type SubscribedOutcome =
  | { readonly outcome: 'posted' }
  | { readonly outcome: 'later' | 'failed' | 'skipped'; readonly reason: string };

/** Who wants summaries and digests besides the session's place. */
export interface Subscribers {
  /**
   * Those that may want it, in the order they were set up, without asking anyone.
   *
   * @param ownPlace where its summary goes anyway: a channel's id, or a user's for their direct messages
   */
  candidates(session: EndedSession, ownPlace: string): Promise<readonly Candidate[]>;
  /** Whether the subscription's filters match the session now. Rejects if Slack or the service can't be asked. */
  wants(id: string, session: EndedSession): Promise<boolean>;
  /** The form in which it's wanted, asked right before the post; or why it no longer is. */
  formNow(
    workspaceId: string,
    id: string,
  ): Promise<{ readonly form: SummaryForm } | { readonly skip: string }>;
  /** Called once it's on disk, at least once in the life of a process. */
  onOutcome(workspaceId: string, ids: readonly string[], outcome: SubscribedOutcome): Promise<void>;
}
