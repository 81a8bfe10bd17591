import { z } from 'zod';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
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

const Failed = z
  .object({
    kind: z.enum(['summary', 'card', 'details', 'notice', 'digest']),
    channel_id: z.string(),
    session_id: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .transform(({ kind, channel_id: to, session_id, reason }): Failure => ({
    kind: kind === 'details' ? 'detail' : kind,
    to,
    sessionId: session_id ?? undefined,
    reason: reason ?? 'no reason',
  }));

/** What the app has on record as undeliverable. Reads the database: no surface of the app names the session yet. */
export async function failuresOn({ storeUrl }: Stage): Promise<readonly Failure[]> {
  const database = await openDatabase(storeUrl);
  try {
    return await database.read(
      sql`SELECT d.kind, d.channel_id, e.session_id, d.reason FROM deliveries AS d
        LEFT JOIN session_ends AS e ON e.id = d.session_end_id
        WHERE d.workspace_id = ${WORKSPACE} AND d.state = 'failed'`,
      Failed,
    );
  } finally {
    await database.close();
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
