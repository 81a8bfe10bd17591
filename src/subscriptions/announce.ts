import type { Message } from '../views/message.ts';

/** What became of a post. `reason` is Slack's code, or ours. */
export type Announced =
  | { readonly outcome: 'posted' }
  /** It may succeed later; `unclear` if nobody knows whether it arrived. */
  | { readonly outcome: 'later'; readonly reason: string; readonly unclear?: true }
  | { readonly outcome: 'never'; readonly reason: string };

/** Posts to a channel, or to a user by direct message. Never rejects. */
export type Announce = (workspaceId: string, to: string, message: Message) => Promise<Announced>;

/** The same, with an id by which the post can be found. */
export type AnnounceAs = (
  workspaceId: string,
  to: string,
  message: Message,
  id: string,
) => Promise<Announced>;
