import type { Message } from '../views/message.ts';

/** What became of a post. `reason` is Slack's code, or ours. */
export type Announced =
  | { readonly outcome: 'posted' }
  /** `later`: it may succeed in a while. */
  | { readonly outcome: 'later' | 'never'; readonly reason: string };

/** Posts into a channel, or to a user by direct message. Never rejects. */
export type Announce = (workspaceId: string, to: string, message: Message) => Promise<Announced>;
