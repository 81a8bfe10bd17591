import { sql, type Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Message } from '../messages/message.ts';
import { kindOf, todoAbout } from '../messages/slack-codes.ts';
import { LONGEST_FAILING_MS, LONGEST_WAIT_MS, backoff, channelNow } from './channels.ts';
import { ComposeError } from './delivery.ts';
import type { Form, Kind, Kinds, Plan } from './kind.ts';
import { failingSince, type Outcome } from './outcome.ts';
import { FAILED_KEPT_MS } from './overview.ts';
import { createFindReplaced, type Replaced } from './replaced.ts';
import type { Destination, PostOutcome, Transport } from './transport.ts';
import { LostTurnError, createKeepTurn, type Turn } from './turns.ts';

/**
 * What was being sent this often when the process ended isn't sent again: it may be what ends it. Retry looks for it first. An
 * error of the process's own counts for three, so that two of them are enough; whoever kills a process may well do it again.
 */
export const MOST_DEATHS = 6;
/** What such an error adds to the one that the next attempt counts. */
export const DEATHS_BY_ERROR = 2;

/** How long a code is waited out that nobody knows. */
const UNKNOWN_CODE_MS = 24 * 60 * 60_000;

/** How long what fails with a code is tried again: where that's in somebody's hands, as long as it could be retried. */
function longestFailing(code: string): number {
  const todo = todoAbout(code);
  if (todo === 'wait-a-day') return UNKNOWN_CODE_MS;
  return todo === 'ask' ? FAILED_KEPT_MS : LONGEST_FAILING_MS;
}

/** Tries to deliver what has the turn. Rejects if the database fails, or with {@link LostTurnError}. */
export type Attempt = (turn: Turn) => Promise<Outcome>;

/** Whether the outcome of an earlier attempt is unknown. */
export const isUnclear = ({ delivery, claimedAt }: Turn): boolean =>
  delivery.deaths > 0 || delivery.attemptedAt !== claimedAt;

function placeOf({ channel: { workspaceId, channelId: to }, delivery: { threadTs } }: Turn): Destination {
  return { workspaceId, to, threadTs };
}

/** The card whose place it takes. */
const cardOf = ({ delivery }: Turn, { replaces }: Kind) =>
  replaces === 'takes' ? { cardId: delivery.replacesId } : {};

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

  /** Whether what fails with a code has done so for too long. */
  function isOver({ delivery }: Turn, code: string): boolean {
    const time = now();
    return time - failingSince(delivery, time) > longestFailing(code);
  }

  /** Gives up what has failed for days. */
  function bounded(turn: Turn, outcome: Outcome): Outcome {
    if (outcome.is !== 'later' && outcome.is !== 'held-channel') return outcome;
    const { reason, neededScope, isAsked } = outcome;
    return reason !== undefined && isOver(turn, reason)
      ? { is: 'failed', reason, neededScope, isAsked, isUnclear: outcome.isUnclear }
      : outcome;
  }

  /** Where Slack refuses the whole app, or says that the place has another id. */
  async function refusedEverywhere(
    { channel }: Turn,
    { reason, neededScope }: { readonly reason: string; readonly neededScope?: string | undefined },
    known: { readonly isAsked?: boolean; readonly isUnclear: boolean },
  ): Promise<Outcome | undefined> {
    if (todoAbout(reason) === 'hold-workspace')
      return { is: 'held-workspace', reason, neededScope, ...known };
    if (kindOf(reason) !== 'not-in-channel') return undefined;
    const to = await channelNow(database, channel);
    return to === channel.channelId ? undefined : { is: 'moved', to, ...known };
  }

  async function refused(
    turn: Turn,
    kind: Kind,
    result: Exclude<PostOutcome, { readonly outcome: 'posted' }>,
    isChange: boolean,
  ): Promise<Outcome> {
    const { delivery } = turn;
    const { reason } = result;
    const known = { isAsked: true, isUnclear: isUnclear(turn) };
    const everywhere = await refusedEverywhere(turn, result, known);
    if (everywhere !== undefined) return everywhere;
    if (result.outcome === 'later') {
      const { afterMs } = result;
      const why = { reason, isAsked: true, isUnclear: known.isUnclear || result.unclear === true };
      // Only posts have a pace of the channel's.
      return !isChange && todoAbout(reason) === 'hold-channel'
        ? { is: 'held-channel', until: again(delivery, afterMs), ...why }
        : { is: 'later', at: again(delivery, afterMs), ...why };
    }
    const { neededScope } = result;
    const isOfTheApp = kindOf(reason) === 'missing-scope';
    // Nobody is asked to act, so it's tried again until somebody has. Until then a message that's there says what isn't so.
    if (kind.isNoLoss === true && (isOfTheApp || (isChange && todoAbout(reason) === 'ask')))
      return { is: 'later', at: again(delivery), reason, neededScope, ...known };
    return { is: 'failed', reason, neededScope, ...known };
  }

  const send = (turn: Turn, place: Destination, message: Message, messageId: string) =>
    post(place, message, messageId, () => keepTurn(turn));

  /** Its words alone, once, where Slack refuses how it's laid out. */
  async function sendOrWords(...[turn, place, message, messageId]: Parameters<typeof send>) {
    const result = await send(turn, place, message, messageId);
    return result.outcome === 'never' && todoAbout(result.reason) === 'simpler'
      ? send(turn, place, { ...message, blocks: [] }, messageId)
      : result;
  }

  /** @param wasLookedFor whether an earlier attempt may still show up beside this one */
  async function postNew(turn: Turn, kind: Kind, plan: Plan, wasLookedFor?: true): Promise<Outcome> {
    const { delivery, token } = turn;
    const looked = wasLookedFor === undefined ? {} : { wasLookedFor };
    const skipped = (reason: string): Outcome => ({ is: 'skipped', reason, ...looked });
    if (delivery.takenBy !== undefined) return skipped('superseded');
    if (delivery.notAfter !== undefined && now() > delivery.notAfter) return skipped('too_late');
    let form = firstForm(turn, plan);
    let place: Destination = { ...placeOf(turn), ...cardOf(turn, kind) };
    for (;;) {
      const message = await plan.message(form);
      if ('unwanted' in message) return skipped(message.unwanted);
      const canBeShorter = form === 'full' && plan.canBeShort === true;
      const result = await (canBeShorter ? send : sendOrWords)(turn, place, message, delivery.messageId);
      if (result.outcome === 'posted') {
        const { ts, channelId: postedIn } = result;
        return { is: 'posted', ts, isAsked: true, postedIn, form, threadTs: place.threadTs, ...looked };
      }
      const todo = todoAbout(result.reason);
      if (canBeShorter && todo === 'simpler') {
        form = 'thread';
        // Before the post, so that whoever finds it after a kill knows that something is left out.
        await database.write(
          sql`UPDATE deliveries SET is_short = 1 WHERE id = ${delivery.id} AND claim = ${token}`,
        );
      } else if (todo === 'outside-thread' && place.threadTs !== undefined) {
        // Somebody deleted or locked it; the channel is still the right place.
        const { threadTs: _, ...channel } = place;
        place = channel;
      } else return refused(turn, kind, result, false);
    }
  }

  /** What came of an earlier attempt; `gone` if nothing did, `unseen` if the app isn't allowed to look. */
  async function earlier(turn: Turn, plan: Plan): Promise<Outcome | 'gone' | 'unseen'> {
    const { delivery, channel } = turn;
    const seen = await find(placeOf(turn), delivery.messageId, delivery.attemptedAt);
    if ('found' in seen) {
      const [ts] = [...seen.found, ...(seen.became ?? [])];
      const found = { wasThere: true, wasLookedFor: true, postedIn: seen.channelId } as const;
      if (ts !== undefined)
        return { is: 'posted', ts, ...found, form: firstForm(turn, plan), threadTs: delivery.threadTs };
      if (seen.isPartial) blind(channel.workspaceId, 'too_much_said', undefined);
      return 'gone';
    }
    const { reason } = seen;
    const everywhere = await refusedEverywhere(turn, seen, { isUnclear: true });
    if (everywhere !== undefined) return everywhere;
    // Not posted again until we know, unless the code that keeps us from it turned out to stay.
    if (seen.outcome === 'later' && (todoAbout(reason) !== 'wait-a-day' || !isOver(turn, reason)))
      return { is: 'later', reason, at: again(delivery, seen.afterMs), isUnclear: true };
    // Where the app isn't, it couldn't post either; and if it's back by now, the earlier attempt may be there.
    if (kindOf(reason) === 'not-in-channel') return { is: 'failed', reason, isUnclear: true };
    blind(channel.workspaceId, reason, seen.outcome === 'never' ? seen.neededScope : undefined);
    return 'unseen';
  }

  /** Posts unless an earlier attempt is found. */
  async function postOnce(turn: Turn, kind: Kind, plan: Plan): Promise<Outcome> {
    const came = await earlier(turn, plan);
    return typeof came === 'string' ? postNew(turn, kind, plan, came === 'gone' ? true : undefined) : came;
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
    const { channelId: to, ts: replaces, cardId } = replaced;
    const place = { workspaceId, to, replaces, cardId, ...cardOf(turn, kind) };
    const knownAs = kind.replaces === 'takes' ? turn.delivery.messageId : replaced.messageId;
    const result = await sendOrWords(turn, place, message, knownAs);
    if (result.outcome === 'posted') {
      const { channelId: postedIn } = result;
      return {
        is: 'posted',
        ts: replaced.ts,
        isAsked: true,
        postedIn,
        form,
        threadTs: turn.delivery.threadTs,
      };
    }
    if (todoAbout(result.reason) === 'anew') return undefined;
    // Changing it twice does no harm, so it's repeated without checking.
    return refused(turn, kind, result, true);
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
      // After a restore from a backup, the same may be there under its own name, beside what has become of the card.
      const isAgain = kind.replaces === 'takes' && delivery.attemptedAt < delivery.acceptedAt;
      const came = isAgain ? await earlier(turn, plan) : 'gone';
      if (typeof came !== 'string') return came;
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
