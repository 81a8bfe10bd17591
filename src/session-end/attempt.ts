import type { Bring, Brought } from './bring.ts';
import type { Cards } from './cards.ts';
import { detailId, workspaceOf } from './delivery.ts';
import type { Deliverable, Delivery } from './delivery.ts';
import type { Doubles } from './doubles.ts';
import type { Endings, Tried } from './endings.ts';
import type { Holds } from './holds.ts';
import type { Attempt, Try } from './lanes.ts';
import type { Outbox } from './outbox.ts';
import { DatabaseError } from '../database/errors.ts';
import { troubleKind } from './trouble.ts';

/** Three times as long as a post can take; made to last anew before each. A dead process loses it. */
export const CLAIM_MS = 30_000;
/** What was tried in vain for so long is given up. */
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1_000;
const LONGEST_WAIT_MS = 5 * 60 * 1_000;
/** A card is being posted just now: a session can end within a second. */
const CARD_WAIT_MS = 300;

/**
 * Whether a delivery is still wanted; asked before each post. `skip` is a word of ours, and `soon` where another delivery
 * decides, which is on its way.
 */
export type Gate = (delivery: Deliverable) => Promise<'go' | 'soon' | { readonly skip: string }>;

interface AttemptParts {
  readonly outbox: Outbox;
  readonly bring: Bring;
  readonly cards: Pick<Cards, 'take'>;
  readonly gate: Gate;
  readonly endings: Endings;
  readonly holds: Holds;
  readonly doubles: Pick<Doubles, 'suspect'>;
  /** Accepts a delivery that follows another, and sets out with it. */
  readonly follow: (id: string, delivery: Deliverable) => Promise<unknown>;
  readonly now: () => number;
  /** The first wait after a failure that may pass; it doubles. */
  readonly firstWaitMs: number;
}

/** The card that a delivery turns into its summary: only a summary in its grant's own channel has one. */
function mayHaveCard(delivery: Deliverable): delivery is Delivery {
  if ('digest' in delivery) return false;
  const { grant, to, notPosted, isDetail, subscription } = delivery;
  const isExtra = notPosted !== undefined || isDetail !== undefined || subscription !== undefined;
  return !isExtra && to === grant.channelId;
}

/** The message whose thread gets what was left out; undefined where nothing was, or that is not wanted. */
function rootOfDetail({ subscription, isDetail }: Delivery, brought: Brought): string | undefined {
  const { result, inShort, threadTs } = brought;
  if (result.outcome !== 'posted' || isDetail !== undefined) return undefined;
  return subscription?.form === 'thread' ? result.ts : inShort ? threadTs : undefined;
}

/** A delivery that is to be posted now, and the card that it becomes, by `ts`. */
interface Ready {
  readonly tried: Tried;
  readonly card: string | undefined;
}

const done: Attempt = { next: 'done' };

/** Attempts to bring a delivery to its channel. Each rejects where the store fails, or a record in it. */
export function createAttempts(parts: AttemptParts) {
  const { outbox, bring, cards, gate, endings, holds, doubles, follow, now, firstWaitMs } = parts;
  const backoff = (attempts: number) => Math.min(LONGEST_WAIT_MS, firstWaitMs * 2 ** attempts);

  /** What else there is to do where it is posted; before it is settled, so that a kill loses nothing of it. */
  async function complete({ id, delivery, begunAt }: Tried, brought: Brought): Promise<void> {
    const root = 'digest' in delivery ? undefined : rootOfDetail(delivery, brought);
    if (!('digest' in delivery) && root !== undefined)
      await follow(detailId(id), { ...delivery, threadTs: root, isDetail: true });
    if (begunAt === undefined || brought.wasLookedFor === undefined) return;
    const inThread = 'digest' in delivery ? undefined : delivery.threadTs;
    const where = { workspaceId: workspaceOf(delivery), to: delivery.to, begunAt };
    await doubles.suspect(id, inThread === undefined ? where : { ...where, threadTs: inThread });
  }

  async function finish(tried: Tried, brought: Brought, attempts: number): Promise<Attempt> {
    const { delivery } = tried;
    const workspaceId = workspaceOf(delivery);
    const { result } = brought;
    if (result.outcome === 'posted') {
      holds.lift(workspaceId);
      await complete(tried, brought);
      await endings.posted(tried, result.ts, brought.wasThere);
      return { next: 'done', sentAt: brought.sentAt };
    }
    if (troubleKind(result.reason) === 'refused-token') {
      const at = holds.hold(workspaceId);
      await endings.putOff(tried, result, at);
      // Not the lane: an admin's Retry goes at once.
      return { next: 'again', at, holdLane: false, keepsTurn: true };
    }
    if (result.outcome === 'never') {
      holds.lift(workspaceId);
      await endings.givenUp(tried, result);
      return done;
    }
    const { afterMs, unclear } = result;
    // What Slack says of reading a channel's history says nothing of posting there.
    const holdLane = afterMs !== undefined && unclear === undefined;
    const at = now() + (afterMs ?? backoff(attempts));
    return putOff(tried, result, { at, holdLane, sentAt: brought.sentAt });
  }

  /** What may pass by itself is tried again, but not for good. */
  async function putOff(
    tried: Tried,
    refused: Parameters<Endings['putOff']>[1],
    again: { readonly at: number; readonly holdLane: boolean; readonly sentAt?: number | undefined },
  ): Promise<Attempt> {
    if ((await endings.failingFor(tried)) > GIVE_UP_AFTER_MS) {
      await endings.givenUp(tried, refused);
      return done;
    }
    await endings.putOff(tried, refused, again.at);
    return { next: 'again', ...again };
  }

  /** Asks whether it is wanted. Nobody could say: that is a trouble as every other, and in the ledger. */
  async function ask({ delivery }: Tried, letGo: () => Promise<void>) {
    try {
      return await gate(delivery);
    } catch (error) {
      if (!(error instanceof DatabaseError)) return { unknown: error };
      await letGo();
      throw error;
    }
  }

  /** What there is to do before Slack is asked. @returns what to post, or what came of the attempt without a post */
  async function prepare(tried: Tried, attempts: number): Promise<Ready | Attempt> {
    const { id, delivery, begunAt } = tried;
    const letGo = () => outbox.release(id, begunAt !== undefined);
    const wanted = await ask(tried, letGo);
    if (typeof wanted === 'object' && 'unknown' in wanted) {
      const refused = { reason: 'filter_unknown', error: wanted.unknown };
      return putOff(tried, refused, { at: now() + backoff(attempts), holdLane: false });
    }
    if (wanted === 'soon') {
      await letGo();
      return { next: 'again', at: now() + backoff(attempts), holdLane: false };
    }
    if (wanted !== 'go') {
      await endings.skipped(tried, wanted.skip);
      return done;
    }
    const card = mayHaveCard(delivery) ? await cards.take(delivery.grant, id) : undefined;
    if (card === 'soon') {
      await letGo();
      return { next: 'again', at: now() + CARD_WAIT_MS, holdLane: false, keepsTurn: true };
    }
    return { tried, card: card?.ts };
  }

  async function withClaim(id: string, { workspaceId, to, since, attempts }: Try): Promise<Ready | Attempt> {
    const claim = await outbox.claim(id, CLAIM_MS);
    if (claim.state === 'gone') return done;
    if (claim.state === 'held')
      return { next: 'again', at: now() + CLAIM_MS / 10, holdLane: false, keepsTurn: true };
    if (claim.state === 'unreadable') {
      const nextAt = now() + LONGEST_WAIT_MS;
      await endings.unreadable(id, { workspaceId, to, since, nextAt, error: claim.error });
      return { next: 'again', at: nextAt, holdLane: false };
    }
    return prepare({ id, delivery: claim.delivery, begunAt: claim.begunAt }, attempts);
  }

  return {
    async attempt(id: string, given: Try): Promise<Attempt> {
      const { attempts, workspaceId } = given;
      if (await endings.catchUp(id)) return done;
      const heldUntil = holds.ask(workspaceId);
      if (heldUntil !== undefined) return { next: 'again', at: heldUntil, holdLane: false, keepsTurn: true };
      const ready = await withClaim(id, given);
      if ('next' in ready) {
        holds.pass(workspaceId);
        return ready;
      }
      const { tried, card } = ready;
      return finish(tried, await bring(id, tried.delivery, { card, begunAt: tried.begunAt }), attempts);
    },
    /** When to try again after a failure of our own. */
    again: (attempts: number): Attempt => ({
      next: 'again',
      at: now() + backoff(attempts),
      holdLane: false,
    }),
  };
}
