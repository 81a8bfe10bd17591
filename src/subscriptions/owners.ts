import type { TroubleKind } from '../messages/delivery-words.ts';
import type { Arrival } from '../outbox/post.ts';
import { OF_THE_APP } from '../outbox/trouble.ts';
import type { AnnounceAs } from './announce.ts';
import { subscriptionsPaused, subscriptionsResumed } from './pause-messages.ts';
import type { SubscriptionRepository } from './repository.ts';
import type { Subscription } from './subscription.ts';

type StartedNotice = NonNullable<Subscription['notice']>;

/** A notice that is this process's to send, about all of a channel that its owner is to hear of at once. */
interface Claimed {
  readonly own: StartedNotice;
  readonly isAgain: boolean;
  readonly to: Pick<Subscription, 'workspaceId' | 'setUpBy'>;
  readonly all: readonly Subscription[];
}

/** `not-sent` is tried again; so is `unclear`, but looked for first. */
type SendResult = 'done' | 'not-sent' | 'unclear';

/** Longer than a post and a look-up take. */
const SENT_WITHIN_MS = 60_000;

interface OwnersParts {
  readonly repository: SubscriptionRepository;
  readonly announce: AnnounceAs;
  /** Looks for the message with this id. */
  readonly arrivalOf: (
    workspaceId: string,
    to: string,
    sent: Pick<StartedNotice, 'id' | 'since'>,
  ) => Promise<Arrival>;
  /** What one of Slack's codes means. */
  readonly kindOf: (code: string) => TroubleKind;
  readonly newId: () => string;
  readonly now: () => number;
}

/** Tells whoever set a channel's subscriptions up once that they're paused, and once that they work again. */
export interface Owners {
  /** Sends the notice that is due, if any, for all that is due in its channel. What can't be sent stays due. */
  notify(subscription: Subscription): Promise<void>;
}

export function createOwners(parts: OwnersParts): Owners {
  const { repository, announce, arrivalOf, kindOf, newId, now } = parts;

  /** Claims a notice, with what is known of an earlier try; undefined if someone else is sending or sent it. */
  async function claim({ workspaceId, id }: Subscription): Promise<Claimed | undefined> {
    const latest = await repository.one(workspaceId, id);
    if (latest?.noticeDue === undefined) return undefined;
    const { noticeDue: about, notice } = latest;
    const time = Math.round(now());
    const isAgain = notice?.about === about;
    const started = isAgain ? notice : { id: newId(), since: time };
    const own = { ...started, about, until: time + SENT_WITHIN_MS };
    const [first, ...others] = await repository.claimNotice(latest, own, time, isAgain);
    return first && { own, isAgain, to: first, all: [first, ...others] };
  }

  async function send({ own: { about, id }, to, all }: Claimed): Promise<SendResult> {
    const words = about === 'paused' ? subscriptionsPaused(all) : subscriptionsResumed(all);
    const result = await announce(to.workspaceId, to.setUpBy, words, id);
    if (result.outcome === 'posted') return 'done';
    if (result.outcome === 'later') return result.unclear === true ? 'unclear' : 'not-sent';
    // Someone who can't be messaged at all, since they left, isn't tried again every minute.
    return OF_THE_APP.has(kindOf(result.reason)) ? 'not-sent' : 'done';
  }

  /** Looks for the message first if an earlier answer was lost. */
  async function sendOnce(claimed: Claimed): Promise<SendResult> {
    const { own, isAgain, to } = claimed;
    if (!isAgain) return send(claimed);
    const arrival = await arrivalOf(to.workspaceId, to.setUpBy, own);
    if (arrival === 'later') return 'unclear';
    return arrival === 'no' ? send(claimed) : 'done';
  }

  async function recordResult(
    { workspaceId, id }: Subscription,
    own: StartedNotice,
    result: SendResult,
  ): Promise<void> {
    await repository.change(workspaceId, id, (latest) => {
      if (latest.notice?.id !== own.id) return latest;
      if (result === 'unclear') return { ...latest, notice: { ...own, until: 0 } };
      const { notice: _, ...stillDue } = latest;
      const { noticeDue, ...rest } = stillDue;
      if (result === 'done') return noticeDue === own.about ? rest : stillDue;
      // The pause ended meanwhile: if they never heard of it, they needn't hear that it ended.
      return own.about === 'paused' && noticeDue === 'resumed' ? rest : stillDue;
    });
  }

  return {
    async notify(subscription) {
      const claimed = await claim(subscription);
      if (claimed === undefined) return;
      const result = await sendOnce(claimed);
      for (const one of claimed.all) await recordResult(one, claimed.own, result);
    },
  };
}
