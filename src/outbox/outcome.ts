import { hasChanged, sql, type Database, type Sql } from '../database/database.ts';
import { holdWorkspace } from '../workspaces/holds.ts';
import { releaseTurn, wakeChannelOf, type Turn } from './channels.ts';
import { isLoss, type Delivery, type Kinds, type Settled, type Told } from './delivery.ts';
import type { Refusal, Transport } from './transport.ts';

/** Times are milliseconds since 1970. */
export type Outcome = {
  /** Slack was asked to post, so its place rests. */
  readonly isAsked?: boolean | undefined;
  /** Whether this attempt arrived isn't known. */
  readonly outcomeUnknown?: boolean | undefined;
} &
  /** `failed` is stored as `skipped` where nobody misses it: see `isLoss`. */
  (
    | Exclude<Settled, { readonly is: 'dropped' }>
    | { readonly is: 'skipped'; readonly reason: string }
    /** Slack refuses the workspace's token, so that nothing of it can be posted. */
    | ({ readonly is: 'held-workspace' } & Refusal)
    /** Put off, or its whole channel is, where it keeps its place. No `reason`: the database failed, or it's a bug of ours. */
    | ({
        readonly is: 'later' | 'held-channel';
        readonly at: number;
        readonly error?: unknown;
      } & Partial<Refusal>)
    /** Its channel got a new id meanwhile. */
    | { readonly is: 'moved'; readonly to: string }
  );

/** Whether an earlier attempt may have arrived. `attempted_at` is this claim's, unless an earlier one's outcome isn't known. */
export const outcomeUnknown = ({ delivery, claimedAt }: Turn): boolean =>
  delivery.deaths > 0 || delivery.attemptedAt !== claimedAt;

const LEFT_ALONE_MS = 12 * 60 * 60_000;

/** Milliseconds since 1970. A time in which no one tried isn't counted. */
export const failingSince = ({ failingSince: since = Infinity, dueAt }: Delivery, time: number): number =>
  time - dueAt > LEFT_ALONE_MS ? time : Math.min(since, time);

const settled = (state: 'posted' | 'failed' | 'skipped', time: number): Sql =>
  sql`state = ${state}, settled_at = ${time}`;

function changesOf(turn: Turn, outcome: Outcome, time: number): Sql {
  // What we know about an earlier attempt is kept only while its outcome is unknown.
  const attemptedAt = outcomeUnknown(turn) || outcome.outcomeUnknown === true ? sql`attempted_at` : sql`NULL`;
  const waiting = sql`state = 'waiting', attempted_at = ${attemptedAt}`;
  const why =
    'reason' in outcome && outcome.reason !== undefined
      ? sql`, reason = ${outcome.reason}, needed_scope = ${('neededScope' in outcome && outcome.neededScope) || null}`
      : sql``;
  switch (outcome.is) {
    case 'posted': {
      const { ts = null, channelId, form } = outcome;
      const isShort = form === undefined ? sql`` : sql`, is_short = ${form === 'full' ? 0 : 1}`;
      return sql`${settled('posted', time)}, reason = NULL, needed_scope = NULL, post_ts = ${ts},
        post_channel_id = ${channelId}${isShort}`;
    }
    case 'failed':
      return sql`${settled(isLoss(turn.delivery) ? 'failed' : 'skipped', time)}, attempted_at = ${attemptedAt}${why}`;
    case 'skipped':
      return sql`${settled('skipped', time)}, reason = ${outcome.reason}`;
    case 'later':
    case 'held-channel': {
      const due = outcome.is === 'later' ? sql`, due_at = ${outcome.at}` : sql``;
      return sql`${waiting}, failing_since = ${failingSince(turn.delivery, time)}${due}${why}`;
    }
    case 'held-workspace':
      // A refused token says nothing about the delivery.
      return sql`${waiting}, failing_since = NULL${why}`;
    case 'moved':
      return sql`${waiting}, channel_id = ${outcome.to}`;
    default:
      return outcome satisfies never;
  }
}

/** What all of the outbox works with. */
export interface Delivering {
  readonly database: Database;
  readonly kinds: Kinds;
  readonly transport: Transport;
  readonly telling: Telling;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

async function dependentOn(kinds: Kinds, { delivery }: Turn, outcome: Outcome, time: number) {
  if (outcome.is === 'held-workspace') return [holdWorkspace(delivery.workspaceId, outcome.reason, time)];
  if (outcome.is === 'moved') return [wakeChannelOf(delivery.id)];
  if (outcome.is !== 'posted' && outcome.is !== 'failed') return [];
  return (await kinds.get(delivery.kind)?.onSettled?.(delivery, outcome)) ?? [];
}

/** Records an outcome and all that follows from it, in one commit. @returns false if another process has the turn by now */
export async function recordOutcome(parts: Delivering, turn: Turn, outcome: Outcome): Promise<boolean> {
  const { database, kinds, transport, now } = parts;
  const { token, delivery } = turn;
  const time = now();
  // A post has arrived by its answer, so the next can't arrive too early.
  const rested = outcome.isAsked === true ? time + transport.paceMs : 0;
  const openAt = outcome.is === 'held-channel' ? Math.max(rested, outcome.at) : rested;
  const dependent = await dependentOn(kinds, turn, outcome, time);
  const settle = sql`UPDATE deliveries SET ${changesOf(turn, outcome, time)}, claim = NULL, deaths = 0
      WHERE id = ${delivery.id} AND claim = ${token} AND state = 'sending'`;
  const released = releaseTurn(delivery, token, openAt);
  // Without more to write it's one round trip to a server, and changes nothing if the turn was lost.
  const written =
    dependent.length === 0
      ? await database.write(settle, ...released)
      : await database.writeIf(settle, ...dependent, ...released);
  return hasChanged(written?.[0]);
}

/** Called with every outcome, for log and metrics. */
export type Report = (
  outcome: 'posted' | 'failed' | 'skipped' | 'later' | 'broken',
  about: Pick<Delivery, 'id'> & Partial<Delivery>,
  detail?: { readonly reason?: string; readonly alreadyPosted?: boolean; readonly error?: unknown },
) => void;

function toldOf(delivery: Delivery, outcome: Outcome): Told | undefined {
  if (outcome.is === 'posted') return { outcome: 'posted' };
  if (outcome.is === 'moved' || outcome.reason === undefined) return undefined;
  const { is, reason } = outcome;
  if (is === 'failed') return { outcome: isLoss(delivery) ? 'failed' : 'skipped', reason };
  return { outcome: is === 'skipped' ? 'skipped' : 'later', reason };
}

/** Tells log and metrics, and the delivery's kind, how attempts went. */
export type Telling = ReturnType<typeof createTelling>;

export function createTelling(kinds: Kinds, report: Report) {
  /** The delivery itself is settled, so a failure is only reported. */
  async function tell(delivery: Delivery, told: Told): Promise<void> {
    try {
      await kinds.get(delivery.kind)?.onOutcome?.(delivery, told);
    } catch (error) {
      report('broken', delivery, { error });
    }
  }

  return {
    report,
    tell,
    async notifyOutcome(delivery: Delivery, outcome: Outcome): Promise<void> {
      const told = toldOf(delivery, outcome);
      const error = 'error' in outcome ? outcome.error : undefined;
      if (told === undefined) {
        if (error !== undefined) report('broken', delivery, { error });
        return;
      }
      const alreadyPosted = outcome.is === 'posted' && outcome.alreadyPosted;
      report(told.outcome, delivery, { ...told, alreadyPosted, error });
      await tell(delivery, told);
    },
  };
}
