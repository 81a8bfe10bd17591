import type { Subscribers } from '../sessions/subscribers.ts';
import type { MayAct } from '../permissions/acts.ts';
import { isDirect } from './subscription.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionRepository } from './repository.ts';
import type { Matching } from './matching.ts';
import type { Pauses } from './pauses.ts';

interface SubscribersParts {
  readonly repository: SubscriptionRepository;
  readonly matching: Matching;
  readonly pauses: Pauses;
  /** Checked before each post to a direct message. */
  readonly mayAct: MayAct;
}

/** What deliveries need to know about subscriptions. */
export function createSubscribers({ repository, matching, pauses, mayAct }: SubscribersParts): Subscribers {
  /**
   * A channel's members read its posts. Direct messages are read only by whoever set the subscription up, who may have
   * lost permission since. A member who can't watch can still find customers, and so keeps getting summaries, but not
   * digests: those show usage.
   */
  async function mayBeRead(subscription: Subscription): Promise<boolean> {
    const { workspaceId, channelId, setUpBy, schedule } = subscription;
    if (!isDirect(channelId)) return true;
    const isDigest = schedule !== undefined;
    const verdict = await mayAct(isDigest ? 'usage' : 'watch', { workspaceId, userId: setUpBy });
    return verdict.allowed || (!isDigest && verdict.why === 'not-named');
  }

  return {
    candidates: (session, ownPlace) => matching.candidates(session, ownPlace),

    async wants(id, session) {
      const subscription = await repository.one(session.workspaceId, id);
      return subscription !== undefined && matching.passes(subscription.filters, session);
    },

    async formNow(workspaceId, id) {
      const subscription = await repository.one(workspaceId, id);
      if (subscription === undefined) return { skip: 'subscription_removed' };
      return (await mayBeRead(subscription)) ? { form: subscription.form } : { skip: 'reader_may_not' };
    },

    async onOutcome(workspaceId, ids, outcome) {
      if (outcome.outcome === 'posted') await pauses.worked(workspaceId, ids);
      if (outcome.outcome === 'failed') await pauses.failed(workspaceId, ids, outcome.reason);
    },
  };
}
