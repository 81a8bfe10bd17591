import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { createAgedRecords } from './aged-records.ts';
import type { Aged, AgedRecords } from './aged-records.ts';
import { Deliverable } from './delivery.ts';

/** How long what was given up can be sent once more, with its whole content. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

const Why = z.object({
  id: z.string(),
  /** The channel, or the person. */
  to: z.string(),
  /** Slack's code, or ours. */
  reason: z.string(),
  neededScope: z.string().optional(),
});

/** Of a delivery whose own record cannot be read; a word of ours. */
export const UNREADABLE = 'record_unreadable';

/** Where {@link Waits} are kept of one whose record cannot be read: when it was accepted nobody knows. */
export const unreadableKey = (workspaceId: string, id: string): Aged => ({ workspaceId, at: 0, id });

/** Why a delivery still waits. Times are milliseconds since 1970. */
export const Waits = Why.extend({
  acceptedAt: z.number(),
  attempts: z.number(),
  nextAt: z.number(),
  /** Not set while Slack refuses the token. */
  failingSince: z.number().optional(),
});
export type Waits = z.infer<typeof Waits>;

/** A delivery that was given up. */
export const GivenUp = Why.extend({
  delivery: Deliverable,
  failedAt: z.number(),
  /** Of an attempt whose outcome nobody knew. */
  begunAt: z.number().optional(),
});
export type GivenUp = z.infer<typeof GivenUp>;

/** What the ledger knows beside the outbox, which alone says whether it still holds. */
export interface LedgerRecords {
  readonly waits: AgedRecords<Waits>;
  readonly givenUp: AgedRecords<GivenUp>;
}

/** @param stores of their own each: they are listed whole */
export function createLedgerRecords(stores: {
  readonly waits: Store;
  readonly givenUp: Store;
}): LedgerRecords {
  return {
    waits: createAgedRecords({ store: stores.waits, schema: Waits, first: 'oldest' }),
    givenUp: createAgedRecords({ store: stores.givenUp, schema: GivenUp, first: 'newest', keptMs: KEPT_MS }),
  };
}
