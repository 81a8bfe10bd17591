import { createOutbox } from '../session-end/outbox.ts';
import type { Outbox } from '../session-end/outbox.ts';
import type { Ground } from './ground.ts';

/** The queue of summaries, which the courier empties, and subscriptions look into. */
export function joinOutbox({ storage, now }: Pick<Ground, 'storage' | 'now'>): Outbox {
  return createOutbox({
    waiting: storage.store('summaries-waiting'),
    settled: storage.store('summaries-settled'),
    claims: storage.store('summary-claims'),
    begun: storage.store('summaries-begun'),
    now,
  });
}
