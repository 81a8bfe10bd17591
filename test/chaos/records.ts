import { z } from 'zod';
import { sql, type Sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { kindOf } from './posts.ts';
import type { Stage } from './stage.ts';

/** Something that the app could not deliver, or that nobody wanted any more, and it says why. */
export interface Failure {
  /** The name of its kind, except `detail`: a new kind must not end a run. */
  readonly kind: string;
  readonly state: 'failed' | 'skipped';
  /** The channel; a person's id for a direct message. */
  readonly to: string;
  readonly sessionId: string | undefined;
  readonly reason: string;
}

const Failed = z
  .object({
    kind: z.string(),
    state: z.enum(['failed', 'skipped']),
    channel_id: z.string(),
    session_id: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .transform(({ kind, state, channel_id: to, session_id, reason }): Failure => ({
    kind: kind === 'details' ? 'detail' : kind,
    state,
    to,
    sessionId: session_id ?? undefined,
    reason: reason ?? 'no reason',
  }));

/** Rejects where the store is held or cut off just now. */
export async function readStore<Row>(
  { store }: Pick<Stage, 'store'>,
  statement: Sql,
  row: z.ZodType<Row>,
): Promise<readonly Row[]> {
  const database = await openDatabase(store.url);
  try {
    return await database.read(statement, row);
  } finally {
    await database.close();
  }
}

/** What the app has on record as not delivered. Reads the database: no surface of the app names the session yet. */
export const failuresOn = (stage: Stage): Promise<readonly Failure[]> =>
  readStore(
    stage,
    sql`SELECT d.kind, d.state, d.channel_id, e.session_id, d.reason FROM deliveries AS d
      LEFT JOIN session_ends AS e ON e.id = d.session_end_id
      WHERE d.workspace_id = ${stage.workspaceId} AND d.state IN ('failed', 'skipped')`,
    Failed,
  );

/** The sessions that ended, and whose links are open all the same: the app would look for their ends, and say that they run. */
export const openLinksOn = (stage: Stage): Promise<readonly { readonly sessionId: string }[]> =>
  readStore(
    stage,
    sql`SELECT e.session_id AS "sessionId" FROM watch_links AS l
      JOIN session_ends AS e ON e.workspace_id = l.workspace_id AND e.link_id = l.id
      WHERE l.workspace_id = ${stage.workspaceId} AND l.state = 'open'`,
    z.object({ sessionId: z.string() }),
  );

const Waiting = z.coerce.number();

/** How many messages the app still has to deliver, as its metrics say; Infinity where they leave it out, since it couldn't be read. */
export async function countWaiting({ appUrl }: Pick<Stage, 'appUrl'>): Promise<number> {
  const response = await fetch(`${appUrl}/metrics`, { headers: { connection: 'close' } });
  const [, waiting] = /^cobrowse_summaries_waiting (\S+)$/mu.exec(await response.text()) ?? [];
  return waiting === undefined ? Infinity : Waiting.parse(waiting);
}

/** How many messages the app was told to post, change or delete so far, by a look at what reached Slack. */
export const countPosting = ({ slack }: Pick<Stage, 'slack'>): number =>
  slack.calls.filter(
    ({ method, args }) => method.startsWith('chat.') && kindOf(JSON.stringify(args)) !== 'other',
  ).length;
