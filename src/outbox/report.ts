import type { DeliveryKind } from './delivery.ts';

/**
 * Called with the outcome of every attempt, for log and metrics. `wasThere`: an earlier post whose answer was lost had
 * arrived.
 */
export type Report = (
  outcome: 'posted' | 'failed' | 'skipped' | 'later' | 'broken',
  detail: {
    readonly id: string;
    readonly kind?: DeliveryKind;
    /** The service's id of the session. */
    readonly session?: string | undefined;
    readonly subscriptions?: readonly string[];
    readonly reason?: string;
    readonly wasThere?: true;
    readonly error?: unknown;
  },
) => void;
