import { z } from 'zod';
import type { Session } from '../cobrowse/schemas.ts';
import type { Store } from '../storage/store.ts';

/** A late webhook may tell of the end days after. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;
/** Between a stop here and the end by the service's clock. */
const CLOCKS_APART_MS = 2 * 60 * 1_000;

const Stop = z.object({ userId: z.string(), at: z.number(), reason: z.string().optional() });

/** Who stopped a session from Slack, and why, where they said so. */
export type StoppedBy = Pick<z.infer<typeof Stop>, 'userId' | 'reason'>;

interface Stopping {
  readonly workspaceId: string;
  readonly userId: string;
  readonly reason?: string | undefined;
}

const key = (workspaceId: string, visitorId: string) => `${workspaceId}:${visitorId}`;

/** Who stopped which visitor's session from Slack, so that its summary can say so. */
export interface StopRecords {
  /** Does the stopping; the record is there before the service can tell of the end. */
  around(visitorId: string, stopping: Stopping, stop: () => Promise<void>): Promise<void>;
  /** Who stopped this session, if somebody did. */
  stoppedBy(workspaceId: string, visitorId: string, session: Session): Promise<StoppedBy | undefined>;
}

export function createStopRecords(store: Store, now: () => number): StopRecords {
  return {
    async around(visitorId, { workspaceId, userId, reason }, stop) {
      const record = { userId, at: now(), ...(reason === undefined ? {} : { reason }) };
      // Without a store the session must still end: only a line of the summary is lost.
      await store.set(key(workspaceId, visitorId), record, REMEMBERED_MS).catch(() => undefined);
      await stop();
    },
    async stoppedBy(workspaceId, visitorId, session) {
      // The summary does not wait for this one line of it: a record that cannot be read is none.
      const stored = await store.get(key(workspaceId, visitorId)).catch(() => undefined);
      const record = Stop.safeParse(stored);
      const endedAt = Date.parse(session.ended_at ?? '');
      if (!record.success || Number.isNaN(endedAt)) return undefined;
      return Math.abs(endedAt - record.data.at) <= CLOCKS_APART_MS ? record.data : undefined;
    },
  };
}
