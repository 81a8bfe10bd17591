import { hasChanged, sql, type Database, type Sql } from '../database/database.ts';
import { wakeChannelOf, releaseTurn, type Turn } from './channels.ts';
import type { Delivery, Form, Kinds, Settled, Told } from './delivery.ts';
import { holdWorkspace } from '../workspaces/holds.ts';
import type { Refusal } from './overview.ts';

/** The outcome of an attempt. Times are milliseconds since 1970; `isAsked` if Slack was asked to post, so that its place rests. */
export type Outcome = { readonly isAsked?: boolean | undefined } & (
  | {
      readonly is: 'posted';
      readonly ts: string | undefined;
      /** It was already there: the answer to an earlier attempt was lost. */
      readonly alreadyPosted?: true;
      /** Where Slack says it is, if it said so. */
      readonly postedIn?: string;
      /** How much it says, for kinds that have a choice. */
      readonly form: Form | undefined;
      /** The thread it's in, if it's in one. */
      readonly threadTs: string | undefined;
    }
  | ({ readonly is: 'failed'; /** It may have been posted. */ readonly isUnclear: boolean } & Refusal)
  | { readonly is: 'skipped'; readonly reason: string }
  /** Put off until `at`; no `reason` means a bug of ours. */
  | ({
      readonly is: 'later';
      readonly at: number;
      readonly isUnclear: boolean;
      readonly error?: unknown;
    } & Partial<Refusal>)
  /** Its channel can't be posted to until then; it keeps its place. No `reason` means a bug of ours. */
  | ({
      readonly is: 'held-channel';
      readonly until: number;
      readonly isUnclear: boolean;
      readonly error?: unknown;
    } & Partial<Refusal>)
  /** Slack refuses the workspace's token, so nothing of it can be posted. */
  | ({ readonly is: 'held-workspace'; readonly isUnclear: boolean } & Refusal)
  /** Its channel has another id. */
  | { readonly is: 'moved'; readonly to: string; readonly isUnclear: boolean }
  /** Its first subscription no longer wants it; others may. */
  | {
      readonly is: 'asking';
      readonly subscriptions: readonly string[];
      readonly reason: string;
      readonly isUnclear: boolean;
    }
);

/** What we know about an earlier attempt is kept only while its outcome is unknown. */
const attemptedAt = (isUnclear: boolean): Sql => (isUnclear ? sql`attempted_at` : sql`NULL`);

function settled(state: 'posted' | 'failed' | 'skipped', time: number): Sql {
  return sql`state = ${state}, settled_at = ${time}`;
}

const unsettled = (isUnclear: boolean): Sql =>
  sql`state = 'waiting', attempted_at = ${attemptedAt(isUnclear)}`;

const LEFT_ALONE_MS = 12 * 60 * 60_000;

/**
 * When a delivery started failing, milliseconds since 1970. It starts again now after a time in which no one tried, or
 * if the clock was put back: that time isn't counted.
 */
export function failingSince({ failingSince: since, dueAt }: Turn['delivery'], time: number): number {
  if (since === undefined || since > time || time - dueAt > LEFT_ALONE_MS) return time;
  return since;
}

function changesOf({ delivery }: Turn, outcome: Outcome, time: number, isNoLoss: boolean): Sql {
  switch (outcome.is) {
    case 'posted': {
      return sql`${settled('posted', time)}, reason = NULL, needed_scope = NULL, post_ts = ${outcome.ts ?? null},
        post_channel_id = ${outcome.postedIn === undefined ? sql`channel_id` : sql`${outcome.postedIn}`}${
          outcome.form === undefined ? sql`` : sql`, is_short = ${outcome.form === 'full' ? 0 : 1}`
        }`;
    }
    case 'failed':
      return sql`${settled(isNoLoss ? 'skipped' : 'failed', time)}, reason = ${outcome.reason}, needed_scope = ${outcome.neededScope ?? null},
        attempted_at = ${attemptedAt(outcome.isUnclear)}`;
    case 'skipped':
      return sql`${settled('skipped', time)}, reason = ${outcome.reason}`;
    case 'later': {
      const { reason, neededScope, at, isUnclear } = outcome;
      const why =
        reason === undefined ? sql`` : sql`, reason = ${reason}, needed_scope = ${neededScope ?? null}`;
      return sql`${unsettled(isUnclear)}, due_at = ${at}, failing_since = ${failingSince(delivery, time)}${why}`;
    }
    case 'held-channel': {
      const { reason, isUnclear } = outcome;
      const why = reason === undefined ? sql`` : sql`, reason = ${reason}, needed_scope = NULL`;
      return sql`${unsettled(isUnclear)}, failing_since = ${failingSince(delivery, time)}${why}`;
    }
    case 'held-workspace':
      // A refused token says nothing about the delivery.
      return sql`${unsettled(outcome.isUnclear)}, reason = ${outcome.reason},
        needed_scope = ${outcome.neededScope ?? null}, failing_since = NULL`;
    case 'moved':
      return sql`${unsettled(outcome.isUnclear)}, channel_id = ${outcome.to}`;
    case 'asking':
      return sql`state = 'asking', attempted_at = ${attemptedAt(outcome.isUnclear)}, due_at = ${time},
        subscriptions = ${JSON.stringify(outcome.subscriptions)}`;
    default:
      return outcome satisfies never;
  }
}

/** What its kind is told of an outcome that settles a delivery. */
function settledBy(outcome: Outcome): Settled | undefined {
  switch (outcome.is) {
    case 'posted': {
      const { ts, form, threadTs, alreadyPosted = false } = outcome;
      return { is: 'posted', ts, form, threadTs, alreadyPosted };
    }
    case 'failed':
      return { is: 'failed', reason: outcome.reason, neededScope: outcome.neededScope };
    default:
      return undefined;
  }
}

/**
 * Records the outcome of an attempt and everything that follows from it, in one commit. Changes nothing if another
 * process has the turn by now.
 */
export function createRecordOutcome({
  database,
  kinds,
  paceMs,
  now,
}: {
  readonly database: Pick<Database, 'write' | 'writeIf'>;
  readonly kinds: Kinds;
  /** Pause between two posts in one channel, milliseconds. */
  readonly paceMs: number;
  readonly now: () => number;
}) {
  async function following({ delivery }: Turn, outcome: Outcome, time: number): Promise<readonly Sql[]> {
    if (outcome.is === 'held-workspace') return [holdWorkspace(delivery.workspaceId, outcome.reason, time)];
    if (outcome.is === 'moved') return [wakeChannelOf(delivery.id)];
    const what = settledBy(outcome);
    return what === undefined ? [] : ((await kinds.get(delivery.kind)?.follows?.(delivery, what)) ?? []);
  }

  function recorded({ delivery }: Turn, outcome: Outcome): readonly Sql[] {
    if (outcome.is !== 'posted') return [];
    const { postedIn: channelId = delivery.channelId, ts } = outcome;
    return kinds.get(delivery.kind)?.recorded?.(delivery, { channelId, ts }) ?? [];
  }

  /** @returns false if the turn was lost */
  return async function recordOutcome(turn: Turn, outcome: Outcome): Promise<boolean> {
    const { token, delivery } = turn;
    const time = now();
    // A post has arrived by its answer, so the next can't arrive too early.
    const rested = outcome.isAsked === true ? time + paceMs : 0;
    const openAt = outcome.is === 'held-channel' ? Math.max(rested, outcome.until) : rested;
    const dependent = [...recorded(turn, outcome), ...(await following(turn, outcome, time))];
    const isNoLoss = kinds.get(delivery.kind)?.isNoLoss === true;
    const settle = sql`UPDATE deliveries SET ${changesOf(turn, outcome, time, isNoLoss)}, claim = NULL, deaths = 0
        WHERE id = ${delivery.id} AND claim = ${token} AND state = 'sending'`;
    // Giving back a turn that was lost changes nothing, so without more to write it's one round trip to a server.
    const written =
      dependent.length === 0
        ? await database.write(settle, ...releaseTurn(turn, openAt))
        : await database.writeIf(settle, ...dependent, ...releaseTurn(turn, openAt));
    return hasChanged(written?.[0]);
  };
}

/** Called with the outcome of every attempt, for log and metrics. */
export type Report = (
  outcome: 'posted' | 'failed' | 'skipped' | 'later' | 'broken',
  about: Pick<Delivery, 'id'> &
    Partial<Pick<Delivery, 'kind' | 'sessionEndId' | 'subscriptions' | 'workspaceId' | 'channelId'>>,
  detail?: {
    readonly reason?: string;
    /** An earlier post whose answer was lost had arrived. */
    readonly alreadyPosted?: boolean;
    readonly error?: unknown;
    /** What its kind says of it. */
    readonly logged?: Readonly<Record<string, string | undefined>>;
  },
) => void;

/** How an outcome is told, if at all. */
function toldOf(outcome: Outcome, isNoLoss: boolean): Told | undefined {
  switch (outcome.is) {
    case 'posted':
      return { outcome: 'posted' };
    case 'failed':
      return { outcome: isNoLoss ? 'skipped' : 'failed', reason: outcome.reason };
    case 'skipped':
    case 'asking':
      return { outcome: 'skipped', reason: outcome.reason };
    case 'later':
    case 'held-channel':
      return outcome.reason === undefined ? undefined : { outcome: 'later', reason: outcome.reason };
    case 'held-workspace':
      return { outcome: 'later', reason: outcome.reason };
    case 'moved':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** Says how attempts went: to log and metrics, and to the delivery's kind. */
export type Telling = ReturnType<typeof createTelling>;

export function createTelling(kinds: Kinds, toLog: Report) {
  const report: Report = (outcome, about, detail) => {
    const { kind = '', sessionEndId = '' } = about;
    toLog(outcome, about, { ...detail, logged: kinds.get(kind)?.logged?.(sessionEndId) });
  };

  /** Tells its kind. The delivery itself is settled, so a failure is only reported. */
  async function tell(delivery: Delivery, told: Told): Promise<void> {
    try {
      await kinds.get(delivery.kind)?.told?.(delivery, told);
    } catch (error) {
      report('broken', delivery, { error });
    }
  }

  return {
    report,
    tell,
    /** Reports and tells a recorded outcome. */
    async tellOutcome(delivery: Delivery, outcome: Outcome): Promise<void> {
      const told = toldOf(outcome, kinds.get(delivery.kind)?.isNoLoss === true);
      // Only the first of its subscriptions no longer wants it.
      const about =
        outcome.is === 'asking'
          ? { ...delivery, subscriptions: delivery.subscriptions.slice(0, 1) }
          : delivery;
      const error = 'error' in outcome ? outcome.error : undefined;
      if (told === undefined) {
        if (error !== undefined) report('broken', delivery, { error });
        return;
      }
      const reason = 'reason' in told ? told.reason : undefined;
      report(told.outcome, about, {
        reason,
        alreadyPosted: 'alreadyPosted' in outcome && outcome.alreadyPosted,
        error,
      });
      await tell(about, told);
    },
  };
}
