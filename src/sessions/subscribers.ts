import type { Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { SetOutcome } from '../messages/session-words.ts';
import type { Form, Told } from '../outbox/delivery.ts';
import type { SessionEnd } from './session-ends.ts';
import type { RecordedLink } from './watch-links.ts';

/** `userId` is who pressed Watch. */
export interface EndedSession extends Pick<IssuedLink, 'workspaceId' | 'visitorId' | 'userId'> {
  readonly seconds: number | undefined;
}

export interface Candidate {
  readonly id: string;
  readonly channelId: string;
}

export interface Subscribers {
  /** Without asking anyone, in the order they were set up; not for `ownPlace`, the channel or user that gets its summary anyway. */
  candidates(session: EndedSession, ownPlace: string): Promise<readonly Candidate[]>;
  /** Asked right before the post; `skip` says why it isn't wanted. Rejects if Slack or the service can't be asked. */
  formNow(
    workspaceId: string,
    id: string,
    session?: EndedSession,
  ): Promise<{ readonly form: Form } | { readonly skip: string }>;
  /** Called once it's on disk, at least once in the life of a process. */
  onOutcome(workspaceId: string, channelId: string, outcome: Told): Promise<void>;
}

/** Queued in the write that records what it's about. */
export interface Queued {
  readonly statements: readonly Sql[];
  /** Call it once the write is durable. */
  readonly accepted: () => void;
}

/** All reject with a DatabaseError. */
export interface SessionEvents {
  opened(link: RecordedLink): Promise<Queued>;
  ended(end: SessionEnd): Promise<Queued>;
  /** @param end as it was before */
  outcomeChanged(end: SessionEnd, set: SetOutcome): Promise<Queued>;
}
