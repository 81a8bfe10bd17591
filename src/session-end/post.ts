import type { Message } from '../views/message.ts';

/** Where a message goes. */
export interface Destination {
  readonly workspaceId: string;
  /** A channel's id, or a user's for a direct message. */
  readonly to: string;
  readonly threadTs?: string;
  /** The message whose place it takes, by `ts`. */
  readonly replaces?: string;
}

/** What became of a post. `reason` is Slack's code, or ours where Slack gave none. */
export type PostOutcome =
  | { readonly outcome: 'posted'; readonly ts: string | undefined }
  /** May be tried again; after `afterMs` where Slack said when. */
  | { readonly outcome: 'later'; readonly reason: string; readonly afterMs?: number }
  | { readonly outcome: 'never'; readonly reason: string };

/**
 * Posts a message. Never rejects: what went wrong is an outcome.
 *
 * @param deliveryId put into the message's metadata, so that a post can be recognised; an id and nothing else
 */
export type Post = (to: Destination, message: Message, deliveryId: string) => Promise<PostOutcome>;
