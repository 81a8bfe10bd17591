import type { Session } from '../cobrowse/schemas.ts';
import type { MayAct } from '../grants/acts.ts';
import { isDirect } from '../grants/subscription.ts';
import type { Subscription } from '../grants/subscription.ts';
import type { Gate } from '../session-end/attempt.ts';
import { deliveryId, subscribedId, workspaceOf } from '../session-end/delivery.ts';
import type { Delivery, DigestDelivery } from '../session-end/delivery.ts';
import type { Tell } from '../session-end/endings.ts';
import type { SubscriptionRepository } from '../subscriptions/repository.ts';
import type { Matching } from '../subscriptions/matching.ts';
import type { Pauses } from '../subscriptions/pauses.ts';
import type { SessionFacts } from '../subscriptions/session-facts.ts';

/** An older digest is news to nobody. */
const LATEST_DIGEST_MS = 24 * 60 * 60 * 1_000;

interface SubscriptionDeliveriesParts {
  readonly repository: SubscriptionRepository;
  readonly facts: SessionFacts;
  readonly matching: Matching;
  readonly pauses: Pauses;
  /** Asked before each post into direct messages. */
  readonly mayAct: MayAct;
  /** The id a channel has now. */
  readonly nowCalled: (workspaceId: string, channelId: string) => Promise<string>;
  readonly now: () => number;
}

/** Where subscriptions hang on the courier. */
export interface SubscriptionDeliveries {
  /** Keeps what digests count of a session. */
  readonly count: (delivery: Delivery) => Promise<void>;
  /** What goes to subscriptions beside a summary: deliveries of their own, by id. */
  readonly copiesOf: (id: string, delivery: Delivery) => Promise<readonly (readonly [string, Delivery])[]>;
  readonly gate: Gate;
  readonly tell: Tell;
}

/** The length of a session in seconds, where it can be known. */
function secondsOf({
  length_seconds: seconds,
  started_at: start,
  ended_at: end,
}: Session): number | undefined {
  const between = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1_000;
  return seconds ?? (Number.isNaN(between) ? undefined : between);
}

function endedAt({ session, acceptedAt }: Delivery): number {
  const ended = Date.parse(session.ended_at ?? '');
  return Number.isNaN(ended) ? acceptedAt : ended;
}

export function joinSubscriptionDeliveries(parts: SubscriptionDeliveriesParts): SubscriptionDeliveries {
  const { repository, facts, matching, pauses, mayAct, nowCalled, now } = parts;

  /**
   * In a channel, whoever is in it reads; in direct messages nobody does but who set it up, and their right may have
   * ended. A member whom no rule names may not watch, but finds customers all the same, and so goes on reading: but for
   * digests, which are usage.
   */
  async function mayBeRead(subscription: Subscription): Promise<boolean> {
    const { workspaceId, channelId, setUpBy, schedule } = subscription;
    if (!isDirect(channelId)) return true;
    const isDigest = schedule !== undefined;
    const verdict = await mayAct(isDigest ? 'usage' : 'watch', { workspaceId, userId: setUpBy });
    return verdict.allowed || (!isDigest && verdict.why === 'not-named');
  }

  /** One that an admin sends once more is wanted, however old. */
  function isDigestWanted({ digest, retriedAt }: DigestDelivery): Awaited<ReturnType<Gate>> {
    const isLate = retriedAt === undefined && now() - digest.to > LATEST_DIGEST_MS;
    return isLate ? { skip: 'too_late' } : 'go';
  }

  return {
    count(delivery) {
      const { grant, session } = delivery;
      const seconds = secondsOf(session);
      return facts.add(deliveryId(delivery), {
        userId: grant.userId,
        features: session.features_used,
        learnedAt: delivery.acceptedAt,
        ...(seconds === undefined ? {} : { seconds }),
      });
    },

    async copiesOf(id, delivery) {
      const { threadTs: _, ...rest } = delivery;
      const { workspaceId } = delivery.grant;
      const ownPlace = await nowCalled(workspaceId, delivery.to);
      const wanted = await matching.candidates(workspaceId, endedAt(delivery), ownPlace);
      return wanted.map(({ id: number, channelId, form }) => [
        subscribedId(id, number),
        { ...rest, to: channelId, subscription: { id: number, form } },
      ]);
    },

    async gate(delivery) {
      const id = delivery.subscription?.id;
      if (id === undefined) return 'go';
      const workspaceId = workspaceOf(delivery);
      const subscription = await repository.one(workspaceId, id);
      if (subscription !== undefined && !(await mayBeRead(subscription))) return { skip: 'reader_may_not' };
      // What it belongs to has been posted.
      if ('isDetail' in delivery && delivery.isDetail !== undefined) return 'go';
      if (subscription === undefined) return { skip: 'subscription_removed' };
      if ('digest' in delivery) return isDigestWanted(delivery);
      const { grant, session } = delivery;
      const { visitorId, userId } = grant;
      const summaryId = deliveryId(delivery);
      const ended = { workspaceId, sessionId: session.id, visitorId, userId, seconds: secondsOf(session) };
      const verdict = await matching.judge(subscription, ended, (other) => subscribedId(summaryId, other));
      return verdict === 'go' || verdict === 'soon' ? verdict : { skip: verdict };
    },

    async tell(delivery, told) {
      const id = delivery.subscription?.id;
      if (id === undefined) return;
      const workspaceId = workspaceOf(delivery);
      if (told.outcome === 'posted') await pauses.worked(workspaceId, id);
      if (told.outcome === 'failed') await pauses.failed(workspaceId, id, told.reason);
    },
  };
}
