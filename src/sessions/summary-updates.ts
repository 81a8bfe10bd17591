import { z } from 'zod';
import { join, sql, type Database, type Sql } from '../database/database.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';

const Copy = z.object({
  id: z.string(),
  channel_id: z.string(),
  /** What a direct message says beside the summary. */
  payload: z
    .string()
    .nullable()
    .transform((text): unknown => (text === null ? undefined : JSON.parse(text))),
});
export type Copy = z.infer<typeof Copy>;

/** The keys of all of a session's summaries; those of its updates start with another word. */
export const keysOf = (kind: 'summary' | 'update', endId: string): Sql =>
  // The semicolon is the character after the colon, and no id contains it.
  sql`dedupe_key >= ${`${kind}:${endId}:`} AND dedupe_key < ${`${kind}:${endId};`}`;

/** The session's summaries, and the direct messages that have one since a channel hasn't. */
export function isCopy(workspaceId: string, endId: string): Sql {
  const isSummary = keysOf('summary', endId);
  const following = ['notice', 'elsewhere'].map(
    (word) =>
      sql`SELECT CAST(${`${word} of `} AS TEXT) || id FROM deliveries WHERE workspace_id = ${workspaceId} AND ${isSummary}`,
  );
  return sql`workspace_id = ${workspaceId} AND (${isSummary} OR dedupe_key IN (${join(following, ' UNION ALL ')}))`;
}

/** All that were accepted when the session ended, posted or not: one being posted may have been drawn earlier. */
export const summariesOf = (
  database: Pick<Database, 'read'>,
  workspaceId: string,
  endId: string,
): Promise<readonly Copy[]> =>
  database.read(
    sql`SELECT id, channel_id, payload FROM deliveries WHERE ${isCopy(workspaceId, endId)}
      AND state NOT IN ('skipped', 'dropped')`,
    Copy,
  );

interface Update {
  /** The delivery of the summary to change. */
  readonly summaryId: string;
  readonly workspaceId: string;
  /** Where that was sent. */
  readonly channelId: string;
  readonly sessionEndId: string;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  /** That delivery's. */
  readonly payload?: unknown;
}

/** Statements that redraw a summary once it's posted, for the write that changes its content. */
export function updateStatements(update: Update, id: string): readonly Sql[] {
  const { summaryId, ...about } = update;
  const key = `update:${update.sessionEndId}:${id}`;
  const replaces = sql`CAST(${summaryId} AS TEXT)`;
  return [insertDelivery({ ...about, id, key, kind: 'update', replaces }), wakeChannelOf(id)];
}
