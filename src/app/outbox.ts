import { createLedgerRecords } from '../session-end/ledger-records.ts';
import type { LedgerRecords } from '../session-end/ledger-records.ts';
import { createOutbox } from '../session-end/outbox.ts';
import type { Outbox } from '../session-end/outbox.ts';
import type { Storage } from '../storage/store.ts';
import type { Ground } from './ground.ts';

interface StoreAndTime {
  readonly storage: Pick<Storage, 'store'>;
  readonly now: Ground['now'];
}

/** The queue of summaries, which the courier empties, and subscriptions look into. */
export function joinOutbox({ storage, now }: StoreAndTime): Outbox {
  return createOutbox({
    waiting: storage.store('summaries-waiting'),
    settled: storage.store('summaries-settled'),
    claims: storage.store('summary-claims'),
    begun: storage.store('summaries-begun'),
    now,
  });
}

/** What is known of the summaries that are not there. */
export function joinLedgerRecords({ storage }: Pick<StoreAndTime, 'storage'>): LedgerRecords {
  return createLedgerRecords({
    waits: storage.store('summary-troubles'),
    givenUp: storage.store('summaries-given-up'),
  });
}
