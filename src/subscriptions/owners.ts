import type { Subscription } from '../model/subscription.ts';
import type { TroubleKind } from '../views/delivery-words.ts';
import { subscriptionPaused, subscriptionResumed } from '../views/subscription-pauses.ts';
import type { AnnounceAs } from './announce.ts';
import type { SubscriptionRepository } from './repository.ts';

/** These aren't about the person: they can be told once the app is installed correctly again. */
const OF_THE_APP: ReadonlySet<TroubleKind> = new Set(['refused-token', 'missing-scope']);

type Word = NonNullable<Subscription['owes']>;

/** Whether a message is there: `unknown` if the app has no permission to look. */
export type Arrival = 'yes' | 'no' | 'later' | 'unknown';

type Telling = NonNullable<Subscription['telling']>;

/** Longer than a post and a look-up take. */
const TOLD_WITHIN_MS = 60_000;

interface OwnersParts {
  readonly repository: SubscriptionRepository;
  readonly announce: AnnounceAs;
  /** Looks for the message with this id. */
  readonly arrivalOf: (
    workspaceId: string,
    to: string,
    sent: Pick<Telling, 'id' | 'since'>,
  ) => Promise<Arrival>;
  /** What one of Slack's codes means. */
  readonly kindOf: (code: string) => TroubleKind;
  readonly newId: () => string;
  readonly now: () => number;
}

/** Tells whoever set a subscription up once that it's paused, and once that it works again. */
export interface Owners {
  /** Sends the notice that is owed, if any. What can't be sent stays owed. */
  tell(subscription: Subscription): Promise<void>;
  /** Whether the notice of the pause was sent and it isn't known yet whether it arrived. */
  mayHaveHeard(subscription: Subscription): boolean;
}

export function createOwners(parts: OwnersParts): Owners {
  const { repository, announce, arrivalOf, kindOf, newId, now } = parts;

  /** Claims a notice, with what is known of an earlier try; undefined if someone else is sending or sent it. */
  async function claim(
    { workspaceId, id }: Subscription,
    word: Word,
  ): Promise<{ readonly own: Telling; readonly isAgain: boolean } | undefined> {
    const time = Math.round(now());
    const fresh = newId();
    let claimed: { readonly own: Telling; readonly isAgain: boolean } | undefined;
    await repository.change(workspaceId, id, (latest) => {
      claimed = undefined;
      const { owes, telling } = latest;
      if (owes !== word || (telling !== undefined && telling.until > time)) return latest;
      const isAgain = telling?.word === word;
      const own = { word, until: time + TOLD_WITHIN_MS };
      claimed = { own: isAgain ? { ...telling, ...own } : { ...own, id: fresh, since: time }, isAgain };
      return { ...latest, telling: claimed.own };
    });
    return claimed;
  }

  async function send(
    subscription: Subscription,
    word: Word,
    id: string,
  ): Promise<'over' | 'unheard' | 'unclear'> {
    const words = word === 'paused' ? subscriptionPaused(subscription) : subscriptionResumed(subscription);
    const result = await announce(subscription.workspaceId, subscription.setUpBy, words, id);
    if (result.outcome === 'posted') return 'over';
    if (result.outcome === 'later') return result.unclear === true ? 'unclear' : 'unheard';
    // Someone who can't be told at all, since they left, isn't retried every minute.
    return OF_THE_APP.has(kindOf(result.reason)) ? 'unheard' : 'over';
  }

  /** Looks for the message first if an earlier answer was lost. */
  async function bring(subscription: Subscription, { word, id, since }: Telling, isAgain: boolean) {
    if (!isAgain) return send(subscription, word, id);
    const arrival = await arrivalOf(subscription.workspaceId, subscription.setUpBy, { id, since });
    if (arrival === 'later') return 'unclear';
    return arrival === 'no' ? send(subscription, word, id) : 'over';
  }

  async function settle(
    { workspaceId, id }: Subscription,
    own: Telling,
    came: 'over' | 'unheard' | 'unclear',
  ): Promise<void> {
    await repository.change(workspaceId, id, (latest) => {
      if (latest.telling?.id !== own.id) return latest;
      if (came === 'unclear') return { ...latest, telling: { ...own, until: 0 } };
      const { telling: _, ...told } = latest;
      const { owes, ...rest } = told;
      if (came === 'over') return owes === own.word ? rest : told;
      // The pause ended meanwhile: if they never heard of it, they needn't hear that it ended.
      return own.word === 'paused' && owes === 'resumed' ? rest : told;
    });
  }

  return {
    async tell(subscription) {
      const word = subscription.owes;
      const claimed = word && (await claim(subscription, word));
      if (claimed === undefined) return;
      const { own, isAgain } = claimed;
      await settle(subscription, own, await bring(subscription, own, isAgain));
    },

    mayHaveHeard: ({ telling }) => telling?.word === 'paused',
  };
}
