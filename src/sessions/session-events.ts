import type { Sql } from '../database/database.ts';
import type { SetOutcome } from '../messages/session-words.ts';
import type { SessionEnd } from './session-ends.ts';
import type { RecordedLink } from './watch-links.ts';

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
