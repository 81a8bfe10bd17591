import { z } from 'zod';
import { rowsOf, sql, type Database } from '../database/database.ts';
import { isTokenRefused } from '../messages/slack-codes.ts';
import { isPerson } from '../permissions/slack-ids.ts';
import { messageIdColumn, type Delivery } from './delivery.ts';
import type { Kind } from './kind.ts';
import type { FindPosts, Sighting } from './transport.ts';

/** A message that a delivery changes. */
export interface Replaced {
  readonly ts: string;
  readonly channelId: string;
  /** What it's recognized by. */
  readonly messageId: string;
  /** Whether something was left out of it. */
  readonly isShort: boolean;
  /** The card whose place it took. */
  readonly cardId: string | undefined;
}

/** Undefined if there is none, or another delivery has it; `again` if Slack can't say yet. */
type Found = Replaced | { readonly again: Exclude<Sighting, { readonly found: unknown }> } | undefined;

const Row = z.object({
  id: z.string(),
  message_id: z.string(),
  state: z.string(),
  post_ts: z.string().nullable(),
  post_channel_id: z.string().nullable(),
  attempted_at: z.number().nullable(),
  is_short: z.number(),
  replaces_id: z.string().nullable(),
});

const columns = sql`id, ${messageIdColumn}, state, post_ts, post_channel_id, attempted_at, is_short, replaces_id`;

interface ReplacedParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly transport: { readonly find: FindPosts };
  readonly now: () => number;
}

/** Marks the message as taken, where it's to be. What was never sent is no longer sent. */
async function take({ database, now }: ReplacedParts, { id, replacesId }: Delivery, takes: boolean) {
  const isUnsent = sql`state = 'waiting' AND attempted_at IS NULL`;
  const [written] = await database.write(
    sql`UPDATE deliveries SET taken_by = ${takes ? id : null},
        reason = CASE WHEN ${isUnsent} THEN 'superseded' ELSE reason END,
        settled_at = CASE WHEN ${isUnsent} THEN ${now()} ELSE settled_at END,
        state = CASE WHEN ${isUnsent} THEN 'skipped' ELSE state END
      WHERE id = ${replacesId ?? ''} AND (taken_by IS NULL OR taken_by = ${id})
      RETURNING ${columns}`,
  );
  return rowsOf(written, Row)[0];
}

/**
 * Finds the message that a delivery changes. Used only with the turn of its channel, so that it isn't posted in the
 * meantime. One whose answer was lost is looked for.
 */
export async function findReplaced(
  parts: ReplacedParts,
  delivery: Delivery,
  how: Kind['replaces'],
): Promise<Found> {
  const { database, transport, now } = parts;
  const { workspaceId, channelId, threadTs, replacesId } = delivery;
  const row =
    how === 'redraws'
      ? (await database.read(sql`SELECT ${columns} FROM deliveries WHERE id = ${replacesId ?? ''}`, Row))[0]
      : await take(parts, delivery, how === 'takes');
  if (row === undefined) return undefined;
  const { id, message_id: messageId, state, post_ts: postedTs, post_channel_id: postedIn } = row;
  // The channel may have a new id since; a person's direct messages have one of their own.
  const there = isPerson(channelId) ? (postedIn ?? channelId) : channelId;
  const cardId = row.replaces_id ?? undefined;
  const replaced = { channelId: there, messageId, isShort: row.is_short === 1, cardId };
  if (state === 'posted') return postedTs === null ? undefined : { ...replaced, ts: postedTs };
  if (how === 'redraws' || (state !== 'waiting' && state !== 'sending')) return undefined;
  const seen = await transport.find(
    { workspaceId, to: channelId, threadTs },
    messageId,
    row.attempted_at ?? now(),
  );
  if ('outcome' in seen && (seen.outcome === 'later' || isTokenRefused(seen.reason))) return { again: seen };
  const [ts] = 'found' in seen ? [...seen.found, ...(seen.became ?? [])] : [];
  const settled =
    ts === undefined
      ? sql`state = 'skipped', reason = 'superseded'`
      : sql`state = 'posted', reason = NULL, post_ts = ${ts}`;
  await database.write(sql`UPDATE deliveries SET ${settled}, settled_at = ${now()} WHERE id = ${id}`);
  return ts === undefined ? undefined : { ...replaced, ts };
}
