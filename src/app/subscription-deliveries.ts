import type { Session } from '../cobrowse/schemas.ts';
import type { Gate } from '../session-end/attempt.ts';
import { subscribedId, workspaceOf } from '../session-end/delivery.ts';
import type { Delivery, DigestDelivery } from '../session-end/delivery.ts';
import type { Tell } from '../session-end/endings.ts';
import type { SubscriptionBook } from '../subscriptions/book.ts';
import type { Matching } from '../subscriptions/matching.ts';
import type { Pauses } from '../subscriptions/pauses.ts';
import type { SessionFacts } from '../subscriptions/session-facts.ts';

/** An older digest is news to nobody. */
const LATEST_DIGEST_MS = 24 * 60 * 60 * 1_000;

interface SubscriptionDeliveriesParts {
  readonly book: SubscriptionBook;
  readonly facts: SessionFacts;
  readonly matching: Matching;
  readonly pauses: Pauses;
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
  const { book, facts, matching, pauses, now } = parts;

  /** One that an admin sends once more is wanted, however old. */
  async function isDigestWanted(delivery: DigestDelivery): ReturnType<Gate> {
    const { workspaceId, subscription, digest, retriedAt } = delivery;
    if ((await book.one(workspaceId, subscription.id)) === undefined) return { skip: 'subscription_removed' };
    const isLate = retriedAt === undefined && now() - digest.to > LATEST_DIGEST_MS;
    return isLate ? { skip: 'too_late' } : 'go';
  }

  return {
    count(delivery) {
      const { grant, session } = delivery;
      const seconds = secondsOf(session);
      return facts.add(grant.workspaceId, session.id, {
        userId: grant.userId,
        features: session.features_used,
        endedAt: endedAt(delivery),
        ...(seconds === undefined ? {} : { seconds }),
      });
    },

    async copiesOf(id, delivery) {
      const { threadTs: _, ...rest } = delivery;
      const { workspaceId } = delivery.grant;
      const wanted = await matching.candidates(workspaceId, endedAt(delivery), delivery.to);
      return wanted.map(({ id: number, channelId, form }) => [
        subscribedId(id, number),
        { ...rest, to: channelId, subscription: { id: number, form } },
      ]);
    },

    async gate(delivery) {
      if ('digest' in delivery) return isDigestWanted(delivery);
      const { grant, session, subscription, isDetail } = delivery;
      if (subscription === undefined || isDetail !== undefined) return 'go';
      const { workspaceId, visitorId, userId } = grant;
      const ended = { workspaceId, sessionId: session.id, visitorId, userId, seconds: secondsOf(session) };
      const skip = await matching.unwanted(subscription.id, ended);
      return skip === undefined ? 'go' : { skip };
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
