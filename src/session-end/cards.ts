import { z } from 'zod';
import type { SessionEndGrant } from '../grants/grant.ts';
import type { Store } from '../storage/store.ts';
import type { Message } from '../views/message.ts';
import type { PostMade } from './post.ts';
import { troubleKind } from './trouble.ts';

/** A press soon after another for the same screen, with the same power, by the same person in the same place, has the same card. */
const SHARED_MS = 10 * 60 * 1_000;
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;
/** Longer than posting a card can take: a look-up of the visitor and a post, each up to ten seconds, behind another. */
const POSTING_MS = 60_000;

/** Longer than a change of the card can take, so that it is lost only by a dead process. */
const CONCLUDING_MS = 60_000;
/** Stands where a delivery's id stands once the card is its summary; no delivery has such an id. */
const CONCLUDING = 'concluding';

const Card = z.object({ ts: z.string() });
type Card = z.infer<typeof Card>;

/** Makes what a card says. @param channelId the channel's id now: who reads along there is to be asked by it */
type MakeCard = (channelId: string) => Promise<Message>;

/**
 * The live card: the channel's one message about a link that was given, which becomes the summary when the session
 * ends. The service tells of no start, so that the card says only what is known: somebody was given a link.
 */
export interface Cards {
  /** Posts the card of a grant, or shares one just posted. A channel that does not take it gets none. */
  announce(grant: SessionEndGrant, card: MakeCard): Promise<void>;
  /**
   * The card that a delivery may turn into its summary: only one may. `soon` where it is being posted,
   * undefined where there is none.
   */
  take(grant: SessionEndGrant, deliveryId: string): Promise<Card | 'soon' | undefined>;
  /**
   * Changes the card to say what became of the link, unless it is a summary already, or also the card of one of
   * `others`, who are still looked for. A summary that comes after all takes its place. False where Slack is to be
   * asked again.
   */
  conclude(grant: SessionEndGrant, others: readonly SessionEndGrant[], message: MakeCard): Promise<boolean>;
}

function placeOf(grant: SessionEndGrant): string {
  const { workspaceId, channelId = '', threadTs = '', userId, visitorId, power } = grant;
  return ['place', workspaceId, channelId, threadTs, userId, power, visitorId].join(':');
}

const usedKey = ({ workspaceId, channelId }: SessionEndGrant, { ts }: Card) =>
  `used:${workspaceId}:${channelId}:${ts}`;

export function createCards(store: Store, post: PostMade): Cards {
  const read = async (key: string) => Card.safeParse(await store.get(key)).data;

  async function postNew(
    grant: SessionEndGrant,
    channelId: string,
    card: MakeCard,
  ): Promise<string | undefined> {
    const { workspaceId, threadTs, grantId } = grant;
    const destination = { workspaceId, to: channelId, ...(threadTs === undefined ? {} : { threadTs }) };
    const posted = await post(destination, card, grantId);
    return posted.outcome === 'posted' ? posted.ts : undefined;
  }

  async function shareOrPost(grant: SessionEndGrant, channelId: string, card: MakeCard) {
    const mine = `grant:${grant.grantId}`;
    const place = placeOf(grant);
    const shared = await read(place);
    if (shared !== undefined) {
      await store.set(mine, shared, REMEMBERED_MS);
      return;
    }
    const ts = await postNew(grant, channelId, card);
    if (ts === undefined) {
      await store.delete(mine);
      return;
    }
    await Promise.all([store.set(mine, { ts }, REMEMBERED_MS), store.set(place, { ts }, SHARED_MS)]);
  }

  /** The announcement under way in each place: a double click is two presses before the first card is there. */
  const underWay = new Map<string, Promise<void>>();

  return {
    async announce(grant, card) {
      const { channelId, grantId } = grant;
      if (channelId === undefined) return;
      const place = placeOf(grant);
      const before = underWay.get(place)?.catch(() => undefined);
      const own = (async () => {
        await store.set(`grant:${grantId}`, 'posting', POSTING_MS);
        await before;
        await shareOrPost(grant, channelId, card);
      })();
      underWay.set(place, own);
      try {
        await own;
      } finally {
        if (underWay.get(place) === own) underWay.delete(place);
      }
    },

    async take(grant, deliveryId) {
      const mine = await store.get(`grant:${grant.grantId}`);
      if (mine === 'posting') return 'soon';
      const card = Card.safeParse(mine).data;
      if (card === undefined) return undefined;
      const used = usedKey(grant, card);
      if (!(await store.add(used, deliveryId, REMEMBERED_MS))) {
        const by = await store.get(used);
        if (by === CONCLUDING) return 'soon';
        // The same delivery may come again after a kill: the card is still its own.
        if (by !== deliveryId) return undefined;
      }
      await store.delete(placeOf(grant));
      return card;
    },

    async conclude(grant, others, message) {
      const { workspaceId, channelId, grantId } = grant;
      const card = await read(`grant:${grantId}`);
      if (card === undefined || channelId === undefined) return true;
      const theirs = await Promise.all(others.map((other) => read(`grant:${other.grantId}`)));
      if (theirs.some((other) => other?.ts === card.ts)) return true;
      const used = usedKey(grant, card);
      if (!(await store.add(used, CONCLUDING, CONCLUDING_MS))) return (await store.get(used)) !== CONCLUDING;
      try {
        const place = { workspaceId, to: channelId, replaces: card.ts };
        const result = await post(place, message, grantId);
        // A refused token says nothing of the card: with another token it can be changed.
        return result.outcome === 'never'
          ? troubleKind(result.reason) !== 'refused-token'
          : result.outcome === 'posted';
      } finally {
        if ((await store.get(used)) === CONCLUDING) await store.delete(used);
      }
    },
  };
}
