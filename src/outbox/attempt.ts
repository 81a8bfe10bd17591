import { z } from 'zod';
import { rowOf, rowsOf, sql } from '../database/database.ts';
import { kindOf, todoAbout } from '../messages/slack-codes.ts';
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
import { RenderError, messageIdColumn, type Delivery, type Kind, type Plan, isLoss } from './delivery.ts';
import { failingSince, outcomeUnknown, type Delivering, type Outcome } from './outcome.ts';
import { FAILED_KEPT_MS } from './overview.ts';
import type { Destination, NotDone, PostOutcome, Refusal, Transport } from './transport.ts';

/** What was under way this often when the process ended isn't sent again: it may be what ends it. Retry looks for it first. */
export const MOST_DEATHS = 6;

/** How long what fails with a code is tried again. */
function longestFailing(code: string): number {
  const todo = todoAbout(code);
  if (todo === 'wait-a-day') return 24 * 60 * 60_000;
  return todo === 'ask' ? FAILED_KEPT_MS : LONGEST_FAILING_MS;
}

export interface AttemptParts extends Delivering {
  /** Called when the app isn't allowed to check whether a post arrived, so it may arrive twice. */
  readonly blind: (workspaceId: string, reason: string, neededScope: string | undefined) => void;
}

/** What a step comes to; after `anew` it's still to be posted. */
type Step = Outcome | { readonly is: 'anew' };
const ANEW = { is: 'anew' } as const;

const placeOf = ({ workspaceId, channelId: to, threadTs }: Delivery) => ({ workspaceId, to, threadTs });

const cardOf = ({ replacesId }: Delivery, { replaces }: Kind) =>
  replaces === 'takes' ? { cardId: replacesId } : {};

const skipped = (reason: string): Outcome => ({ is: 'skipped', reason });
const superseded = skipped('superseded');

function whyUnwanted({ takenBy, notAfter = Infinity }: Delivery, time: number): Outcome | undefined {
  if (takenBy !== undefined) return superseded;
  return time > notAfter ? skipped('too_late') : undefined;
}

const again = ({ now }: AttemptParts, { attempts }: Delivery, afterMs = backoff(attempts)) =>
  now() + Math.min(afterMs, LONGEST_WAIT_MS);

function failsTooLong({ now }: AttemptParts, { delivery }: Turn, code: string): boolean {
  const time = now();
  return time - failingSince(delivery, time) > longestFailing(code);
}

/** What has failed for too long is given up. */
function bounded(parts: AttemptParts, turn: Turn, outcome: Outcome): Outcome {
  if (outcome.is !== 'later' && outcome.is !== 'held-channel') return outcome;
  const { reason, neededScope, isAsked } = outcome;
  return reason !== undefined && failsTooLong(parts, turn, reason)
    ? { is: 'failed', reason, neededScope, isAsked, outcomeUnknown: outcome.outcomeUnknown }
    : outcome;
}

/** What the channel's old id refuses goes to its new one: what is under way isn't moved with what waits. */
async function followed({ database }: AttemptParts, { delivery }: Turn, outcome: Outcome): Promise<Outcome> {
  if (outcome.is !== 'failed' && outcome.is !== 'later') return outcome;
  const { reason = '', isAsked } = outcome;
  if (kindOf(reason) !== 'not-in-channel') return outcome;
  const to = await channelNow(database, delivery);
  return to === delivery.channelId ? outcome : { is: 'moved', to, isAsked };
}

const holdsWorkspace = ({ reason }: Refusal) => todoAbout(reason) === 'hold-workspace';
const heldWorkspace = ({ reason, neededScope }: Refusal, isAsked = false) =>
  ({ is: 'held-workspace', reason, neededScope, isAsked }) as const;

function refused(parts: AttemptParts, { delivery }: Turn, result: NotDone, isChange: boolean): Outcome {
  const { reason, neededScope } = result;
  if (holdsWorkspace(result)) return heldWorkspace(result, true);
  if (result.outcome === 'later') {
    // Only posts have a pace of the channel's.
    const is = !isChange && todoAbout(reason) === 'hold-channel' ? 'held-channel' : 'later';
    const at = again(parts, delivery, result.afterMs);
    return { is, at, reason, isAsked: true, outcomeUnknown: result.outcomeUnknown };
  }
  const isOfTheApp = kindOf(reason) === 'missing-scope';
  // Nobody is asked to act, so it's tried again until somebody has. Until then a message that's there says what isn't so.
  if (!isLoss(delivery) && (isOfTheApp || (isChange && todoAbout(reason) === 'ask')))
    return { is: 'later', at: again(parts, delivery), reason, neededScope, isAsked: true };
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

/** Once in its words alone, where Slack refuses how it's laid out, or calls it too long. */
async function sendOrWords(...[parts, turn, place, message, messageId]: Parameters<typeof send>) {
  const result = await send(parts, turn, place, message, messageId);
  return result.outcome === 'never' && todoAbout(result.reason) === 'simpler'
    ? send(parts, turn, place, { ...message, blocks: [], richer: undefined }, messageId)
    : result;
}

async function postNew(parts: AttemptParts, turn: Turn, kind: Kind, plan: Plan): Promise<Outcome> {
  const { delivery } = turn;
  const message = await plan.message();
  if ('unwanted' in message) return skipped(message.unwanted);
  let place: Destination = { ...placeOf(delivery), ...cardOf(delivery, kind) };
  const post = () => sendOrWords(parts, turn, place, message, delivery.messageId);
  let result = await post();
  if (result.outcome !== 'posted' && todoAbout(result.reason) === 'outside-thread' && place.threadTs) {
    // Somebody deleted or locked it; the channel is still the right place.
    place = { ...place, threadTs: undefined };
    result = await post();
  }
  if (result.outcome !== 'posted') return refused(parts, turn, result, false);
  const { ts, channelId = delivery.channelId } = result;
  const { threadTs } = place;
  return { is: 'posted', ts, isAsked: true, channelId, form: plan.form, threadTs, alreadyPosted: false };
}

/** Looks for what an earlier attempt posted. */
async function lookFor(parts: AttemptParts, turn: Turn, { form }: Plan): Promise<Step> {
  const { delivery } = turn;
  const { workspaceId, threadTs } = delivery;
  const seen = await parts.transport.find(placeOf(delivery), delivery.messageId, delivery.attemptedAt);
  if ('found' in seen) {
    const [ts] = seen.found;
    if (ts !== undefined)
      return { is: 'posted', ts, alreadyPosted: true, channelId: seen.channelId, form, threadTs };
    if (seen.isPartial) parts.blind(workspaceId, 'too_much_said', undefined);
    return ANEW;
  }
  const { reason } = seen;
  if (holdsWorkspace(seen)) return heldWorkspace(seen);
  // Not posted again until we know, unless the code that keeps us from it turned out to stay.
  if (seen.outcome === 'later' && (todoAbout(reason) !== 'wait-a-day' || !failsTooLong(parts, turn, reason)))
    return { is: 'later', reason, at: again(parts, delivery, seen.afterMs) };
  // Where the app isn't, it couldn't post either; and if it's back by now, the earlier attempt may be there.
  if (kindOf(reason) === 'not-in-channel') return { is: 'failed', reason };
  parts.blind(workspaceId, reason, seen.neededScope);
  return ANEW;
}

/** A message that a delivery changes. */
interface Replaced {
  readonly is: 'there';
  readonly ts: string;
  readonly channelId: string;
  /** What it's recognized by. */
  readonly messageId: string;
  readonly isShort: boolean;
  readonly cardId: string | undefined;
}

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

/** The row of the message that's replaced. What `takes` it marks it as taken, and what was never sent isn't sent any more. */
async function readReplaced(
  { database, now }: AttemptParts,
  { id, replacesId = '' }: Delivery,
  { replaces }: Kind,
) {
  if (replaces === 'redraws')
    return database.read(
      sql`SELECT ${replacedColumns} FROM deliveries WHERE id = ${replacesId}`,
      ReplacedRow,
    );
  const isUnsent = sql`state = 'waiting' AND attempted_at IS NULL`;
  const [written] = await database.write(
    sql`UPDATE deliveries SET taken_by = ${replaces === 'takes' ? id : null},
        reason = CASE WHEN ${isUnsent} THEN 'superseded' ELSE reason END,
        settled_at = CASE WHEN ${isUnsent} THEN ${now()} ELSE settled_at END,
        state = CASE WHEN ${isUnsent} THEN 'skipped' ELSE state END
      WHERE id = ${replacesId} AND (taken_by IS NULL OR taken_by = ${id})
      RETURNING ${replacedColumns}`,
  );
  return rowsOf(written, ReplacedRow);
}

/**
 * Needs the channel's turn, so that the message isn't posted in the meantime. One whose answer was lost is looked for. `anew` if
 * there is none, or another delivery has it.
 */
async function findReplaced(parts: AttemptParts, delivery: Delivery, kind: Kind): Promise<Replaced | Step> {
  const { database, transport, now } = parts;
  const { channelId } = delivery;
  const [row] = await readReplaced(parts, delivery, kind);
  if (row === undefined) return ANEW;
  const { id, messageId, state, postTs, postChannelId, attemptedAt = now(), replacesId: cardId } = row;
  // The channel may have a new id since; a person's direct messages have one of their own.
  const there = isPerson(channelId) ? (postChannelId ?? channelId) : channelId;
  const replaced = { is: 'there', channelId: there, messageId, isShort: row.isShort === 1, cardId } as const;
  if (state === 'posted') return postTs === undefined ? ANEW : { ...replaced, ts: postTs };
  if (kind.replaces === 'redraws' || (state !== 'waiting' && state !== 'sending')) return ANEW;
  const seen = await transport.find(placeOf(delivery), messageId, attemptedAt);
  if ('outcome' in seen && holdsWorkspace(seen)) return heldWorkspace(seen);
  if ('outcome' in seen && seen.outcome === 'later')
    return { is: 'later', reason: seen.reason, at: again(parts, delivery, seen.afterMs) };
  const [ts] = 'found' in seen ? seen.found : [];
  const settled =
    ts === undefined
      ? sql`state = 'skipped', reason = 'superseded'`
      : sql`state = 'posted', reason = NULL, post_ts = ${ts}`;
  await database.write(sql`UPDATE deliveries SET ${settled}, settled_at = ${now()} WHERE id = ${id}`);
  return ts === undefined ? ANEW : { ...replaced, ts };
}

async function replace(parts: AttemptParts, turn: Turn, kind: Kind): Promise<Step> {
  const { delivery } = turn;
  const replaced = await findReplaced(parts, delivery, kind);
  if (replaced.is !== 'there') return replaced;
  const plan = await kind.render(delivery, replaced);
  if ('unwanted' in plan) return skipped(plan.unwanted);
  // After a restore from a backup, the same post may be there beside the card.
  const isAgain = kind.replaces === 'takes' && delivery.attemptedAt < delivery.acceptedAt;
  const came = isAgain ? await lookFor(parts, turn, plan) : ANEW;
  if (came.is !== 'anew') return came;
  const message = await plan.message();
  if ('unwanted' in message) return skipped(message.unwanted);
  const { workspaceId, threadTs } = delivery;
  const { channelId: to, ts, cardId } = replaced;
  const place = { workspaceId, to, replaces: ts, cardId, ...cardOf(delivery, kind) };
  const messageId = kind.replaces === 'takes' ? delivery.messageId : replaced.messageId;
  const result = await sendOrWords(parts, turn, place, message, messageId);
  if (result.outcome === 'posted') {
    const { channelId = delivery.channelId } = result;
    return { is: 'posted', ts, isAsked: true, channelId, form: plan.form, threadTs, alreadyPosted: false };
  }
  if (todoAbout(result.reason) === 'anew') return ANEW;
  // Changing it twice does no harm, so it's repeated without checking.
  return refused(parts, turn, result, true);
}

async function deliver(parts: AttemptParts, turn: Turn): Promise<Outcome> {
  const { delivery } = turn;
  const isUnclear = outcomeUnknown(turn);
  if (delivery.deaths >= MOST_DEATHS) return { is: 'failed', reason: 'set_aside' };
  const unwanted = whyUnwanted(delivery, parts.now());
  if (unwanted !== undefined && !isUnclear) return unwanted;
  const kind = parts.kinds.get(delivery.kind);
  // Of a newer program, which sends it if it's there in time.
  if (kind === undefined) throw new RenderError('record_unreadable');
  if (delivery.replacesId !== undefined && kind.replaces !== undefined) {
    const replaced = await replace(parts, turn, kind);
    if (replaced.is !== 'anew') return replaced;
    if (kind.replaces !== 'takes') return superseded;
  }
  const plan = await kind.render(delivery, undefined);
  if ('unwanted' in plan) return skipped(plan.unwanted);
  const came = isUnclear ? await lookFor(parts, turn, plan) : ANEW;
  if (came.is !== 'anew') return came;
  return unwanted ?? postNew(parts, turn, kind, plan);
}

/** Tries to deliver what has the turn. Never rejects. */
export async function attempt(parts: AttemptParts, turn: Turn): Promise<Outcome> {
  try {
    return bounded(parts, turn, await followed(parts, turn, await deliver(parts, turn)));
  } catch (error) {
    // Without a reason the database failed, or it's a bug of ours.
    const reason = error instanceof RenderError ? error.reason : undefined;
    return bounded(parts, turn, { is: 'later', at: again(parts, turn.delivery), error, reason });
  }
}
