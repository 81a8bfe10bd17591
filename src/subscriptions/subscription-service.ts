import type { ScheduleRequest } from './subscription.ts';
import type { Subscription, SubscriptionRequest } from './subscription.ts';
import type { Message } from '../messages/message.ts';
import type { Saved } from '../messages/modal.ts';
import type { Caller } from '../commands/caller.ts';

/** What people do with subscriptions; each answers in words, {@link Saved} if a post in the channel says the same. */
export interface Subscriptions {
  readonly subscribe: (request: SubscriptionRequest, caller: Caller) => Promise<Message | Saved>;
  readonly digest: (
    channelId: string | undefined,
    schedule: ScheduleRequest,
    caller: Caller,
  ) => Promise<Message | Saved>;
  /** Ends a channel's subscription, or its digest; asks which one if there are several. */
  readonly endIn: (channelId: string, caller: Caller, isDigest?: boolean) => Promise<Message>;
  readonly end: (id: string, caller: Caller) => Promise<Message>;
  /** Tries a post in the channel of a paused subscription. */
  readonly resume: (id: string, caller: Caller) => Promise<Message>;
  /** A refusal for people who can't set anything up in any channel; undefined for everyone else. */
  readonly refuse: (caller: Caller) => Promise<Message | undefined>;
  /** The subscription to edit; undefined if the caller can't change it or can't see its channel. */
  readonly toEdit: (
    id: string,
    caller: Caller,
  ) => Promise<{ readonly subscription: Subscription; readonly version: number } | undefined>;
  /** Changes the version that a form showed. Without a channel it stays where it is. */
  readonly edit: (
    before: { readonly id: string; readonly version: number },
    request: SubscriptionRequest & { readonly schedule: ScheduleRequest | undefined },
    caller: Caller,
  ) => Promise<Message | Saved>;
  /** @param after the number after which the page begins */
  readonly list: (after: number, caller: Caller) => Promise<Message>;
}
