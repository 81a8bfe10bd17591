import { sql } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Message } from '../messages/message.ts';
import { LONGEST_FAILING_MS, LONGEST_WAIT_MS, backoff, channelNow } from './channels.ts';
import { ComposeError } from './delivery.ts';
import type { Form, Kind, Kinds, Plan } from './kind.ts';
import { failingSince } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { createFindReplaced } from './replaced.ts';
import type { Replaced } from './replaced.ts';
import type { Destination, PostOutcome, Transport } from './transport.ts';
import { OF_THE_APP, troubleKind } from './trouble.ts';
import { LostTurnError, createKeepTurn } from './turns.ts';
import type { Turn } from './turns.ts';

/** What was being sent this often when the process ended isn't sent again: it may be what ends it. Retry looks for it first. */
export const MOST_DEATHS = 2;

/** Slack's codes for a message that can no longer be changed. Source: chat.update, Errors. */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

/** Tries to deliver what has the turn. Rejects if the database fails, or with {@link LostTurnError}. */
export type Attempt = (turn: Turn) => Promise<Outcome>;

/** Whether the outcome of an earlier attempt is unknown. */
export const isUnclear = ({ delivery, claimedAt }: Turn): boolean =>
  delivery.deaths > 0 || delivery.attemptedAt !== claimedAt;

function placeOf({ channel: { workspaceId, channelId: to }, delivery: { threadTs } }: Turn): Destination {
  return { workspaceId, to, ...(threadTs === undefined ? {} : { threadTs }) };
}

/** What was too long in an earlier attempt begins in its short form. */
const firstForm = ({ delivery }: Turn, { form, canBeShort }: Plan): Form | undefined =>
  form === 'full' && canBeShort === true && delivery.isShort ? 'thread' : form;

export function createAttempt({
  database,
  kinds,
  transport,
  blind,
  now,
}: {
  readonly database: Pick<Database, 'read' | 'write' | 'steadyTime'>;
  readonly kinds: Kinds;
  readonly transport: Transport;
  /** Called when the app isn't allowed to check whether a post arrived, so it may arrive twice. */
  readonly blind: (workspaceId: string, reason: string, neededScope: string | undefined) => void;
  readonly now: () => number;
}): Attempt {
  const { post, find } = transport;
  const keepTurn = createKeepTurn(database, now);
  const findReplaced = createFindReplaced({ database, find, now });
  const again = ({ attempts }: Turn['delivery'], afterMs = backoff(attempts)) =>
    now() + Math.min(afterMs, LONGEST_WAIT_MS);

  /** Gives up what has failed for days. */
  function bounded(turn: Turn, outcome: Outcome): Outcome {
    if (outcome.is !== 'later' && outcome.is !== 'held-channel') return outcome;
    const { reason, sentAt } = outcome;
    const time = now();
    if (reason !== undefined && time - failingSince(turn.delivery, time) > LONGEST_FAILING_MS)
      return { is: 'failed', reason, neededScope: outcome.neededScope, sentAt, isUnclear: outcome.isUnclear };
    return outcome;
  }

  /** Where Slack refuses the whole app, or says that the place has another id. */
  async function refusedEverywhere(
    { channel }: Turn,
    { reason, neededScope }: { readonly reason: string; readonly neededScope?: string | undefined },
    known: { readonly sentAt?: number | undefined; readonly isUnclear: boolean },
  ): Promise<Outcome | undefined> {
    if (troubleKind(reason) === 'refused-token')
      return { is: 'held-workspace', reason, neededScope, ...known };
    if (reason !== 'channel_not_found') return undefined;
    const to = await channelNow(database, channel);
    return to === channel.channelId ? undefined : { is: 'moved', to, ...known };
  }

  async function refused(
    turn: Turn,
    kind: Kind,
    result: Exclude<PostOutcome, { readonly outcome: 'posted' }>,
    { sentAt, isChange }: { readonly sentAt: number | undefined; readonly isChange: boolean },
  ): Promise<Outcome> {
    const { delivery } = turn;
    const { reason } = result;
    const known = { sentAt, isUnclear: isUnclear(turn) };
    const everywhere = await refusedEverywhere(turn, result, known);
    if (everywhere !== undefined) return everywhere;
    if (result.outcome === 'later') {
      const { afterMs } = result;
      const why = { reason, sentAt, isUnclear: known.isUnclear || result.unclear === true };
      // Only posts have a pace of the channel's.
      return afterMs === undefined || isChange
        ? { is: 'later', at: again(delivery, afterMs), ...why }
        : { is: 'held-channel', until: again(delivery, afterMs), ...why };
    }
    const { neededScope } = result;
    // Nobody is asked to act, so it's tried again until somebody has.
    if (kind.isNoLoss === true && OF_THE_APP.has(troubleKind(reason)))
      return { is: 'later', at: again(delivery), reason, neededScope, ...known };
    return { is: 'failed', reason, neededScope, ...known };
  }

  /** @returns what came of it, and when the request went to Slack, if it did */
  async function send(turn: Turn, place: Destination, message: Message, messageId: string) {
    let sentAt: number | undefined;
    const left = () => void (sentAt = now());
    const result = await post(place, message, messageId, { ready: () => keepTurn(turn), left });
    return { result, sentAt };
  }

  /** @param wasLookedFor whether an earlier attempt may still show up beside this one */
  async function postNew(turn: Turn, kind: Kind, plan: Plan, wasLookedFor?: true): Promise<Outcome> {
    const { delivery, token } = turn;
    const looked = wasLookedFor === undefined ? {} : { wasLookedFor };
    const skipped = (reason: string): Outcome => ({ is: 'skipped', reason, ...looked });
    if (delivery.takenBy !== undefined) return skipped('superseded');
    if (delivery.notAfter !== undefined && now() > delivery.notAfter) return skipped('too_late');
    let form = firstForm(turn, plan);
    let place = placeOf(turn);
    for (;;) {
      const message = await plan.message(form);
      if ('unwanted' in message) return skipped(message.unwanted);
      const { result, sentAt } = await send(turn, place, message, delivery.messageId);
      if (result.outcome === 'posted') {
        const { ts, channelId: postedIn } = result;
        return { is: 'posted', ts, sentAt, postedIn, form, threadTs: place.threadTs, ...looked };
      }
      if (form === 'full' && plan.canBeShort === true && troubleKind(result.reason) === 'too-long') {
        form = 'thread';
        // Before the post, so that whoever finds it after a kill knows that something is left out.
        await database.write(
          sql`UPDATE deliveries SET is_short = 1 WHERE id = ${delivery.id} AND claim = ${token}`,
        );
      } else if (result.reason === 'thread_not_found' && place.threadTs !== undefined) {
        // Somebody deleted the message that started it; the channel is still the right place.
        const { threadTs: _, ...channel } = place;
        place = channel;
      } else return refused(turn, kind, result, { sentAt, isChange: false });
    }
  }

  /** Posts unless an earlier attempt is found. */
  async function postOnce(turn: Turn, kind: Kind, plan: Plan): Promise<Outcome> {
    const { delivery, channel } = turn;
    const seen = await find(placeOf(turn), delivery.messageId, delivery.attemptedAt);
    if ('found' in seen) {
      const [ts] = seen.found;
      const found = { wasThere: true, wasLookedFor: true, postedIn: seen.channelId } as const;
      if (ts !== undefined)
        return { is: 'posted', ts, ...found, form: firstForm(turn, plan), threadTs: delivery.threadTs };
      if (seen.isPartial) blind(channel.workspaceId, 'too_much_said', undefined);
      return postNew(turn, kind, plan, true);
    }
    const { reason } = seen;
    // Not posted again until we know.
    if (seen.outcome === 'later')
      return { is: 'later', reason, at: again(delivery, seen.afterMs), isUnclear: true };
    const everywhere = await refusedEverywhere(turn, seen, { isUnclear: true });
    if (everywhere !== undefined) return everywhere;
    // Where the app isn't, it couldn't post either; and if it's back by now, the earlier attempt may be there.
    if (troubleKind(reason) === 'not-in-channel') return { is: 'failed', reason, isUnclear: true };
    blind(channel.workspaceId, reason, seen.neededScope);
    return postNew(turn, kind, plan);
  }

  /** Changes a message into the delivery. Undefined if the message can no longer be changed. */
  async function change(
    turn: Turn,
    kind: Kind,
    replaced: Replaced,
    plan: Plan,
  ): Promise<Outcome | undefined> {
    const { workspaceId } = turn.channel;
    const { form } = plan;
    const message = await plan.message(form);
    if ('unwanted' in message) return { is: 'skipped', reason: message.unwanted };
    const place = { workspaceId, to: replaced.channelId, replaces: replaced.ts };
    const knownAs = kind.replaces === 'takes' ? turn.delivery.messageId : replaced.messageId;
    const { result, sentAt } = await send(turn, place, message, knownAs);
    if (result.outcome === 'posted') {
      const { channelId: postedIn } = result;
      return { is: 'posted', ts: replaced.ts, sentAt, postedIn, form, threadTs: turn.delivery.threadTs };
    }
    if (result.outcome === 'never' && GONE.has(result.reason)) return undefined;
    // Changing it twice does no harm, so it's repeated without checking.
    return refused(turn, kind, result, { sentAt, isChange: true });
  }

  async function deliver(turn: Turn, kind: Kind): Promise<Outcome> {
    const { delivery } = turn;
    const { deaths, takenBy, notAfter, replacesId } = delivery;
    const unclear = isUnclear(turn);
    const superseded: Outcome = { is: 'skipped', reason: 'superseded' };
    if (deaths >= MOST_DEATHS) return { is: 'failed', reason: 'set_aside', isUnclear: true };
    if (takenBy !== undefined && !unclear) return superseded;
    if (notAfter !== undefined && now() > notAfter && !unclear) return { is: 'skipped', reason: 'too_late' };
    const isChange = replacesId !== undefined && kind.replaces !== undefined;
    const replaced = isChange ? await findReplaced(delivery, kind.replaces) : undefined;
    if (replaced !== undefined && 'again' in replaced) {
      const { reason, ...seen } = replaced.again;
      const held = await refusedEverywhere(turn, replaced.again, { isUnclear: unclear });
      const afterMs = 'afterMs' in seen ? seen.afterMs : undefined;
      return held ?? { is: 'later', reason, at: again(delivery, afterMs), isUnclear: unclear };
    }
    if (isChange && replaced === undefined && kind.replaces !== 'takes') return superseded;
    let plan = await kind.compose(delivery, replaced);
    if (replaced !== undefined && 'message' in plan) {
      const changed = await change(turn, kind, replaced, plan);
      if (changed !== undefined) return changed;
      if (kind.replaces !== 'takes') return superseded;
      plan = await kind.compose(delivery, undefined);
    }
    if ('unwanted' in plan) return { is: 'skipped', reason: plan.unwanted };
    if ('others' in plan)
      return { is: 'asking', subscriptions: plan.others, reason: plan.reason, isUnclear: unclear };
    return unclear ? postOnce(turn, kind, plan) : postNew(turn, kind, plan);
  }

  return async function attempt(turn) {
    const kind = kinds.get(turn.delivery.kind);
    // The claim names the kinds.
    if (kind === undefined) throw new LostTurnError();
    try {
      return bounded(turn, await deliver(turn, kind));
    } catch (error) {
      if (error instanceof LostTurnError || error instanceof DatabaseError) throw error;
      // Without a reason it's a bug of ours.
      const why = error instanceof ComposeError ? { reason: error.reason } : {};
      const later: Outcome = {
        is: 'later',
        at: again(turn.delivery),
        isUnclear: isUnclear(turn),
        error,
        ...why,
      };
      return bounded(turn, later);
    }
  };
}
