import { OF_THE_APP } from '../deliveries/trouble.ts';
import type { Subscription } from '../model/subscription.ts';
import type { TroubleKind } from '../views/delivery-words.ts';
import { subscriptionPaused, subscriptionResumed } from '../views/subscription-pauses.ts';
import type { AnnounceAs } from './announce.ts';
import type { SubscriptionRepository } from './repository.ts';

type NoticeAbout = NonNullable<Subscription['noticeDue']>;

/** Whether a message is there: `unknown` if the app has no permission to look. */
export type Arrival = 'yes' | 'no' | 'later' | 'unknown';

type StartedNotice = NonNullable<Subscription['notice']>;

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

/** Tells whoever set a subscription up once that it's paused, and once that it works again. */
export interface Owners {
  /** Sends the notice that is due, if any. What can't be sent stays due. */
  notify(subscription: Subscription): Promise<void>;
  /** Whether the notice of the pause was sent and it isn't known yet whether it arrived. */
  mayKnowOfPause(subscription: Subscription): boolean;
}

export function createOwners(parts: OwnersParts): Owners {
  const { repository, announce, arrivalOf, kindOf, newId, now } = parts;

  /** Claims a notice, with what is known of an earlier try; undefined if someone else is sending or sent it. */
  async function claim(
    { workspaceId, id }: Subscription,
    about: NoticeAbout,
  ): Promise<{ readonly own: StartedNotice; readonly isAgain: boolean } | undefined> {
    const time = Math.round(now());
    const fresh = newId();
    let claimed: { readonly own: StartedNotice; readonly isAgain: boolean } | undefined;
    await repository.change(workspaceId, id, (latest) => {
      claimed = undefined;
      const { noticeDue, notice } = latest;
      if (noticeDue !== about || (notice !== undefined && notice.until > time)) return latest;
      const isAgain = notice?.about === about;
      const own = { about, until: time + SENT_WITHIN_MS };
      claimed = { own: isAgain ? { ...notice, ...own } : { ...own, id: fresh, since: time }, isAgain };
      return { ...latest, notice: claimed.own };
    });
    return claimed;
  }

  async function send(subscription: Subscription, about: NoticeAbout, id: string): Promise<SendResult> {
    const words = about === 'paused' ? subscriptionPaused(subscription) : subscriptionResumed(subscription);
    const result = await announce(subscription.workspaceId, subscription.setUpBy, words, id);
    if (result.outcome === 'posted') return 'done';
    if (result.outcome === 'later') return result.unclear === true ? 'unclear' : 'not-sent';
    // Someone who can't be messaged at all, since they left, isn't tried again every minute.
    return OF_THE_APP.has(kindOf(result.reason)) ? 'not-sent' : 'done';
  }

  /** Looks for the message first if an earlier answer was lost. */
  async function sendOnce(
    subscription: Subscription,
    { about, id, since }: StartedNotice,
    isAgain: boolean,
  ): Promise<SendResult> {
    if (!isAgain) return send(subscription, about, id);
    const arrival = await arrivalOf(subscription.workspaceId, subscription.setUpBy, { id, since });
    if (arrival === 'later') return 'unclear';
    return arrival === 'no' ? send(subscription, about, id) : 'done';
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
      const about = subscription.noticeDue;
      const claimed = about && (await claim(subscription, about));
      if (claimed === undefined) return;
      const { own, isAgain } = claimed;
      await recordResult(subscription, own, await sendOnce(subscription, own, isAgain));
    },

    mayKnowOfPause: ({ notice }) => notice?.about === 'paused',
  };
}
