import type { Sighting } from './post.ts';
import { troubleKind } from './trouble.ts';

/** Whether a message whose answer was lost is there; `later` if Slack doesn't say yet. */
export type Arrival = 'yes' | 'no' | 'later';

/** If the app isn't allowed to look, or can't see everything, the message is sent again: rather twice than never. */
export function arrivalIn(sighting: Sighting): Arrival {
  if ('found' in sighting) return sighting.found.length > 0 ? 'yes' : 'no';
  const isPassing = sighting.outcome === 'later' || troubleKind(sighting.reason) === 'refused-token';
  return isPassing ? 'later' : 'no';
}
