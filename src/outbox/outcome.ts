import { rowsOf, sql } from '../database/database.ts';
import type { Database, Sql, Written } from '../database/database.ts';
import { RECHECK_AFTER_MS, giveBackStatements } from '../sessions/cards.ts';
import { postableSince } from '../sessions/session-ends.ts';
import { updateStatements } from '../sessions/session-outcomes.ts';
import { ChannelNextRow, releaseChannel, wakeChannelOf } from './channels.ts';
import type { Turn } from './claims.ts';
import { insertDelivery } from './delivery.ts';
import type { NewId } from './delivery.ts';
import { holdWorkspace, liftHold } from './holds.ts';

/** Why a delivery isn't where it belongs: Slack's code or ours, and the scope that was missing. */
interface Refusal {
  readonly reason: string;
  readonly neededScope?: string | undefined;
}

/**
 * The outcome of an attempt. Times are milliseconds since 1970; `sentAt` is when the request went to Slack, if it did.
 */
export type Outcome = { readonly sentAt?: number | undefined } & (
  | {
      readonly is: 'posted';
      readonly ts: string | undefined;
      /** It was already there: the answer to an earlier attempt was lost. */
      readonly wasThere?: true;
      /** An earlier attempt was looked for and may still show up beside this one. */
      readonly wasLookedFor?: true;
      /** The message whose thread gets what was left out. */
      readonly detailsIn?: string | undefined;
      /** Where Slack says it is, if it said so. */
      readonly postedIn?: string | undefined;
      /** For a summary: whether it was posted in its short form. */
      readonly isShort?: boolean;
      /** For details: the agent who watched has left the channel, and gets a direct message. */
      readonly isForLeaver?: true;
    }
  | ({ readonly is: 'failed'; /** It may have been posted. */ readonly isUnclear: boolean } & Refusal)
  | {
      readonly is: 'skipped';
      readonly reason: string;
      /** An earlier attempt was looked for and may still show up. */
      readonly wasLookedFor?: true;
    }
  /** Put off until `at`; no `reason` means a bug of ours. */
  | ({
      readonly is: 'later';
      readonly at: number;
      readonly isUnclear: boolean;
      readonly error?: unknown;
    } & Partial<Refusal>)
  /** Its channel can't be posted to until then; it keeps its place. */
  | ({ readonly is: 'held-channel'; readonly until: number; readonly isUnclear: boolean } & Refusal)
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

interface OutcomeParts {
  readonly database: Pick<Database, 'writeIf'>;
  readonly newId: NewId;
  /** Pause between two posts in one channel, milliseconds. */
  readonly paceMs: number;
  readonly now: () => number;
}

/**
 * Records the outcome of an attempt and everything that follows from it, in one commit. Changes nothing if another
 * process has the turn by now.
 *
 * @returns when the channel's next turn is; `lost` if the turn was
 */
export type RecordOutcome = (turn: Turn, outcome: Outcome) => Promise<number | undefined | 'lost'>;

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

function changesOf({ delivery }: Turn, outcome: Outcome, time: number): Sql {
  switch (outcome.is) {
    case 'posted': {
      const mayBeTwice = outcome.wasLookedFor === true && outcome.wasThere !== true;
      return sql`${settled('posted', time)}, reason = NULL, needed_scope = NULL, post_ts = ${outcome.ts ?? null},
        post_channel_id = ${outcome.postedIn === undefined ? sql`channel_id` : sql`${outcome.postedIn}`}${
          outcome.isShort === undefined ? sql`` : sql`, is_short = ${outcome.isShort ? 1 : 0}`
        }, recheck_at = ${mayBeTwice ? time + RECHECK_AFTER_MS : null}`;
    }
    case 'failed':
      return sql`${settled(isNoLoss(delivery) ? 'skipped' : 'failed', time)}, reason = ${outcome.reason}, needed_scope = ${outcome.neededScope ?? null},
        attempted_at = ${attemptedAt(outcome.isUnclear)}`;
    case 'skipped':
      return sql`${settled('skipped', time)}, reason = ${outcome.reason},
        recheck_at = ${outcome.wasLookedFor === true ? time + RECHECK_AFTER_MS : null}`;
    case 'later': {
      const { reason, neededScope, at, isUnclear } = outcome;
      const why =
        reason === undefined ? sql`` : sql`, reason = ${reason}, needed_scope = ${neededScope ?? null}`;
      return sql`${unsettled(isUnclear)}, due_at = ${at}, failing_since = ${failingSince(delivery, time)}${why}`;
    }
    case 'held-channel':
      return sql`${unsettled(outcome.isUnclear)}, reason = ${outcome.reason}, needed_scope = NULL,
        failing_since = ${failingSince(delivery, time)}`;
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

/** A card that doesn't arrive, a change, or a pointer to a summary that is there: nobody has to act on it. */
export const isNoLoss = ({ kind, payload }: Turn['delivery']): boolean =>
  kind === 'card' || kind === 'update' || (payload !== undefined && 'isIn' in payload);

/** Whether to tell the agent that their summary isn't where it belongs. */
function isForTheAgent({ kind, subscriptions, end, channelId }: Turn['delivery']): boolean {
  return (
    kind === 'summary' && subscriptions.length === 0 && end !== undefined && channelId !== end.link.userId
  );
}

/**
 * For a probe of the token: lifts the hold if Slack accepted it, and plans the next probe if the attempt didn't show.
 */
function lifting({ isProbe, channel }: Turn, outcome: Outcome, time: number): readonly Sql[] {
  if (isProbe === undefined || outcome.is === 'held-workspace') return [];
  return [liftHold(channel.workspaceId, outcome.sentAt === undefined ? time : undefined)];
}

export function createRecordOutcome({ database, newId, paceMs, now }: OutcomeParts): RecordOutcome {
  function following({ delivery }: Turn, outcome: Outcome, time: number): readonly Sql[] {
    const { id: of, messageId, workspaceId, channelId, sessionEndId, subscriptions, end } = delivery;
    const id = newId();
    const next = { id, workspaceId, sessionEndId, acceptedAt: time };
    const once = (what: 'elsewhere' | 'details' | 'notice') => ({
      key: `${what} of ${of}`,
      messageId: `${messageId}_${what}`,
      since: end && postableSince(end),
    });
    switch (outcome.is) {
      case 'posted': {
        const { detailsIn, isForLeaver, wasThere } = outcome;
        if (isForLeaver === true && end !== undefined) {
          const place = { channelId: end.link.userId, payload: { isIn: channelId } };
          return [
            insertDelivery({ ...next, ...place, ...once('elsewhere'), kind: 'notice' }),
            wakeChannelOf(id),
          ];
        }
        // What was found was made before somebody said how the session went.
        const isBehind = wasThere === true && delivery.kind === 'summary' && end?.outcome !== undefined;
        const behind = isBehind
          ? updateStatements({ summaryId: of, ...next, channelId, sessionEndId: end.id }, newId())
          : [];
        if (detailsIn === undefined) return behind;
        const place = { channelId, threadTs: detailsIn, subscriptions };
        return [
          insertDelivery({ ...next, ...place, ...once('details'), kind: 'details' }),
          wakeChannelOf(id),
          ...behind,
        ];
      }
      case 'failed': {
        const promised = giveBackStatements(delivery, { id: newId(), time });
        if (end === undefined || !isForTheAgent(delivery)) return promised;
        const { reason, neededScope } = outcome;
        const payload = {
          notPosted: { to: channelId, reason, ...(neededScope === undefined ? {} : { neededScope }) },
        };
        const place = { channelId: end.link.userId, payload };
        return [
          insertDelivery({ ...next, ...place, ...once('notice'), kind: 'notice' }),
          wakeChannelOf(id),
          ...promised,
        ];
      }
      case 'held-workspace':
        return [holdWorkspace(workspaceId, outcome.reason, time)];
      case 'moved':
        return [wakeChannelOf(of)];
      default:
        return [];
    }
  }

  return async function recordOutcome(turn, outcome) {
    const { channel, token, delivery } = turn;
    const time = now();
    const rested = outcome.sentAt === undefined ? 0 : Math.min(time, outcome.sentAt) + paceMs;
    const openAt = outcome.is === 'held-channel' ? Math.max(rested, outcome.until) : rested;
    const [release, reckon] = releaseChannel(channel, token, openAt);
    const written: readonly Written[] | undefined = await database.writeIf(
      sql`UPDATE deliveries SET ${changesOf(turn, outcome, time)}, claim = NULL, deaths = 0
        WHERE id = ${delivery.id} AND claim = ${token} AND state = 'sending'`,
      ...following(turn, outcome, time),
      ...lifting(turn, outcome, time),
      release,
      reckon,
    );
    if (written === undefined) return 'lost';
    return rowsOf(written.at(-1), ChannelNextRow)[0]?.next_at ?? undefined;
  };
}
