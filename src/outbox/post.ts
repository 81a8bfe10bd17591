import type { Message } from '../messages/message.ts';
import { troubleKind } from './trouble.ts';

/** Where a message goes. */
export interface Destination {
  readonly workspaceId: string;
  /** A channel's id, or a user's for a direct message. */
  readonly to: string;
  readonly threadTs?: string | undefined;
  /** The message to replace, by `ts`. */
  readonly replaces?: string;
}

/** The outcome of a post. `reason` is Slack's code, or ours if Slack gave none. */
export type PostOutcome =
  | {
      readonly outcome: 'posted';
      readonly ts: string | undefined;
      /** Where it is: for direct messages not the id it was sent to. */
      readonly channelId?: string | undefined;
    }
  | {
      /** Can be tried again, after `afterMs` if Slack said when. */
      readonly outcome: 'later';
      readonly reason: string;
      readonly afterMs?: number;
      /** We don't know whether it arrived: the request may have reached Slack. */
      readonly unclear?: true;
    }
  | { readonly outcome: 'never'; readonly reason: string; readonly neededScope?: string };

/**
 * Posts a message. Never rejects: a failure is an outcome.
 *
 * @param messageId put into the message's metadata, so that the post can be recognised; an id and nothing else
 */
export type Post = (to: Destination, message: Message, messageId: string) => Promise<PostOutcome>;

/** The messages that carry an id, or why that isn't known. */
export type Sighting =
  /**
   * By `ts`, the oldest first, with the id of their channel. `isPartial` if there were too many newer messages to read
   * them all, so there may be more.
   */
  | { readonly found: readonly string[]; readonly channelId: string; readonly isPartial?: true }
  | { readonly outcome: 'later'; readonly reason: string; readonly afterMs?: number }
  /** The app isn't allowed to look there. */
  | { readonly outcome: 'never'; readonly reason: string; readonly neededScope?: string };

/**
 * Looks for the messages that carry an id in the place they were sent to. Never rejects.
 *
 * @param since milliseconds since 1970: nothing was posted before
 */
export type FindPosts = (
  to: Pick<Destination, 'workspaceId' | 'to' | 'threadTs'>,
  messageId: string,
  since: number,
) => Promise<Sighting>;

/** Deletes one of our messages. Never rejects. */
export type Unpost = (
  place: { readonly workspaceId: string; readonly channelId: string },
  ts: string,
) => Promise<'gone' | 'later' | 'never'>;

/** Whether a message whose answer was lost is there; `later` if Slack doesn't say yet. */
export type Arrival = 'yes' | 'no' | 'later';

/** If the app isn't allowed to look, or can't see everything, the message is sent again: rather twice than never. */
export function arrivalIn(sighting: Sighting): Arrival {
  if ('found' in sighting) return sighting.found.length > 0 ? 'yes' : 'no';
  const isPassing = sighting.outcome === 'later' || troubleKind(sighting.reason) === 'refused-token';
  return isPassing ? 'later' : 'no';
}
