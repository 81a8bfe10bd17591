import type { Store } from '../storage/store.ts';
import type { Compose } from './compose.ts';
import { workspaceOf } from './delivery.ts';
import type { Deliverable } from './delivery.ts';
import type { Destination, FindPosts, Post, PostOutcome } from './post.ts';
import { troubleKind } from './trouble.ts';

/** Slack's codes for a message that cannot be changed any more. Source: chat.update, Errors. */
const CARD_GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

/** Longer than a delivery is tried. */
const SHORTENED_MS = 7 * 24 * 60 * 60 * 1_000;

/** What came of bringing a delivery to its channel. */
export interface Brought {
  readonly result: PostOutcome;
  /** When it set out for Slack, ms since 1970; not given where it was there already. */
  readonly sentAt?: number;
  /** What was posted leaves out what then goes into its thread, `threadTs`. */
  readonly inShort: boolean;
  readonly threadTs?: string | undefined;
  /** It was there already: the answer of an earlier attempt was lost. */
  readonly wasThere?: true;
  /** It was looked for an earlier attempt, which may yet show beside this one. */
  readonly wasLookedFor?: true;
}

interface BringOptions {
  /** The `ts` of the card that becomes the summary, where there is one. */
  readonly card: string | undefined;
  /** Of an earlier attempt whose outcome nobody knows, ms since 1970. */
  readonly begunAt: number | undefined;
}

export type Bring = (id: string, delivery: Deliverable, options: BringOptions) => Promise<Brought>;

interface BringParts {
  /** Which deliveries Slack found too long, so that they were posted in short: what they leave out is still to follow. */
  readonly shortened: Pick<Store, 'get' | 'set'>;
  readonly post: Post;
  readonly find: FindPosts;
  readonly compose: Compose;
  /** Told where the app may not look whether a post arrived: it then may come twice. */
  readonly blind: (reason: string, neededScope: string | undefined) => void;
  readonly now: () => number;
}

function placeOf(delivery: Deliverable): Destination {
  const place = { workspaceId: workspaceOf(delivery), to: delivery.to };
  if ('digest' in delivery || delivery.threadTs === undefined) return place;
  return { ...place, threadTs: delivery.threadTs };
}

/** Whether there is a form of it that is shorter than the one it has. */
function hasShortForm(delivery: Deliverable): boolean {
  if ('digest' in delivery) return false;
  const { isDetail, notPosted, subscription } = delivery;
  return isDetail === undefined && notPosted === undefined && (subscription?.form ?? 'full') === 'full';
}

/** Into the card where there is one; a card that cannot be changed any more is left, and the summary posted anew. */
export function createBring({ shortened, post, find, compose, blind, now }: BringParts): Bring {
  async function postTo(place: Destination, delivery: Deliverable, id: string): Promise<Brought> {
    const content = await compose(delivery, 'whole');
    const wholeSentAt = now();
    const whole = await post(place, content, id);
    const isTooLong = whole.outcome === 'never' && troubleKind(whole.reason) === 'too-long';
    if (!isTooLong || !hasShortForm(delivery)) return { result: whole, sentAt: wholeSentAt, inShort: false };
    const shorter = await compose(delivery, 'card');
    // In a thread there is no thread of its own for the rest.
    const inShort = place.threadTs === undefined;
    // Before the post, so that whoever finds it after a kill knows.
    if (inShort) await shortened.set(id, true, SHORTENED_MS);
    const sentAt = now();
    const result = await post(place, shorter, id);
    return { result, sentAt, inShort, threadTs: result.outcome === 'posted' ? result.ts : undefined };
  }

  async function postNew(id: string, delivery: Deliverable): Promise<Brought> {
    const place = placeOf(delivery);
    const brought = await postTo(place, delivery, id);
    const { result } = brought;
    // Somebody deleted the message that started it: the channel is still the right place.
    const threadIsGone = result.outcome === 'never' && result.reason === 'thread_not_found';
    if (!threadIsGone) return brought;
    const { threadTs: _, ...channel } = place;
    return postTo(channel, delivery, id);
  }

  /** Posts where no earlier attempt is found. */
  async function postOnce(id: string, delivery: Deliverable, begunAt: number): Promise<Brought> {
    const seen = await find(placeOf(delivery), id, begunAt);
    if ('found' in seen) {
      const [ts] = seen.found;
      if (ts === undefined) {
        if (seen.isPartial) blind('too_much_said', undefined);
        return { ...(await postNew(id, delivery)), wasLookedFor: true };
      }
      const inShort = (await shortened.get(id)) !== undefined;
      const result = { outcome: 'posted', ts } as const;
      return { result, inShort, threadTs: ts, wasThere: true, wasLookedFor: true };
    }
    // Still unclear: without knowing it is not posted again.
    if (seen.outcome === 'later') return { result: { ...seen, unclear: true }, inShort: false };
    blind(seen.reason, seen.neededScope);
    return postNew(id, delivery);
  }

  return async function bring(id, delivery, { card, begunAt }) {
    if (card !== undefined) {
      const { threadTs, ...channel } = placeOf(delivery);
      // A card in a thread has no thread of its own for the rest.
      const inShort = threadTs === undefined;
      const content = await compose(delivery, inShort ? 'card' : 'whole');
      const sentAt = now();
      const changed = await post({ ...channel, replaces: card }, content, id);
      const isGone = changed.outcome === 'never' && CARD_GONE.has(changed.reason);
      if (!isGone) return { result: changed, sentAt, inShort, threadTs: card };
    }
    return begunAt === undefined ? postNew(id, delivery) : postOnce(id, delivery, begunAt);
  };
}
