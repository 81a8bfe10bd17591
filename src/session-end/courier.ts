import type { Cards } from './cards.ts';
import type { Compose } from './compose.ts';
import { detailId, noticeId } from './delivery.ts';
import type { Delivery, Settlement } from './delivery.ts';
import { createLanes } from './lanes.ts';
import type { Attempt } from './lanes.ts';
import type { Outbox } from './outbox.ts';
import type { Post, PostOutcome } from './post.ts';

/** Longer than one attempt can take (a look-up and a post), so that a claim is lost only by a dead process. */
const CLAIM_MS = 30_000;
/** Past this age a summary helps nobody. */
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1_000;
const LONGEST_WAIT_MS = 5 * 60 * 1_000;
/** A card is being posted just now: a session can end within a second. */
const CARD_WAIT_MS = 300;
/** Slack's codes for a message that cannot be changed any more. Source: chat.update, Errors. */
const CARD_GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

/** Told of every attempt's outcome, for log and metrics. */
export type DeliveryReport = (
  outcome: 'posted' | 'later' | 'failed' | 'broken',
  detail: { readonly id: string; readonly reason?: string; readonly error?: unknown },
) => void;

interface CourierParts {
  readonly outbox: Outbox;
  readonly post: Post;
  readonly compose: Compose;
  readonly cards: Pick<Cards, 'take'>;
  readonly report: DeliveryReport;
  readonly now: () => number;
  /** Rest between two posts in one channel; 1 s is Slack's. */
  readonly paceMs?: number;
  /** The first wait after a failure that may pass; it doubles. */
  readonly firstWaitMs?: number;
}

/** Brings summaries from the outbox to their channels: each once, in order, for as long as it takes. */
export interface Courier {
  /** Takes up everything that an earlier process left. */
  start(): Promise<void>;
  /** Stores a delivery durably, then sets out with it. */
  accept(id: string, delivery: Delivery): Promise<'accepted' | 'duplicate'>;
  waiting(): number;
  stop(): Promise<void>;
}

/** `inShort`: what was posted, or is to be, leaves out what then goes into the thread. */
interface Brought {
  readonly result: PostOutcome;
  readonly inShort: boolean;
}

const laneOf = ({ grant, to }: Delivery) => `${grant.workspaceId}:${to}`;

export function createCourier(parts: CourierParts): Courier {
  const { outbox, post, compose, cards, report, now, paceMs = 1_000, firstWaitMs = 1_000 } = parts;
  /** How deliveries ended that the store has not taken down yet: to post them again would double them. */
  const unwritten = new Map<string, Settlement>();

  function again(attempts: number, afterMs?: number): Attempt {
    const backoff = Math.min(LONGEST_WAIT_MS, firstWaitMs * 2 ** attempts);
    return { next: 'again', at: now() + (afterMs ?? backoff), holdLane: afterMs !== undefined };
  }

  async function settle(id: string, settlement: Settlement): Promise<Attempt> {
    unwritten.set(id, settlement);
    await outbox.settle(id, settlement);
    unwritten.delete(id);
    const { outcome, reason } = settlement;
    report(outcome, { id, ...(reason === undefined ? {} : { reason }) });
    return { next: 'done' };
  }

  /** What follows a delivery, as a delivery of its own: accepted before the first is settled, so that none is lost. */
  async function follow(id: string, delivery: Delivery): Promise<void> {
    if ((await outbox.accept(id, delivery)) === 'accepted') lanes.add(laneOf(delivery), id);
  }

  /** Keeps the delivery with its reason, and sends what it said to the agent instead. */
  async function giveUp(id: string, delivery: Delivery, reason: string): Promise<Attempt> {
    const { grant, to, notPosted, isDetail } = delivery;
    if (notPosted === undefined && isDetail === undefined && to !== grant.userId) {
      const { threadTs: _, ...rest } = delivery;
      await follow(noticeId(id), { ...rest, to: grant.userId, acceptedAt: now(), notPosted: { to, reason } });
    }
    return settle(id, { outcome: 'failed', reason, to, settledAt: now() });
  }

  /** The card that this delivery turns into its summary: only a summary in its grant's own channel has one. */
  async function cardOf(id: string, { grant, to, notPosted, isDetail }: Delivery) {
    if (notPosted !== undefined || isDetail !== undefined || to !== grant.channelId) return undefined;
    return cards.take(grant, id);
  }

  async function deliver(id: string, attempts: number): Promise<Attempt> {
    const ended = unwritten.get(id);
    if (ended !== undefined) return settle(id, ended);
    const claim = await outbox.claim(id, CLAIM_MS);
    if (claim.state === 'gone') return { next: 'done' };
    if (claim.state === 'held') return { next: 'again', at: now() + CLAIM_MS / 10, holdLane: false };
    const { delivery } = claim;
    const { to } = delivery;
    const card = await cardOf(id, delivery);
    if (card === 'soon') {
      await outbox.release(id);
      return { next: 'again', at: now() + CARD_WAIT_MS, holdLane: false };
    }
    const { result, inShort } = await bring(id, delivery, card?.ts);
    if (result.outcome === 'posted') {
      const { ts } = result;
      if (card !== undefined && inShort) {
        await follow(detailId(id), { ...delivery, threadTs: card.ts, isDetail: true });
      }
      return settle(id, { outcome: 'posted', to, settledAt: now(), ...(ts === undefined ? {} : { ts }) });
    }
    if (result.outcome === 'never' || now() - delivery.acceptedAt > GIVE_UP_AFTER_MS) {
      return giveUp(id, delivery, result.reason);
    }
    await outbox.release(id);
    report('later', { id, reason: result.reason });
    return again(attempts, result.afterMs);
  }

  /** Into the card where there is one; a card that cannot be changed any more is left, and the summary posted anew. */
  async function bring(id: string, delivery: Delivery, card: string | undefined): Promise<Brought> {
    const { grant, to, threadTs } = delivery;
    const place = { workspaceId: grant.workspaceId, to };
    if (card !== undefined) {
      // A card in a thread has no thread of its own for the rest.
      const inShort = threadTs === undefined;
      const content = await compose(delivery, inShort ? 'card' : 'whole');
      const changed = await post({ ...place, replaces: card }, content, id);
      if (changed.outcome !== 'never' || !CARD_GONE.has(changed.reason)) return { result: changed, inShort };
    }
    const whole = await compose(delivery, 'whole');
    const result = await post({ ...place, ...(threadTs === undefined ? {} : { threadTs }) }, whole, id);
    // Somebody deleted the message that started it: the channel is still the right place.
    const threadIsGone = result.outcome === 'never' && result.reason === 'thread_not_found';
    return { result: threadIsGone ? await post(place, whole, id) : result, inShort: false };
  }

  const lanes = createLanes({
    paceMs,
    now,
    async attempt(id, attempts) {
      try {
        return await deliver(id, attempts);
      } catch (error) {
        // The store, or a record in it: the delivery stays where it is and is tried again.
        report('broken', { id, error });
        return again(attempts);
      }
    },
  });

  return {
    async start() {
      const left: { id: string; lane: string; acceptedAt: number }[] = [];
      for await (const { id, ...entry } of outbox.waiting()) {
        if ('error' in entry) report('broken', { id, error: entry.error });
        else left.push({ id, lane: laneOf(entry.delivery), acceptedAt: entry.delivery.acceptedAt });
      }
      for (const { id, lane } of left.toSorted((a, b) => a.acceptedAt - b.acceptedAt)) lanes.add(lane, id);
    },
    async accept(id, delivery) {
      const accepted = await outbox.accept(id, delivery);
      if (accepted === 'accepted') lanes.add(laneOf(delivery), id);
      return accepted;
    },
    waiting: () => lanes.size(),
    stop: () => lanes.stop(),
  };
}
