import type { ScheduleWish } from '../grants/schedule.ts';
import type { SubscriptionWish } from '../grants/subscription.ts';
import type { Message } from '../views/message.ts';
import type { Caller } from './caller.ts';

/** What people do with subscriptions; each ends in words. */
export interface Subscriptions {
  readonly subscribe: (wish: SubscriptionWish, caller: Caller) => Promise<Message>;
  readonly digest: (
    channelId: string | undefined,
    schedule: ScheduleWish,
    caller: Caller,
  ) => Promise<Message>;
  /** Ends the one there is in a channel, or its digest; asks which where there are several. */
  readonly endIn: (channelId: string, caller: Caller, isDigest?: boolean) => Promise<Message>;
  readonly end: (id: string, caller: Caller) => Promise<Message>;
  /** Tries the channel of a paused one. */
  readonly resume: (id: string, caller: Caller) => Promise<Message>;
  /** @param after the number after which the page begins */
  readonly list: (after: number, caller: Caller) => Promise<Message>;
}
