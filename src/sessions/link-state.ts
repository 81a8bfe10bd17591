import type { Conclusion } from '../messages/link-result.ts';
import type { RecordedLink } from './watch-links.ts';
import { answersSince, isAnsweredSince } from './agent-looks.ts';
import type { AgentLooks } from './agent-looks.ts';
import { startWindow } from './match.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** No session lasts this long. */
const HORIZON_MS = 48 * HOUR_MS;
/** If the service stops answering, give up after this; a webhook's ticket is valid as long. */
const LAST_HORIZON_MS = 7 * 24 * HOUR_MS;
/**
 * The service may list sessions only once they have ended, so keep looking for an unused link as long as a session
 * could have been running the whole time.
 */
const UNUSED_HORIZON_MS = 12 * HOUR_MS;

/** What we can say about a link for which no ended session is listed, and whether to stop looking. */
export interface LinkState {
  readonly concluded: Conclusion['concluded'] | undefined;
  readonly isOver: boolean;
}

/** What we know about one link at the time of a look-up. */
export interface Sight {
  readonly now: number;
  /** Undefined if the service can't be asked at all. */
  readonly looks: AgentLooks | undefined;
  /** Whether this look-up was answered; also true if there is no one to ask. */
  readonly isAnswered: boolean;
}

/** When a session of the link can no longer start: from then on, an answer without a session means something. */
export const decidableFrom = (open: RecordedLink): number => startWindow(open).until;

export function linkStateOf(open: RecordedLink, { now, looks, isAnswered }: Sight): LinkState {
  const age = now - open.issuedAt;
  const isUsed = looks?.seen.includes(open.link.linkId) ?? false;
  const isAnsweredByAll = isAnswered && looks !== undefined && isAnsweredSince(looks, decidableFrom(open));
  if (isAnsweredByAll && !isUsed) return { concluded: 'unused', isOver: age >= UNUSED_HORIZON_MS };
  // Even then we want answers, in case nobody could ask for days: two, since our clock may be wrong for a moment.
  const isAsked = looks === undefined || answersSince(looks, open.issuedAt + HORIZON_MS) >= 2;
  const isOver = age >= LAST_HORIZON_MS || (age >= HORIZON_MS && isAnswered && isAsked);
  return { concluded: isOver ? 'unknown' : undefined, isOver };
}

/** When to conclude a link whose service can't be asked. */
export const concludedWithoutAsking = (open: RecordedLink): number => open.issuedAt + HORIZON_MS;
