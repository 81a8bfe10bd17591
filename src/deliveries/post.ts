import type { Message } from '../views/message.ts';

/** Where a message goes. */
export interface Destination {
  readonly workspaceId: string;
  /** A channel's id, or a user's for a direct message. */
  readonly to: string;
  readonly threadTs?: string | undefined;
  /** The message whose place it takes, by `ts`. */
  readonly replaces?: string;
}

/** What became of a post. `reason` is Slack's code, or ours where Slack gave none. */
export type PostOutcome =
  | {
      readonly outcome: 'posted';
      readonly ts: string | undefined;
      /** Where it is: of direct messages not the id that they were sent to. */
      readonly channelId?: string | undefined;
    }
  | {
      /** May be tried again; after `afterMs` where Slack said when. */
      readonly outcome: 'later';
      readonly reason: string;
      readonly afterMs?: number;
      /** Nobody knows whether it arrived: the request may have reached Slack. */
      readonly unclear?: true;
    }
  | { readonly outcome: 'never'; readonly reason: string; readonly neededScope?: string };

/**
 * Posts a message. Never rejects: what went wrong is an outcome.
 *
 * @param deliveryId put into the message's metadata, so that a post can be recognised; an id and nothing else
 */
export type Post = (to: Destination, message: Message, deliveryId: string) => Promise<PostOutcome>;

/** The messages that carry a delivery's id, or why that cannot be said. */
export type Sighting =
  /**
   * By `ts`, the oldest first, with the id of the channel they are in. `isPartial` where too much was said there since
   * to read all of it: then there may be more.
   */
  | { readonly found: readonly string[]; readonly channelId: string; readonly isPartial?: true }
  | { readonly outcome: 'later'; readonly reason: string; readonly afterMs?: number }
  /** The app may not look there. */
  | { readonly outcome: 'never'; readonly reason: string; readonly neededScope?: string };

/**
 * Looks for the messages of a delivery where it was to go. Never rejects.
 *
 * @param since milliseconds since 1970: nothing was posted before
 */
export type FindPosts = (
  to: Pick<Destination, 'workspaceId' | 'to' | 'threadTs'>,
  deliveryId: string,
  since: number,
) => Promise<Sighting>;

/** Deletes a message of ours. Never rejects. */
export type Unpost = (
  place: { readonly workspaceId: string; readonly channelId: string },
  ts: string,
) => Promise<'gone' | 'later' | 'never'>;
