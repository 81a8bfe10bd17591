import { z } from 'zod';
import { createLedgerRecords } from '../../src/session-end/ledger-records.ts';
import { openStorage } from '../../src/storage/open.ts';
import { kindOf } from './posts.ts';
import { WORKSPACE } from './stage.ts';
import type { Stage } from './stage.ts';

/** Something that the app could not deliver, and says why. */
export interface Failure {
  readonly kind: 'summary' | 'detail' | 'notice' | 'digest' | 'card';
  /** The channel; a person's id for a direct message. */
  readonly to: string;
  readonly sessionId: string | undefined;
  readonly reason: string;
}

/** What the app has on record as undeliverable. Reads the store: no surface of the app names the session yet. */
export async function failuresOn({ storeUrl, app }: Stage): Promise<readonly Failure[]> {
  const storage = await openStorage(storeUrl, { now: app.now });
  try {
    const stores = { waits: storage.store('summary-troubles'), givenUp: storage.store('summaries-given-up') };
    const failures: Failure[] = [];
    for await (const { delivery, to, reason } of createLedgerRecords(stores).givenUp.all(WORKSPACE)) {
      const isDigest = 'digest' in delivery;
      const sessionId = isDigest ? undefined : delivery.session.id;
      const follows = isDigest || delivery.isDetail === undefined ? undefined : 'detail';
      const told = isDigest || delivery.notPosted === undefined ? undefined : 'notice';
      failures.push({ kind: isDigest ? 'digest' : (follows ?? told ?? 'summary'), to, sessionId, reason });
    }
    return failures;
  } finally {
    await storage.close();
  }
}

const Waiting = z.coerce.number();

/** How many messages the app still has to deliver, as its metrics say. */
export async function countWaiting({ appUrl }: Pick<Stage, 'appUrl'>): Promise<number> {
  const response = await fetch(`${appUrl}/metrics`, { headers: { connection: 'close' } });
  const [, waiting] = /^cobrowse_summaries_waiting (\S+)$/mu.exec(await response.text()) ?? [];
  return Waiting.parse(waiting);
}

/** How many messages the app was told to post, change or delete so far, by a look at what reached Slack. */
export const countPosting = ({ slack }: Pick<Stage, 'slack'>): number =>
  slack.calls.filter(
    ({ method, args }) => method.startsWith('chat.') && kindOf(JSON.stringify(args)) !== 'other',
  ).length;
