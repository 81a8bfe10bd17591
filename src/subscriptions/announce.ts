import type { Message } from '../views/message.ts';

/** What became of a post. `reason` is Slack's code, or ours. */
export type Announced =
  | { readonly outcome: 'posted' }
  /** It may succeed in a while; `unclear` where nobody knows whether it arrived. */
  | { readonly outcome: 'later'; readonly reason: string; readonly unclear?: true }
  | { readonly outcome: 'never'; readonly reason: string };

/** Posts into a channel, or to a user by direct message. Never rejects. */
export type Announce = (workspaceId: string, to: string, message: Message) => Promise<Announced>;

/** The same, by an id of its own under which it can be looked for. */
export type AnnounceAs = (
  workspaceId: string,
  to: string,
  message: Message,
  id: string,
) => Promise<Announced>;
