import type { Visitor } from '../cobrowse/schemas.ts';
import type { Message } from '../views/message.ts';
import { summary, undeliveredSummary } from '../views/summary.ts';
import { visitorName } from '../views/visitor-pieces.ts';
import { noticeId } from './delivery.ts';
import type { Delivery, Settlement } from './delivery.ts';
import { createLanes } from './lanes.ts';
import type { Attempt } from './lanes.ts';
import type { Outbox } from './outbox.ts';
import type { Post } from './post.ts';
import type { StopRecords } from './stops.ts';

/** Longer than one attempt can take (a look-up and a post), so that a claim is lost only by a dead process. */
const CLAIM_MS = 30_000;
/** Past this age a summary helps nobody. */
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60 * 1_000;
const LONGEST_WAIT_MS = 5 * 60 * 1_000;

/** Told of every attempt's outcome, for log and metrics. */
export type DeliveryReport = (
  outcome: 'posted' | 'later' | 'failed' | 'broken',
  detail: { readonly id: string; readonly reason?: string; readonly error?: unknown },
) => void;

interface CourierParts {
  readonly outbox: Outbox;
  readonly post: Post;
  /** The visitor, for its name; undefined where it cannot be looked up. Never rejects. */
  readonly visitor: (visitorId: string) => Promise<Visitor | undefined>;
  readonly stops: StopRecords;
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

const laneOf = ({ grant, to }: Delivery) => `${grant.workspaceId}:${to}`;

export function createCourier(parts: CourierParts): Courier {
  const { outbox, post, visitor, stops, report, now, paceMs = 1_000, firstWaitMs = 1_000 } = parts;
  /** How deliveries ended that the store has not taken down yet: to post them again would double them. */
  const unwritten = new Map<string, Settlement>();

  async function compose({ grant, session, notPosted }: Delivery): Promise<Message> {
    const { workspaceId, visitorId, userId } = grant;
    const [known, stoppedBy] = await Promise.all([
      visitor(visitorId),
      stops.stoppedBy(workspaceId, visitorId, session),
    ]);
    const name = known === undefined ? visitorId : visitorName(known);
    const content = { session, visitor: name, watchedBy: userId, stoppedBy };
    return notPosted === undefined
      ? summary(content)
      : undeliveredSummary(content, notPosted.to, notPosted.reason);
  }

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

  /** Keeps the delivery with its reason, and sends what it said to the agent instead, as a delivery of its own. */
  async function giveUp(id: string, delivery: Delivery, reason: string): Promise<Attempt> {
    const { grant, to, notPosted } = delivery;
    if (notPosted === undefined && to !== grant.userId) {
      const { threadTs: _, ...rest } = delivery;
      const notice: Delivery = { ...rest, to: grant.userId, acceptedAt: now(), notPosted: { to, reason } };
      if ((await outbox.accept(noticeId(id), notice)) === 'accepted') lanes.add(laneOf(notice), noticeId(id));
    }
    return settle(id, { outcome: 'failed', reason, to, settledAt: now() });
  }

  async function deliver(id: string, attempts: number): Promise<Attempt> {
    const ended = unwritten.get(id);
    if (ended !== undefined) return settle(id, ended);
    const claim = await outbox.claim(id, CLAIM_MS);
    if (claim.state === 'gone') return { next: 'done' };
    if (claim.state === 'held') return { next: 'again', at: now() + CLAIM_MS / 10, holdLane: false };
    const { delivery } = claim;
    const { grant, to, threadTs } = delivery;
    const destination = {
      workspaceId: grant.workspaceId,
      to,
      ...(threadTs === undefined ? {} : { threadTs }),
    };
    const result = await post(destination, await compose(delivery), id);
    if (result.outcome === 'posted') {
      const { ts } = result;
      return settle(id, { outcome: 'posted', to, settledAt: now(), ...(ts === undefined ? {} : { ts }) });
    }
    if (result.outcome === 'never') return giveUp(id, delivery, result.reason);
    if (now() - delivery.acceptedAt > GIVE_UP_AFTER_MS) return giveUp(id, delivery, result.reason);
    await outbox.release(id);
    report('later', { id, reason: result.reason });
    return again(attempts, result.afterMs);
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
