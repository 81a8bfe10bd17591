import { z } from 'zod';
import { hasChanged, sql } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { hasCome } from '../database/row-times.ts';
import type { Cards } from '../sessions/cards.ts';
import { UnreadableDeliveryError } from '../sessions/compose.ts';
import type { Compose } from '../sessions/compose.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import { isChannel, isPerson } from '../slack-ids.ts';
import type { SummaryForm } from '../subscriptions/subscription.ts';
import { LEASE_MS, LONGEST_WAIT_MS, channelNow, renewClaim } from './channels.ts';
import type { Turn } from './claims.ts';
import { messageIdColumn } from './delivery.ts';
import type { MethodHolds } from './holds.ts';
import { failingSince } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { Destination, FindPosts, Post, PostOutcome } from './post.ts';
import { troubleKind } from './trouble.ts';

/** Give up a delivery that was under way this often when the process ended: it may be what ends it. */
const MOST_DEATHS = 5;
/** Give up what has failed for this long. */
export const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** Slack's codes for a message that can no longer be changed. Source: chat.update, Errors. */
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

/** Another process has the turn, so this one posts and records nothing more. */
export class LostTurnError extends Error {
  override readonly name = 'LostTurnError';
}

export interface AttemptParts {
  readonly database: Pick<Database, 'read' | 'write' | 'steadyTime'>;
  readonly cards: Cards;
  readonly compose: Compose;
  readonly post: Post;
  readonly find: FindPosts;
  readonly subscribers: Pick<Subscribers, 'formNow'>;
  readonly methods: MethodHolds;
  /** Called when the app isn't allowed to check whether a post arrived, so it may arrive twice. */
  readonly blind: (workspaceId: string, reason: string, neededScope: string | undefined) => void;
  readonly now: () => number;
  /** The first wait after a temporary failure; it doubles each time. */
  readonly firstWaitMs: number;
  /** Whether a user is in a channel; undefined if Slack doesn't say. Rejects if it can't be asked. */
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
}

/** Tries to deliver what has the turn. Rejects if the database fails, or with {@link LostTurnError}. */
export type Attempt = (turn: Turn) => Promise<Outcome>;

/** How long to wait after this many failed attempts, milliseconds. */
export const backoff = (attempts: number, firstWaitMs: number): number =>
  Math.min(LONGEST_BACKOFF_MS, firstWaitMs * 2 ** Math.min(30, Math.max(0, attempts - 1)));

/** Whether the outcome of an earlier attempt is unknown. */
const isUnclear = ({ delivery, claimedAt }: Turn): boolean =>
  delivery.deaths > 0 || delivery.attemptedAt !== claimedAt;

function placeOf({ channel: { workspaceId, channelId: to }, delivery: { threadTs } }: Turn): Destination {
  return { workspaceId, to, ...(threadTs === undefined ? {} : { threadTs }) };
}

/** Saying that a link came to nothing only changes its card; it's never a message by itself. */
const onlyChanges = ({ kind, replacesId }: Turn['delivery']): boolean =>
  kind === 'card' && replacesId !== undefined;

/** Gives up what has failed for days; otherwise limits how long Slack can make us wait. */
function bounded(turn: Turn, outcome: Outcome, time: number): Outcome {
  const { reason } = 'reason' in outcome ? outcome : { reason: undefined };
  if (outcome.is !== 'later' && outcome.is !== 'held-channel') return outcome;
  if (reason !== undefined && time - failingSince(turn.delivery, time) > GIVE_UP_AFTER_MS) {
    const { neededScope, sentAt } = outcome;
    return { is: 'failed', reason, neededScope, sentAt, isUnclear: outcome.isUnclear };
  }
  const latest = time + LONGEST_WAIT_MS;
  return outcome.is === 'later'
    ? { ...outcome, at: Math.min(outcome.at, latest) }
    : { ...outcome, until: Math.min(outcome.until, latest) };
}

/** The message whose thread gets what was left out. A message already in a thread can't have one. */
function detailsOf(
  { delivery }: Turn,
  {
    form,
    isShort,
    place,
    ts,
  }: {
    readonly form: SummaryForm;
    readonly isShort: boolean;
    readonly place: Destination;
    readonly ts: string | undefined;
  },
): string | undefined {
  if (delivery.kind !== 'summary' || place.threadTs !== undefined) return undefined;
  return form === 'thread' || isShort ? ts : undefined;
}

/** The form in which a summary was posted, for changing it later. */
const formPosted = ({ delivery }: Turn, form: SummaryForm, isShort: boolean) =>
  delivery.kind === 'summary' ? { isShort: isShort || form !== 'full' } : {};

const PostedSummary = z.object({
  message_id: z.string(),
  post_ts: z.string(),
  post_channel_id: z.string(),
  is_short: z.number(),
});

export function createAttempt(parts: AttemptParts): Attempt {
  const { database, cards, compose, post, find, subscribers, methods, blind, now, firstWaitMs } = parts;
  const { isInChannel } = parts;
  const again = ({ attempts }: Turn['delivery']) => now() + backoff(attempts, firstWaitMs);

  /**
   * Called before each post if part of the claim has passed: the steps before a post can take longer than the claim
   * lasts.
   */
  async function keepTurn({ channel, token, claimedAt }: Turn): Promise<void> {
    if (!hasCome(claimedAt + LEASE_MS / 3, now(), LEASE_MS / 3)) return;
    const [renewed] = await database.write(renewClaim(database, channel, token));
    if (!hasChanged(renewed)) throw new LostTurnError();
  }

  /** The form in which it's wanted, or the outcome if it isn't wanted. */
  async function formOf(turn: Turn): Promise<SummaryForm | Outcome> {
    const { kind, workspaceId, subscriptions } = turn.delivery;
    const [first, ...others] = subscriptions;
    if (first === undefined) return 'full';
    const wanted = await subscribers.formNow(workspaceId, first).catch((error: unknown): Outcome => {
      if (error instanceof DatabaseError) throw error;
      const at = again(turn.delivery);
      return { is: 'later', reason: 'filter_unknown', at, isUnclear: isUnclear(turn), error };
    });
    if ('is' in wanted) return wanted;
    if ('form' in wanted) return wanted.form;
    // The summary these details belong to has been posted.
    if (kind === 'details' && wanted.skip === 'subscription_removed') return 'full';
    if (kind !== 'summary' || others.length === 0) return { is: 'skipped', reason: wanted.skip };
    return { is: 'asking', subscriptions: others, reason: wanted.skip, isUnclear: isUnclear(turn) };
  }

  async function refused(
    turn: Turn,
    result: Exclude<PostOutcome, { readonly outcome: 'posted' }>,
    sentAt: number,
  ): Promise<Outcome> {
    const { delivery, channel } = turn;
    const { reason } = result;
    const unclear = isUnclear(turn);
    const neededScope = 'neededScope' in result ? result.neededScope : undefined;
    if (troubleKind(reason) === 'refused-token')
      return { is: 'held-workspace', reason, neededScope, sentAt, isUnclear: unclear };
    if (result.outcome === 'later') {
      const { afterMs } = result;
      const why = { reason, sentAt, isUnclear: unclear || result.unclear === true };
      if (afterMs === undefined) return { is: 'later', at: again(delivery), ...why };
      return { is: 'held-channel', until: now() + afterMs, ...why };
    }
    if (reason === 'channel_not_found') {
      const to = await channelNow(database, channel);
      if (to !== channel.channelId) return { is: 'moved', to, sentAt, isUnclear: unclear };
    }
    return { is: 'failed', reason, neededScope, sentAt, isUnclear: unclear };
  }

  /** Whether the agent who watched has left the channel since. No one is mentioned in a channel they aren't in. */
  async function hasLeft({ delivery: { kind, end, subscriptions }, channel }: Turn): Promise<boolean> {
    const { workspaceId, channelId } = channel;
    if (kind !== 'details' || end === undefined || subscriptions.length > 0 || !isChannel(channelId))
      return false;
    const isIn = await isInChannel(workspaceId, end.link.userId, channelId).catch(() => undefined);
    return isIn === false;
  }

  /** @param wasLookedFor whether an earlier attempt may still show up beside this one */
  async function postNew(turn: Turn, form: SummaryForm, wasLookedFor?: true): Promise<Outcome> {
    const { delivery, token } = turn;
    const { kind, takenBy, notAfter } = delivery;
    const skipped = (reason: string): Outcome => ({
      is: 'skipped',
      reason,
      ...(wasLookedFor === undefined ? {} : { wasLookedFor }),
    });
    if (kind === 'card' && (takenBy !== undefined || !(await cards.isAwaited(delivery.id))))
      return skipped('superseded');
    if (notAfter !== undefined && now() > notAfter) return skipped('too_late');
    const hasShortForm = kind === 'summary' && form === 'full';
    let isShort = hasShortForm && delivery.isShort;
    let place = placeOf(turn);
    const isForLeaver = await hasLeft(turn);
    const isTheirs = delivery.kind === 'details' && delivery.subscriptions.length === 0;
    for (;;) {
      const mentions = isTheirs && !isForLeaver;
      const message = await compose(delivery, isShort ? 'short' : form, { mentions });
      await keepTurn(turn);
      const sentAt = now();
      const result = await post(place, message, delivery.messageId);
      if (result.outcome === 'posted') {
        const { ts, channelId: postedIn } = result;
        return {
          is: 'posted',
          ts,
          sentAt,
          postedIn,
          detailsIn: detailsOf(turn, { form, isShort, place, ts }),
          ...formPosted(turn, form, isShort),
          ...(wasLookedFor === undefined ? {} : { wasLookedFor }),
          ...(isForLeaver ? { isForLeaver } : {}),
        };
      }
      if (hasShortForm && !isShort && troubleKind(result.reason) === 'too-long') {
        isShort = true;
        // Before the post, so that whoever finds it after a kill knows that something is left out.
        await database.write(
          sql`UPDATE deliveries SET is_short = 1 WHERE id = ${delivery.id} AND claim = ${token}`,
        );
      } else if (result.reason === 'thread_not_found' && place.threadTs !== undefined) {
        // Somebody deleted the message that started it; the channel is still the right place.
        const { threadTs: _, ...channel } = place;
        place = channel;
      } else return refused(turn, result, sentAt);
    }
  }

  /** Posts unless an earlier attempt is found. */
  async function postOnce(turn: Turn, form: SummaryForm): Promise<Outcome> {
    const { delivery, channel } = turn;
    const seen = await find(placeOf(turn), delivery.messageId, delivery.attemptedAt);
    if ('found' in seen) {
      const [ts] = seen.found;
      if (ts !== undefined) {
        const { isShort } = delivery;
        return {
          is: 'posted',
          ts,
          wasThere: true,
          wasLookedFor: true,
          postedIn: seen.channelId,
          detailsIn: detailsOf(turn, { form, isShort, place: placeOf(turn), ts }),
          ...formPosted(turn, form, isShort),
          ...((await hasLeft(turn)) ? { isForLeaver: true } : {}),
        };
      }
      if (seen.isPartial) blind(channel.workspaceId, 'too_much_said', undefined);
      return postNew(turn, form, true);
    }
    const { reason } = seen;
    if (seen.outcome === 'later') {
      const { afterMs } = seen;
      const at = afterMs === undefined ? again(delivery) : now() + Math.min(afterMs, LONGEST_WAIT_MS);
      // Not posted again until we know.
      return { is: 'later', reason, at, isUnclear: true };
    }
    if (troubleKind(reason) === 'refused-token')
      return { is: 'held-workspace', reason, sentAt: now(), isUnclear: true };
    if (reason === 'channel_not_found') {
      const to = await channelNow(database, channel);
      if (to !== channel.channelId) return { is: 'moved', to, isUnclear: true };
    }
    blind(channel.workspaceId, reason, seen.neededScope);
    return postNew(turn, form);
  }

  /** What to change, and what it's recognised by from then on. */
  interface Changed {
    readonly ts: string;
    readonly channelId: string;
    readonly knownAs: string;
  }

  /** Changes a message into the delivery. Undefined if the message can no longer be changed. */
  async function change(turn: Turn, changed: Changed, form: SummaryForm): Promise<Outcome | undefined> {
    const { delivery, channel } = turn;
    const { workspaceId } = channel;
    const { ts, channelId, knownAs } = changed;
    const heldUntil = methods.until(workspaceId, 'chat.update');
    if (heldUntil !== undefined)
      return { is: 'later', reason: 'ratelimited', at: heldUntil, isUnclear: isUnclear(turn) };
    // A card in a thread can't have a thread for the rest.
    const inShort = delivery.kind === 'summary' && delivery.threadTs === undefined;
    const message = await compose(delivery, inShort ? 'short' : form);
    await keepTurn(turn);
    const sentAt = now();
    const result = await post({ workspaceId, to: channelId, replaces: ts }, message, knownAs);
    if (result.outcome === 'posted') {
      const posted = { is: 'posted', ts, sentAt, postedIn: result.channelId } as const;
      return { ...posted, ...formPosted(turn, form, inShort), ...(inShort ? { detailsIn: ts } : {}) };
    }
    if (result.outcome === 'never' && GONE.has(result.reason)) return undefined;
    const outcome = await refused(turn, result, sentAt);
    // Changing it twice does no harm, so it's repeated without checking.
    if (outcome.is !== 'held-channel') return outcome;
    const until = Math.min(outcome.until, now() + LONGEST_WAIT_MS);
    methods.hold(workspaceId, 'chat.update', until);
    return { is: 'later', reason: outcome.reason, at: until, sentAt, isUnclear: outcome.isUnclear };
  }

  /** Redraws a summary as it is now. One that isn't posted yet will be drawn up to date anyway. */
  async function redraw(turn: Turn): Promise<Outcome> {
    const { delivery, channel } = turn;
    const [posted] = await database.read(
      sql`SELECT ${messageIdColumn}, post_ts, post_channel_id, is_short FROM deliveries
        WHERE id = ${delivery.replacesId ?? ''} AND state = 'posted' AND post_ts IS NOT NULL AND post_channel_id IS NOT NULL`,
      PostedSummary,
    );
    if (posted === undefined) return { is: 'skipped', reason: 'superseded' };
    const { message_id: knownAs, post_ts: ts, post_channel_id: postedIn, is_short: isShort } = posted;
    // The channel may have a new id since.
    const channelId = isPerson(channel.channelId) ? postedIn : channel.channelId;
    const changed = await change(turn, { ts, channelId, knownAs }, isShort === 1 ? 'short' : 'full');
    return changed ?? { is: 'skipped', reason: 'superseded' };
  }

  async function deliver(turn: Turn): Promise<Outcome> {
    const { delivery, channel } = turn;
    const { deaths, takenBy, notAfter, replacesId } = delivery;
    const unclear = isUnclear(turn);
    if (deaths >= MOST_DEATHS) return { is: 'failed', reason: 'set_aside', isUnclear: true };
    if (takenBy !== undefined && !unclear) return { is: 'skipped', reason: 'superseded' };
    if (notAfter !== undefined && now() > notAfter && !unclear) return { is: 'skipped', reason: 'too_late' };
    if (delivery.kind === 'update') return redraw(turn);
    const form = await formOf(turn);
    if (typeof form === 'object') return form;
    if (replacesId !== undefined) {
      const card = await cards.messageFor(delivery);
      if (card !== undefined && 'again' in card) {
        const { reason, afterMs } = card.again;
        if (troubleKind(reason) === 'refused-token')
          return { is: 'held-workspace', reason, sentAt: now(), isUnclear: unclear };
        return {
          is: 'later',
          reason,
          at: afterMs === undefined ? again(delivery) : now() + afterMs,
          isUnclear: unclear,
        };
      }
      const { channelId } = channel;
      const changed =
        card === undefined
          ? undefined
          : await change(turn, { ts: card.ts, channelId, knownAs: delivery.messageId }, form);
      if (changed !== undefined) return changed;
      if (onlyChanges(delivery)) return { is: 'skipped', reason: 'superseded' };
    }
    return unclear ? postOnce(turn, form) : postNew(turn, form);
  }

  return async function attempt(turn) {
    try {
      return bounded(turn, await deliver(turn), now());
    } catch (error) {
      if (error instanceof LostTurnError || error instanceof DatabaseError) throw error;
      const later = { is: 'later', isUnclear: isUnclear(turn), error } as const;
      if (error instanceof UnreadableDeliveryError)
        return { ...later, reason: 'record_unreadable', at: now() + LONGEST_BACKOFF_MS };
      // A bug of ours.
      return { ...later, at: again(turn.delivery) };
    }
  };
}
