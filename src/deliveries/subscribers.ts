import type { SummaryForm } from '../model/subscription.ts';

/** A session that ended, as far as a subscription asks. */
export interface EndedSession {
  readonly workspaceId: string;
  readonly visitorId: string;
  /** Who pressed Watch. */
  readonly userId: string;
  /** Undefined where it isn't known. */
  readonly seconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

/** A subscription that may want a session; `isCertain` where nobody has to be asked. */
export interface Candidate {
  readonly id: string;
  readonly channelId: string;
  readonly isCertain: boolean;
}

/** What came of a delivery for its subscriptions. `reason` is Slack's code, or ours. */
export type Told =
  | { readonly outcome: 'posted' }
  | { readonly outcome: 'later' | 'failed' | 'skipped'; readonly reason: string };

/** Who wants summaries and digests beside a session's own place. */
export interface Subscribers {
  /**
   * Those that may want it, in the order in which they were set up: asks nobody.
   *
   * @param ownPlace where its summary goes anyway: a channel's id, or a user's for their direct messages
   */
  candidates(session: EndedSession, ownPlace: string): Promise<readonly Candidate[]>;
  /** Whether its filters let the session pass, now. Rejects where Slack or the service can't be asked. */
  wants(id: string, session: EndedSession): Promise<boolean>;
  /** In which form it is wanted, asked right before the post; or why it isn't any more. */
  formNow(
    workspaceId: string,
    id: string,
  ): Promise<{ readonly form: SummaryForm } | { readonly skip: string }>;
  /** Told after it is on disk, at least once in the life of a process. */
  told(workspaceId: string, ids: readonly string[], told: Told): Promise<void>;
}
