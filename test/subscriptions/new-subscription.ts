import { sql } from '../../src/database/database.ts';
import type { NewSubscription } from '../../src/subscriptions/subscription.ts';

export const ALL_SESSIONS = { agents: [], groups: [], tags: [] };

/** One of all sessions in #C1 of T1, set up by U1. */
export const newSubscription = (more: Partial<NewSubscription> = {}): NewSubscription => ({
  workspaceId: 'T1',
  channelId: 'C1',
  filters: ALL_SESSIONS,
  form: 'full',
  setUpBy: 'U1',
  setUpAt: 0,
  ...more,
});

/** An audit entry that changes nothing. */
export const noEntry = () => ({
  statement: sql`UPDATE schema_version SET checked = 0`,
  report: () => undefined,
});
