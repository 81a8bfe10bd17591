import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { DatabaseError, jsonOf, rowOf, sql, type Sql } from '../database/database.ts';
import type { Message } from '../messages/message.ts';
import type { Refusal } from './transport.ts';

/** Enough for any time to come. */
const TIME_DIGITS = 9;
const COUNT_DIGITS = 4;

/** How all ids made at a time (milliseconds since 1970) begin; earlier ids sort before it. */
export const idsFrom = (time: number): string =>
  Math.max(0, Math.floor(time)).toString(36).padStart(TIME_DIGITS, '0');

/** Makes unique ids that sort in the order in which a process made them. */
export type NewId = () => string;

export function createIds(now: () => number): NewId {
  let count = 0;
  return () => {
    count = (count + 1) % 36 ** COUNT_DIGITS;
    return `${idsFrom(now())}${count.toString(36).padStart(COUNT_DIGITS, '0')}${randomBytes(6).toString('hex')}`;
  };
}

/** `reason` is one of our codes; it's tried again. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
  readonly reason: 'record_unreadable' | 'filter_unknown' | 'visitor_offline' | 'visitor_unknown';
  constructor(reason: RenderError['reason'], options?: ErrorOptions) {
    super(`A delivery can't be composed: ${reason}.`, options);
    this.reason = reason;
  }
}

/** @throws RenderError */
export function readPayload<Payload>(schema: z.ZodType<Payload>, payload: unknown): Payload {
  const read = schema.safeParse(payload);
  if (!read.success) throw new RenderError('record_unreadable', { cause: read.error });
  return read.data;
}

/** What Slack or the service can't say is asked again. @throws DatabaseError or RenderError */
export function unknownNow(cause: unknown): never {
  throw cause instanceof DatabaseError ? cause : new RenderError('filter_unknown', { cause });
}

/** A column of JSON; undefined where it can't be read. */
export const jsonIn = <Schema extends z.ZodType>(schema: Schema) =>
  jsonOf(schema).optional().catch(undefined);

/** Also for those that have only their own id. */
export const messageIdColumn: Sql = sql`COALESCE(message_id, id) AS message_id`;

export const deliveryColumns: Sql = sql`id, ${messageIdColumn}, workspace_id, kind, session_end_id, subscriptions, channel_id, thread_ts,
  due_at, not_after, attempts, deaths, COALESCE(attempted_at, due_at) AS attempted_at, failing_since, replaces_id, taken_by,
  accepted_at, payload`;

export const DeliveryRow = rowOf({
  id: z.string(),
  /** What its message is recognized by in Slack. */
  messageId: z.string(),
  workspaceId: z.string(),
  kind: z.string(),
  sessionEndId: z.string().optional(),
  /** Numbers of the subscriptions it's for. */
  subscriptions: jsonIn(z.array(z.string())).transform((numbers = []) => numbers),
  /** For direct messages, a user's id. */
  channelId: z.string(),
  threadTs: z.string().optional(),
  /** When its turn came. */
  dueAt: z.number(),
  notAfter: z.number().optional(),
  /** Including this one. */
  attempts: z.number(),
  /** How many attempts in a row before this one ended with their process. */
  deaths: z.number(),
  /** When the first attempt with an unknown outcome was made; if there is none, when this one was. */
  attemptedAt: z.number(),
  failingSince: z.number().optional(),
  /** The delivery whose message it changes. */
  replacesId: z.string().optional(),
  takenBy: z.string().optional(),
  acceptedAt: z.number(),
  /** What the kind stored; undefined if there is nothing to read. */
  payload: jsonIn(z.unknown()),
});

/** Times are milliseconds since 1970. */
export type Delivery = Readonly<z.infer<typeof DeliveryRow>>;

export interface NewDelivery {
  readonly id: string;
  readonly workspaceId: string;
  /** Unique: a second delivery with the same key isn't accepted. */
  readonly key: string;
  readonly kind: string;
  /** What its message is recognized by, if that's the same however often the delivery is made; otherwise its own id. */
  readonly messageId?: string;
  /** When it could have been posted at the earliest, by a database that was lost since; undefined if only by this row. */
  readonly since?: number;
  readonly channelId: string;
  readonly threadTs?: string;
  readonly sessionEndId?: string;
  readonly subscriptions?: readonly string[];
  readonly acceptedAt: number;
  /** When its turn comes; when it was accepted if not given. */
  readonly dueAt?: Sql;
  readonly notAfter?: number;
  /** The id of the delivery whose message it changes. */
  readonly replaces?: Sql;
  readonly payload?: unknown;
}

/** How far the service's clock may be ahead of ours. */
const CLOCKS_APART_MS = 3 * 60_000;

/** NULL where it can't have been posted before the database was restored. */
const mayBePostedSince = (since: number | undefined): Sql =>
  since === undefined
    ? sql`CAST(NULL AS BIGINT)`
    : sql`(SELECT CAST(${since} AS BIGINT) FROM restores WHERE restored_at >= ${since - CLOCKS_APART_MS} LIMIT 1)`;

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

/**
 * Accepts a delivery, under its channel's current id, unless there is already one with its key, or the condition doesn't hold.
 * {@link wakeChannelOf} follows in the same write.
 */
export function insertDelivery(delivery: NewDelivery, condition: Sql = sql`1 = 1`): Sql {
  const { id, workspaceId, key, kind, channelId, acceptedAt, since } = delivery;
  const { threadTs = null, sessionEndId = null, notAfter = null, messageId = null } = delivery;
  const { replaces = sql`CAST(NULL AS TEXT)`, dueAt = sql`${acceptedAt}`, subscriptions, payload } = delivery;
  return sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, session_end_id, subscriptions, channel_id,
      thread_ts, state, due_at, not_after, attempts, deaths, attempted_at, replaces_id, is_short, accepted_at, payload,
      message_id)
    SELECT ${id}, ${workspaceId}, ${key}, ${kind}, ${sessionEndId}, ${json(subscriptions)},
      COALESCE((SELECT moved_to FROM channels WHERE workspace_id = ${workspaceId} AND channel_id = ${channelId}),
        ${channelId}),
      ${threadTs}, 'waiting', CAST(${dueAt} AS BIGINT), CAST(${notAfter} AS BIGINT), 0, 0, ${mayBePostedSince(since)},
      ${replaces}, 0, CAST(${acceptedAt} AS BIGINT), ${json(payload)}, ${messageId}
    WHERE ${condition}
    ON CONFLICT (workspace_id, dedupe_key) DO NOTHING`;
}

/** How much a message says: everything, the main facts, or the main facts with the rest in its thread. */
export const FORMS = ['full', 'short', 'thread'] as const;
export type Form = (typeof FORMS)[number];

/** `unwanted` is why: Slack's code or ours. */
export interface Unwanted {
  readonly unwanted: string;
}

/** What a delivery comes to. */
export interface Plan {
  /** Left out by kinds with only one form. */
  readonly form?: Form;
  /** Made right before the post. */
  readonly message: () => Promise<Message | Unwanted>;
}

/** What became of a delivery, for what follows from it. */
export type Settled =
  | {
      readonly is: 'posted';
      /** For a direct message not the id that it was sent to. */
      readonly channelId: string;
      readonly ts: string | undefined;
      readonly form: Form | undefined;
      readonly threadTs: string | undefined;
      /** An earlier attempt had arrived, so it shows what was known then. */
      readonly alreadyPosted: boolean;
    }
  | ({ readonly is: 'failed' } & Refusal)
  | { readonly is: 'dropped' };

/** `reason` is Slack's code, or ours. */
export type Told =
  | { readonly outcome: 'posted' }
  | { readonly outcome: 'later' | 'failed' | 'skipped'; readonly reason: string };

export interface Kind {
  /** As the table has it. */
  readonly name: string;
  /** What follows from it, written in one commit with the outcome. */
  readonly onSettled?: (delivery: Delivery, settled: Settled) => Promise<readonly Sql[]>;
  /** Called once the outcome of an attempt is on disk, at least once in the life of a process. */
  readonly onOutcome?: (delivery: Delivery, told: Told) => Promise<void>;
  /** Rejects with a RenderError if it can't be made now. `changes` is set where it changes a message that is there. */
  readonly render: (
    delivery: Delivery,
    changes: { readonly isShort: boolean } | undefined,
  ) => Promise<Plan | Unwanted>;
  /**
   * For one with `replacesId`. `takes`: it takes that message's place, or is posted anew. `changes`: it only changes it, and
   * what wasn't sent yet isn't sent. `redraws`: it only changes what is posted.
   */
  readonly replaces?: 'takes' | 'changes' | 'redraws';
}

/** Somebody has to act if one of these doesn't arrive; nobody misses the others. */
export const LOSSES: readonly string[] = ['summary', 'details', 'digest'];
export const isLoss = ({ kind }: Pick<Delivery, 'kind'>): boolean => LOSSES.includes(kind);

/** By name. */
export type Kinds = ReadonlyMap<string, Kind>;
