import type { Subscription } from '../grants/subscription.ts';
import type { TroubleKind } from '../views/delivery-words.ts';
import { subscriptionPaused, subscriptionResumed } from '../views/subscription-pauses.ts';
import type { AnnounceAs } from './announce.ts';
import type { SubscriptionRepository } from './repository.ts';

/** These say nothing of the person: they can be told once the app is installed rightly again. */
const OF_THE_APP: ReadonlySet<TroubleKind> = new Set(['refused-token', 'missing-scope']);

type Word = NonNullable<Subscription['owes']>;

/** Whether a message is there: `unknown` where the app may not look. */
export type Arrival = 'yes' | 'no' | 'later' | 'unknown';

/** A word that set out; `since` is milliseconds since 1970. */
interface Sent {
  readonly word: Word;
  readonly id: string;
  readonly since: number;
}

interface OwnersParts {
  readonly repository: SubscriptionRepository;
  readonly announce: AnnounceAs;
  /** Looks for what was announced by this id. */
  readonly arrivalOf: (workspaceId: string, to: string, sent: Omit<Sent, 'word'>) => Promise<Arrival>;
  /** What a code of Slack's means. */
  readonly kindOf: (code: string) => TroubleKind;
  readonly newId: () => string;
  readonly now: () => number;
}

/** Whoever set a subscription up, told once of its pause, and once of the end of it. */
export interface Owners {
  /** Tells what is owed, if anything. What could not be said stays owed. */
  tell(subscription: Subscription): Promise<void>;
  /** Whether word of the pause set out, and nobody knows yet whether it arrived. */
  mayHaveHeard(subscription: Subscription): boolean;
}

const keyOf = ({ workspaceId, id }: Subscription) => `${workspaceId} ${id}`;

export function createOwners(parts: OwnersParts): Owners {
  const { repository, announce, arrivalOf, kindOf, newId, now } = parts;
  /** Who looks for what is owed meanwhile must not send it again. */
  const underWay = new Set<string>();
  /** Not durable: after a restart a word whose answer was lost comes once more. */
  const sent = new Map<string, Sent>();

  async function send(
    subscription: Subscription,
    word: Word,
    id: string,
  ): Promise<'over' | 'unheard' | 'unclear'> {
    const words = word === 'paused' ? subscriptionPaused(subscription) : subscriptionResumed(subscription);
    const result = await announce(subscription.workspaceId, subscription.setUpBy, words, id);
    if (result.outcome === 'posted') return 'over';
    if (result.outcome === 'later') return result.unclear === true ? 'unclear' : 'unheard';
    // Who cannot be told at all, since they left, is not told every minute.
    return OF_THE_APP.has(kindOf(result.reason)) ? 'unheard' : 'over';
  }

  /** Looks first where an earlier answer was lost. */
  async function bring(subscription: Subscription, word: Word): Promise<'over' | 'unheard' | 'unclear'> {
    const key = keyOf(subscription);
    const earlier = sent.get(key);
    if (earlier?.word === word) {
      const arrival = await arrivalOf(subscription.workspaceId, subscription.setUpBy, earlier);
      if (arrival === 'later') return 'unclear';
      if (arrival !== 'no') return 'over';
      return send(subscription, word, earlier.id);
    }
    const id = newId();
    sent.set(key, { word, id, since: now() });
    return send(subscription, word, id);
  }

  async function settle({ workspaceId, id }: Subscription, word: Word, isOver: boolean): Promise<void> {
    await repository.change(workspaceId, id, (latest) => {
      const { owes, ...rest } = latest;
      if (isOver) return owes === word ? rest : latest;
      // The pause ended meanwhile: who never heard of it need not hear of its end.
      return word === 'paused' && owes === 'resumed' ? rest : latest;
    });
  }

  return {
    async tell(subscription) {
      const key = keyOf(subscription);
      const word = subscription.owes;
      if (word === undefined || underWay.has(key)) return;
      underWay.add(key);
      try {
        const came = await bring(subscription, word);
        if (came === 'unclear') return;
        await settle(subscription, word, came === 'over');
        sent.delete(key);
      } finally {
        underWay.delete(key);
      }
    },

    mayHaveHeard: (subscription) => sent.get(keyOf(subscription))?.word === 'paused',
  };
}
