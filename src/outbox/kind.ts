import type { Sql } from '../database/database.ts';
import type { Message } from '../messages/message.ts';
import type { Delivery } from './delivery.ts';

/*
 * What rooms register: the sender knows how deliveries arrive, and each kind knows what its own say.
 */

/** How much a message says: everything, the main facts, or the main facts with the rest in its thread. */
export const FORMS = ['full', 'short', 'thread'] as const;
export type Form = (typeof FORMS)[number];

/** Nobody wants it any more, and why: Slack's code or ours. */
export interface Unwanted {
  readonly unwanted: string;
}

/** What a delivery comes to, now that its turn has come. */
export interface Plan {
  /** Left out by kinds with only one form. */
  readonly form?: Form;
  /** Whether `thread` does where Slack calls the full form too long. */
  readonly canBeShort?: boolean;
  /** The message, made right before the post. */
  readonly message: (form: Form | undefined) => Promise<Message | Unwanted>;
}

/** The first of its subscriptions no longer wants it. Whether another one does is asked outside the channel's turn. */
export interface AskOthers {
  readonly others: readonly string[];
  readonly reason: string;
}

/** What became of a delivery, for what follows from it. */
export type Settled =
  | {
      readonly is: 'posted';
      readonly ts: string | undefined;
      readonly form: Form | undefined;
      /** The thread it's in, if it's in one. */
      readonly threadTs: string | undefined;
      /** An earlier attempt had arrived, so it shows what was known then. */
      readonly alreadyPosted: boolean;
    }
  | { readonly is: 'failed'; readonly reason: string; readonly neededScope?: string | undefined }
  | { readonly is: 'dropped' };

/** How an attempt went, for whoever counts on it. `reason` is Slack's code, or ours. */
export type Told =
  | { readonly outcome: 'posted' }
  | { readonly outcome: 'later' | 'failed' | 'skipped'; readonly reason: string };

/** One kind of delivery. */
export interface Kind {
  /** As the table has it. */
  readonly name: string;
  /** What else is recorded of its post, written in one commit with the outcome. Makes nothing due. */
  readonly recorded?: (
    delivery: Delivery,
    /** For a direct message, `channelId` isn't the id that it was sent to. */
    post: { readonly channelId: string; readonly ts: string | undefined },
  ) => readonly Sql[];
  /** What follows from it, written in one commit with the outcome. */
  readonly follows?: (delivery: Delivery, settled: Settled) => Promise<readonly Sql[]>;
  /** Called once the outcome of an attempt is on disk, at least once in the life of a process. */
  readonly told?: (delivery: Delivery, told: Told) => Promise<void>;
  /** What the log says of it besides its id, as far as this process knows. @param sessionEndId the delivery's */
  readonly logged?: (sessionEndId: string) => Readonly<Record<string, string | undefined>>;
  /** Nobody has to act if it doesn't arrive. */
  readonly isNoLoss?: true;
  /**
   * Says what it comes to, or that nobody wants it. Rejects with a ComposeError if that can't be known now.
   *
   * @param changes whether it changes a message that is there
   */
  readonly compose: (
    delivery: Delivery,
    changes: { readonly isShort: boolean } | undefined,
  ) => Promise<Plan | Unwanted | AskOthers>;
  /**
   * For those accepted as `asking`: which of its subscriptions are left from the first one that wants it. Asks Slack and
   * the service, and rejects if they can't be asked.
   */
  readonly wanted?: (delivery: Delivery) => Promise<readonly string[]>;
  /**
   * For one with `replacesId`. `takes`: it takes that message's place, or is posted anew. `changes`: it only changes it, and
   * what wasn't sent yet no longer is. `redraws`: it only changes what is posted.
   */
  readonly replaces?: 'takes' | 'changes' | 'redraws';
}

/** The kinds of this program, by name. */
export type Kinds = ReadonlyMap<string, Kind>;
