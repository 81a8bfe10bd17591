import type { Sql } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import type { SetOutcome } from '../messages/session-words.ts';
import {
  ComposeError,
  type Delivery,
  type AskOthers,
  type Form,
  type Kind,
  type Told,
  type Unwanted,
} from '../outbox/delivery.ts';
import type { SessionEnd } from './session-ends.ts';
import type { RecordedLink } from './watch-links.ts';

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

/** Who wants summaries and digests besides the session's place. */
export interface Subscribers {
  /**
   * Those that may want it, in the order they were set up, without asking anyone: set up before the session ended, not for
   * the place that gets its summary anyway, not in a channel that Slack says the app can't post in, and not ruled out by
   * what is known.
   *
   * @param ownPlace where its summary goes anyway: a channel's id, or a user's for their direct messages
   */
  candidates(session: EndedSession, ownPlace: string): Promise<readonly Candidate[]>;
  /** Whether the subscription's filters match the session now. Rejects if Slack or the service can't be asked. */
  wants(id: string, session: EndedSession): Promise<boolean>;
  /** The form in which it's wanted, asked right before the post; or why it no longer is. */
  formNow(workspaceId: string, id: string): Promise<{ readonly form: Form } | { readonly skip: string }>;
  /** Called once it's on disk, at least once in the life of a process. */
  onOutcome(workspaceId: string, ids: readonly string[], outcome: Told): Promise<void>;
}

/** What is queued in the write that records what it's about. */
export interface Queued {
  readonly statements: readonly Sql[];
  /** Call it once the write is durable. */
  readonly accepted: () => void;
}

/** Who is told of sessions besides people in Slack. All reject with a DatabaseError. */
export interface SessionEvents {
  /** A watch link goes out. */
  opened(link: RecordedLink): Promise<Queued>;
  /** A session has ended, whoever noticed it. */
  ended(end: SessionEnd): Promise<Queued>;
  /** Somebody said how it went. @param end as it was before */
  outcomeChanged(end: SessionEnd, set: SetOutcome): Promise<Queued>;
}

/** The form in which the first of a delivery's subscriptions wants it now. Without one, it's whole. @throws ComposeError */
export async function formOf(
  { formNow }: Pick<Subscribers, 'formNow'>,
  { workspaceId, subscriptions }: Delivery,
): Promise<Form | AskOthers | Unwanted> {
  const [first, ...others] = subscriptions;
  if (first === undefined) return 'full';
  const wanted = await formNow(workspaceId, first).catch((error: unknown) => {
    if (error instanceof DatabaseError) throw error;
    throw new ComposeError('filter_unknown', { cause: error });
  });
  if ('form' in wanted) return wanted.form;
  return others.length === 0 ? { unwanted: wanted.skip } : { others, reason: wanted.skip };
}

/** Tells the subscriptions of a delivery how it went. */
export const toldSubscribers =
  ({ onOutcome }: Pick<Subscribers, 'onOutcome'>): NonNullable<Kind['told']> =>
  async ({ workspaceId, subscriptions }, told) => {
    if (subscriptions.length > 0) await onOutcome(workspaceId, subscriptions, told);
  };
