import { z } from 'zod';
import { rowOf, rowsOf, sql } from '../database/database.ts';
import { isTokenRefused, kindOf, todoAbout } from '../messages/slack-codes.ts';
import { isPerson } from '../permissions/permissions.ts';
import {
  LEASE_MS,
  LONGEST_FAILING_MS,
  LONGEST_WAIT_MS,
  backoff,
  channelNow,
  renewTurn,
  type Turn,
} from './channels.ts';
import {
  RenderError,
  messageIdColumn,
  type AskOthers,
  type Delivery,
  type Form,
  type Kind,
  type Plan,
  isLoss,
  type Unwanted,
} from './delivery.ts';
import { failingSince, outcomeUnknown, type Delivering, type Outcome } from './outcome.ts';
import { FAILED_KEPT_MS } from './overview.ts';
import type { Destination, NotDone, PostOutcome, Refusal, Transport } from './transport.ts';

/**
 * What was under way this often when the process ended isn't sent again: it may be what ends it. Retry looks for it first.
 * An error of the process's own counts for three, so two are enough; whoever kills a process may well do it again.
 */
export const MOST_DEATHS = 6;
/** What such an error adds to the one that the next attempt counts. */
export const DEATHS_BY_ERROR = 2;

/** How long an unknown code is waited out. */
const UNKNOWN_CODE_MS = 24 * 60 * 60_000;

/** How long what fails with a code is tried again. */
function longestFailing(code: string): number {
  const todo = todoAbout(code);
  if (todo === 'wait-a-day') return UNKNOWN_CODE_MS;
  return todo === 'ask' ? FAILED_KEPT_MS : LONGEST_FAILING_MS;
}

export interface AttemptParts extends Delivering {
  /** Called when the app isn't allowed to check whether a post arrived, so it may arrive twice. */
  readonly blind: (workspaceId: string, reason: string, neededScope: string | undefined) => void;
}

const placeOf = ({ workspaceId, channelId: to, threadTs }: Delivery): Destination => ({
  workspaceId,
  to,
  threadTs,
});

const cardOf = ({ replacesId }: Delivery, { replaces }: Kind) =>
  replaces === 'takes' ? { cardId: replacesId } : {};

/** What was too long in an earlier attempt begins in its short form. */
const firstForm = ({ isShort }: Delivery, { form }: Plan): Form | undefined =>
  form === 'full' && isShort ? 'thread' : form;

const skipped = (reason: string): Outcome => ({ is: 'skipped', reason });
const superseded = skipped('superseded');

/** Undefined if it's still to be posted. */
function outdated({ takenBy, notAfter = Infinity }: Delivery, time: number): Outcome | undefined {
  if (takenBy !== undefined) return superseded;
  return time > notAfter ? skipped('too_late') : undefined;
}

const again = ({ now }: AttemptParts, { attempts }: Delivery, afterMs = backoff(attempts)) =>
  now() + Math.min(afterMs, LONGEST_WAIT_MS);

function isOver({ now }: AttemptParts, { delivery }: Turn, code: string): boolean {
  const time = now();
  return time - failingSince(delivery, time) > longestFailing(code);
}

function bounded(parts: AttemptParts, turn: Turn, outcome: Outcome): Outcome {
  if (outcome.is !== 'later' && outcome.is !== 'held-channel') return outcome;
  const { reason, neededScope, isAsked } = outcome;
  return reason !== undefined && isOver(parts, turn, reason)
    ? { is: 'failed', reason, neededScope, isAsked, outcomeUnknown: outcome.outcomeUnknown }
    : outcome;
}

async function refusedEverywhere(
  { database }: AttemptParts,
  { delivery }: Turn,
  { reason, neededScope }: Refusal,
  isAsked = false,
): Promise<Outcome | undefined> {
  if (todoAbout(reason) === 'hold-workspace') return { is: 'held-workspace', reason, neededScope, isAsked };
  if (kindOf(reason) !== 'not-in-channel') return undefined;
  const to = await channelNow(database, delivery);
  return to === delivery.channelId ? undefined : { is: 'moved', to, isAsked };
}

async function refused(
  parts: AttemptParts,
  turn: Turn,
  result: NotDone,
  isChange: boolean,
): Promise<Outcome> {
  const { reason } = result;
  const everywhere = await refusedEverywhere(parts, turn, result, true);
  if (everywhere !== undefined) return everywhere;
  if (result.outcome === 'later') {
    // Only posts have a pace of the channel's.
    const is = !isChange && todoAbout(reason) === 'hold-channel' ? 'held-channel' : 'later';
    const at = again(parts, turn.delivery, result.afterMs);
    return { is, at, reason, isAsked: true, outcomeUnknown: result.outcomeUnknown };
  }
  const { neededScope } = result;
  const isOfTheApp = kindOf(reason) === 'missing-scope';
  // Nobody is asked to act, so it's tried again until somebody has. Until then a message that's there says what isn't so.
  if (!isLoss(turn.delivery) && (isOfTheApp || (isChange && todoAbout(reason) === 'ask')))
    return { is: 'later', at: again(parts, turn.delivery), reason, neededScope, isAsked: true };
  return { is: 'failed', reason, neededScope, isAsked: true };
}

/** Posts, or changes, if the turn is still ours: where a machine sleeps, the steps before take longer than its lease. */
async function send(
  { database, transport, now }: AttemptParts,
  turn: Turn,
  ...asked: Parameters<Transport['post']>
): Promise<PostOutcome> {
  const isSure = now() < turn.claimedAt + LEASE_MS / 3 || (await renewTurn(database, turn));
  // What comes of a lost turn isn't recorded.
  return isSure ? transport.post(...asked) : { outcome: 'later', reason: 'no_answer' };
}

/** Once in its words alone, where Slack refuses how it's laid out. */
async function sendOrWords(...[parts, turn, place, message, messageId]: Parameters<typeof send>) {
  const result = await send(parts, turn, place, message, messageId);
  return result.outcome === 'never' && todoAbout(result.reason) === 'simpler'
    ? send(parts, turn, place, { ...message, blocks: [], richer: undefined }, messageId)
    : result;
}

async function postNew(parts: AttemptParts, turn: Turn, kind: Kind, plan: Plan): Promise<Outcome> {
  const { delivery, token } = turn;
  let form = firstForm(delivery, plan);
  let place: Destination = { ...placeOf(delivery), ...cardOf(delivery, kind) };
  for (;;) {
    const message = await plan.message(form);
    if ('unwanted' in message) return skipped(message.unwanted);
    const canBeShorter = form === 'full';
    const result = await (canBeShorter ? send : sendOrWords)(parts, turn, place, message, delivery.messageId);
    if (result.outcome === 'posted') {
      const { ts, channelId = delivery.channelId } = result;
      const { threadTs } = place;
      return { is: 'posted', ts, isAsked: true, channelId, form, threadTs, alreadyPosted: false };
    }
    const todo = todoAbout(result.reason);
    if (canBeShorter && todo === 'simpler') {
      form = 'thread';
      // Before the post, so that whoever finds it after a kill knows that something is left out.
      await parts.database.write(
        sql`UPDATE deliveries SET is_short = 1 WHERE id = ${delivery.id} AND claim = ${token}`,
      );
    } else if (todo === 'outside-thread' && place.threadTs !== undefined) {
      // Somebody deleted or locked it; the channel is still the right place.
      place = { ...place, threadTs: undefined };
    } else return refused(parts, turn, result, false);
  }
}

/** What came of an earlier attempt; undefined if it's to be posted. */
async function alreadyPosted(parts: AttemptParts, turn: Turn, plan: Plan): Promise<Outcome | undefined> {
  const { delivery } = turn;
  const { workspaceId, threadTs } = delivery;
  const seen = await parts.transport.find(placeOf(delivery), delivery.messageId, delivery.attemptedAt);
  if ('found' in seen) {
    const [ts] = seen.found;
    const form = firstForm(delivery, plan);
    if (ts !== undefined)
      return { is: 'posted', ts, alreadyPosted: true, channelId: seen.channelId, form, threadTs };
    if (seen.isPartial) parts.blind(workspaceId, 'too_much_said', undefined);
    return undefined;
  }
  const { reason } = seen;
  const everywhere = await refusedEverywhere(parts, turn, seen);
  if (everywhere !== undefined) return everywhere;
  // Not posted again until we know, unless the code that keeps us from it turned out to stay.
  if (seen.outcome === 'later' && (todoAbout(reason) !== 'wait-a-day' || !isOver(parts, turn, reason)))
    return { is: 'later', reason, at: again(parts, delivery, seen.afterMs) };
  // Where the app isn't, it couldn't post either; and if it's back by now, the earlier attempt may be there.
  if (kindOf(reason) === 'not-in-channel') return { is: 'failed', reason };
  parts.blind(workspaceId, reason, seen.neededScope);
  return undefined;
}

/** A message that a delivery changes. */
interface Replaced {
  readonly ts: string;
  readonly channelId: string;
  /** What it's recognized by. */
  readonly messageId: string;
  readonly isShort: boolean;
  readonly cardId: string | undefined;
}

/** Undefined if there is none, or another delivery has it; `again` if Slack can't say yet. */
type Found = Replaced | { readonly again: NotDone } | undefined;

const ReplacedRow = rowOf({
  id: z.string(),
  messageId: z.string(),
  state: z.string(),
  postTs: z.string().optional(),
  postChannelId: z.string().optional(),
  attemptedAt: z.number().optional(),
  isShort: z.number(),
  replacesId: z.string().optional(),
});

const replacedColumns = sql`id, ${messageIdColumn}, state, post_ts, post_channel_id, attempted_at, is_short, replaces_id`;

/** Marks the message as taken, where it's to be. What was never sent isn't sent any more. */
async function take(
  { database, now }: AttemptParts,
  { id, replacesId = '' }: Delivery,
  how: Kind['replaces'],
) {
  if (how === 'redraws')
    return database.read(
      sql`SELECT ${replacedColumns} FROM deliveries WHERE id = ${replacesId}`,
      ReplacedRow,
    );
  const isUnsent = sql`state = 'waiting' AND attempted_at IS NULL`;
  const [written] = await database.write(
    sql`UPDATE deliveries SET taken_by = ${how === 'takes' ? id : null},
        reason = CASE WHEN ${isUnsent} THEN 'superseded' ELSE reason END,
        settled_at = CASE WHEN ${isUnsent} THEN ${now()} ELSE settled_at END,
        state = CASE WHEN ${isUnsent} THEN 'skipped' ELSE state END
      WHERE id = ${replacesId} AND (taken_by IS NULL OR taken_by = ${id})
      RETURNING ${replacedColumns}`,
  );
  return rowsOf(written, ReplacedRow);
}

/** Needs the channel's turn, so that the message isn't posted in the meantime. One whose answer was lost is looked for. */
async function findReplaced(parts: AttemptParts, delivery: Delivery, how: Kind['replaces']): Promise<Found> {
  const { database, transport, now } = parts;
  const { channelId } = delivery;
  const [row] = await take(parts, delivery, how);
  if (row === undefined) return undefined;
  const { id, messageId, state, postTs, postChannelId, attemptedAt = now(), replacesId: cardId } = row;
  // The channel may have a new id since; a person's direct messages have one of their own.
  const there = isPerson(channelId) ? (postChannelId ?? channelId) : channelId;
  const replaced = { channelId: there, messageId, isShort: row.isShort === 1, cardId };
  if (state === 'posted') return postTs === undefined ? undefined : { ...replaced, ts: postTs };
  if (how === 'redraws' || (state !== 'waiting' && state !== 'sending')) return undefined;
  const seen = await transport.find(placeOf(delivery), messageId, attemptedAt);
  if ('outcome' in seen && (seen.outcome === 'later' || isTokenRefused(seen.reason))) return { again: seen };
  const [ts] = 'found' in seen ? seen.found : [];
  const settled =
    ts === undefined
      ? sql`state = 'skipped', reason = 'superseded'`
      : sql`state = 'posted', reason = NULL, post_ts = ${ts}`;
  await database.write(sql`UPDATE deliveries SET ${settled}, settled_at = ${now()} WHERE id = ${id}`);
  return ts === undefined ? undefined : { ...replaced, ts };
}

/** Undefined if the message can no longer be changed. */
async function change(
  parts: AttemptParts,
  turn: Turn,
  kind: Kind,
  replaced: Replaced,
  { form, message: messageIn }: Plan,
): Promise<Outcome | undefined> {
  const { delivery } = turn;
  const message = await messageIn(form);
  if ('unwanted' in message) return skipped(message.unwanted);
  const { channelId: to, ts: replaces, cardId } = replaced;
  const place = { workspaceId: delivery.workspaceId, to, replaces, cardId, ...cardOf(delivery, kind) };
  const messageId = kind.replaces === 'takes' ? delivery.messageId : replaced.messageId;
  const result = await sendOrWords(parts, turn, place, message, messageId);
  if (result.outcome === 'posted') {
    const { threadTs } = delivery;
    const { channelId = delivery.channelId } = result;
    return { is: 'posted', ts: replaces, isAsked: true, channelId, form, threadTs, alreadyPosted: false };
  }
  if (todoAbout(result.reason) === 'anew') return undefined;
  // Changing it twice does no harm, so it's repeated without checking.
  return refused(parts, turn, result, true);
}

/** Undefined if the delivery is to be posted anew. */
async function replace(parts: AttemptParts, turn: Turn, kind: Kind): Promise<Outcome | undefined> {
  const { delivery } = turn;
  const takes = kind.replaces === 'takes';
  const replaced = await findReplaced(parts, delivery, kind.replaces);
  if (replaced === undefined) return takes ? undefined : superseded;
  if ('again' in replaced) {
    const seen = replaced.again;
    const at = again(parts, delivery, seen.afterMs);
    return (await refusedEverywhere(parts, turn, seen)) ?? { is: 'later', reason: seen.reason, at };
  }
  const plan = await kind.render(delivery, replaced);
  if (!('message' in plan)) return unplanned(plan);
  // After a restore from a backup, the same post may be there beside the card.
  const isAgain = takes && delivery.attemptedAt < delivery.acceptedAt;
  const came = isAgain ? await alreadyPosted(parts, turn, plan) : undefined;
  return came ?? (await change(parts, turn, kind, replaced, plan)) ?? (takes ? undefined : superseded);
}

const unplanned = (plan: Unwanted | AskOthers): Outcome =>
  'unwanted' in plan
    ? skipped(plan.unwanted)
    : { is: 'asking', subscriptions: plan.others, reason: plan.reason };

async function deliver(parts: AttemptParts, turn: Turn): Promise<Outcome> {
  const { delivery } = turn;
  const isUnclear = outcomeUnknown(turn);
  if (delivery.deaths >= MOST_DEATHS) return { is: 'failed', reason: 'set_aside' };
  const gone = outdated(delivery, parts.now());
  if (gone !== undefined && !isUnclear) return gone;
  const kind = parts.kinds.get(delivery.kind);
  // Of a newer program, which sends it if it's there in time.
  if (kind === undefined) throw new RenderError('record_unreadable');
  if (delivery.replacesId !== undefined && kind.replaces !== undefined) {
    const replaced = await replace(parts, turn, kind);
    if (replaced !== undefined) return replaced;
  }
  const plan = await kind.render(delivery, undefined);
  if (!('message' in plan)) return unplanned(plan);
  const came = isUnclear ? await alreadyPosted(parts, turn, plan) : undefined;
  return came ?? gone ?? postNew(parts, turn, kind, plan);
}

/** Tries to deliver what has the turn. Never rejects. */
export async function attempt(parts: AttemptParts, turn: Turn): Promise<Outcome> {
  try {
    return bounded(parts, turn, await deliver(parts, turn));
  } catch (error) {
    // Without a reason the database failed, or it's a bug of ours.
    const reason = error instanceof RenderError ? error.reason : undefined;
    return bounded(parts, turn, { is: 'later', at: again(parts, turn.delivery), error, reason });
  }
}
