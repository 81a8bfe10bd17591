import type { NowCalled } from '../grants/moved-channels.ts';
import { CLAIM_MS, createAttempts } from './attempt.ts';
import type { Gate } from './attempt.ts';
import { createBring } from './bring.ts';
import type { Cards } from './cards.ts';
import type { Compose } from './compose.ts';
import { workspaceIn, workspaceOf } from './delivery.ts';
import type { Deliverable } from './delivery.ts';
import type { Doubles } from './doubles.ts';
import { createEndings } from './endings.ts';
import type { DeliveryReport, Tell } from './endings.ts';
import { createHolds } from './holds.ts';
import { createLanes } from './lanes.ts';
import type { LaneName } from './lane.ts';
import type { Oldest } from './lanes.ts';
import { createFollowingBring } from './following.ts';
import type { LedgerRecords } from './ledger-records.ts';
import type { Outbox } from './outbox.ts';
import type { FindPosts, Post } from './post.ts';
import type { Store } from '../storage/store.ts';

interface CourierParts {
  readonly outbox: Outbox;
  readonly records: LedgerRecords;
  /** Which deliveries were posted in short. */
  readonly shortened: Pick<Store, 'get' | 'set'>;
  readonly post: Post;
  readonly find: FindPosts;
  readonly doubles: Pick<Doubles, 'suspect'>;
  readonly compose: Compose;
  readonly cards: Pick<Cards, 'take'>;
  /** Every delivery is wanted where not given. */
  readonly gate?: Gate;
  readonly tell?: Tell;
  /** Channels keep their ids where not given. */
  readonly nowCalled?: NowCalled;
  readonly report: DeliveryReport;
  /** Told where the app may not look whether a post arrived: it then may come twice. */
  readonly blind: (reason: string, neededScope: string | undefined) => void;
  readonly now: () => number;
  /** Rest between two posts in one channel, milliseconds; Slack's of a second where not given. */
  readonly paceMs?: number;
  /** The first wait after a failure that may pass; it doubles. */
  readonly firstWaitMs?: number;
}

/** Slack takes one a second; a little more, since a post that travels faster than the one before would come too soon. */
const PACE_MS = 1_020;
/** What is on disk and in no lane, for whatever reason, is found this often. */
const LOOK_AGAIN_MS = 10 * 60 * 1_000;

/** Brings summaries from the outbox to their channels: each once, in order, for as long as it takes. */
export interface Courier {
  /** Takes up everything that an earlier process left, and from then on what is found to wait. */
  start(): Promise<void>;
  /** Stores a delivery durably, then sets out with it. */
  accept(id: string, delivery: Deliverable): Promise<'accepted' | 'duplicate'>;
  /** Sets out at once with what waits, however long it was to wait. */
  hurry(id: string, delivery: Deliverable): void;
  /** Whether it is being tried just now, or what came of that is not on disk yet. */
  isUnderWay(id: string): boolean;
  /** How many wait: all, or those of a workspace. */
  waiting(workspaceId?: string): number;
  /** The one that waits longest: of all, or of a workspace. */
  oldest(workspaceId?: string): Oldest | undefined;
  stop(): Promise<void>;
}

const laneOf = (delivery: Deliverable) => ({ workspaceId: workspaceOf(delivery), to: delivery.to });
const waitsSince = ({ acceptedAt, retriedAt }: Deliverable) => retriedAt ?? acceptedAt;

export function createCourier(parts: CourierParts): Courier {
  const { outbox, records, report, now, paceMs = PACE_MS, firstWaitMs = 1_000 } = parts;
  const { gate = async () => 'go', tell = async () => undefined } = parts;
  const { nowCalled = async (_workspaceId, channelId) => channelId } = parts;

  /** Whatever waits and is in no lane: what an earlier process left, what another accepted, what a failure cut off. */
  async function takeUp(): Promise<void> {
    const left: { id: string; lane: LaneName; since: number }[] = [];
    for await (const entry of outbox.waiting((id) => lanes.has(id))) {
      const { id } = entry;
      // Where it goes nobody knows: it is in a lane all the same, so that it is counted and shown.
      if ('error' in entry) left.push({ id, lane: { workspaceId: workspaceIn(id), to: '' }, since: now() });
      else left.push({ id, lane: laneOf(entry.delivery), since: waitsSince(entry.delivery) });
    }
    for (const { id, lane, since } of left.toSorted((a, b) => a.since - b.since)) lanes.add(lane, id, since);
  }

  let timer: NodeJS.Timeout | undefined;
  let lookingAgain: Promise<void> | undefined;
  let stopped = false;
  function lookAgain(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      lookingAgain = takeUp()
        .catch((error: unknown) => report('broken', { id: 'all that wait', error }))
        .finally(lookAgain);
    }, LOOK_AGAIN_MS);
  }

  async function accept(id: string, delivery: Deliverable): Promise<'accepted' | 'duplicate'> {
    const accepted = await outbox.accept(id, delivery);
    if (accepted === 'accepted') lanes.add(laneOf(delivery), id, waitsSince(delivery));
    return accepted;
  }

  /** What goes before a post may take longer than a claim lasts. Rejects where another process has taken it meanwhile. */
  const post: Post = async (to, message, id) => {
    await outbox.renew(id, CLAIM_MS);
    return parts.post(to, message, id);
  };

  const holds = createHolds(now);
  const endings = createEndings({ outbox, records, tell, report, follow: accept, now });
  const bring = createFollowingBring(createBring({ ...parts, post }), nowCalled);
  const attempts = createAttempts({
    outbox,
    bring,
    cards: parts.cards,
    gate,
    endings,
    holds,
    doubles: parts.doubles,
    follow: accept,
    now,
    firstWaitMs,
  });
  const lanes = createLanes({
    paceMs,
    now,
    async attempt(id, given) {
      try {
        return await attempts.attempt(id, given);
      } catch (error) {
        // The store, or a record in it: the delivery stays where it is and is tried again.
        report('broken', { id, error });
        return attempts.again(given.attempts);
      }
    },
  });

  return {
    async start() {
      await takeUp();
      lookAgain();
    },
    accept,
    hurry(id, delivery) {
      holds.lift(workspaceOf(delivery));
      lanes.hurry(laneOf(delivery), id, waitsSince(delivery));
    },
    isUnderWay: (id) => lanes.isUnderWay(id) || endings.isUnwritten(id),
    waiting: (workspaceId) => lanes.size(workspaceId),
    oldest: (workspaceId) => lanes.oldest(workspaceId),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await lookingAgain;
      await lanes.stop();
    },
  };
}
