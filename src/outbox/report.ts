import type { Delivery } from './delivery.ts';

/** Called with the outcome of every attempt, for log and metrics. */
export type Report = (
  outcome: 'posted' | 'failed' | 'skipped' | 'later' | 'broken',
  about: Pick<Delivery, 'id'> & Partial<Pick<Delivery, 'kind' | 'sessionEndId' | 'subscriptions'>>,
  detail?: {
    readonly reason?: string | undefined;
    /** An earlier post whose answer was lost had arrived. */
    readonly wasThere?: boolean | undefined;
    readonly error?: unknown;
    /** What its kind says of it. */
    readonly logged?: Readonly<Record<string, string>> | undefined;
  },
) => void;
