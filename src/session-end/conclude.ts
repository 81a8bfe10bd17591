import type { Conclusion } from '../links/link-result.ts';
import type { RecordedLink } from '../links/watch-links.ts';
import { answersSince, isAnsweredSince } from './agent-looks.ts';
import type { AgentLooks } from './agent-looks.ts';
import { startWindow } from './match.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** A session does not last so long. */
const HORIZON_MS = 48 * HOUR_MS;
/** With a service that answers no more, past this nobody waits; a webhook's ticket, too, is good for so long. */
const LAST_HORIZON_MS = 7 * 24 * HOUR_MS;
/**
 * A service may list sessions only once they have ended: an unused link is looked for on, as long as a session may
 * last that was running all the time.
 */
const UNUSED_HORIZON_MS = 12 * HOUR_MS;

/** What may be said of a link for which no ended session is listed, and whether it is still worth looking. */
export interface Standing {
  readonly concluded: Conclusion['concluded'] | undefined;
  readonly isOver: boolean;
}

/** What is known of one link at the time of a look. */
export interface Sight {
  readonly now: number;
  /** Undefined where the service cannot be asked at all. */
  readonly looks: AgentLooks | undefined;
  /** Whether this look was answered; true, too, where there is nobody to ask. */
  readonly isAnswered: boolean;
}

/** When a link can no longer have begun anything: from then on, an answer without a session says something. */
export const settledFrom = (open: RecordedLink): number => startWindow(open).until;

export function standingOf(open: RecordedLink, { now, looks, isAnswered }: Sight): Standing {
  const age = now - open.issuedAt;
  const isUsed = looks?.seen.includes(open.link.linkId) ?? false;
  const isTold = isAnswered && looks !== undefined && isAnsweredSince(looks, settledFrom(open));
  if (isTold && !isUsed) return { concluded: 'unused', isOver: age >= UNUSED_HORIZON_MS };
  // Answers are wanted even then, in case nobody could ask for days: two, since our clock may be wrong for a moment.
  const isAsked = looks === undefined || answersSince(looks, open.issuedAt + HORIZON_MS) >= 2;
  const isOver = age >= LAST_HORIZON_MS || (age >= HORIZON_MS && isAnswered && isAsked);
  return { concluded: isOver ? 'unknown' : undefined, isOver };
}

/** When a link is concluded whose service cannot be asked. */
export const concludedWithoutAsking = (open: RecordedLink): number => open.issuedAt + HORIZON_MS;
