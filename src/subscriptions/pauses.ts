import type { Subscription } from '../model/subscription.ts';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import type { TroubleKind } from '../views/delivery-words.ts';
import type { EntryOf, SubscriptionRepository } from './repository.ts';
import type { Owners } from './owners.ts';

/** How many notices are sent per round. */
const MOST_NOTICES = 500;

/** What keeps a channel, or a person, from getting posts until somebody does something. */
const STAYING: ReadonlySet<TroubleKind> = new Set([
  'not-in-channel',
  'archived',
  'restricted',
  'missing-scope',
  'unreachable-person',
]);
/** The same for codes without a kind of their own. Source: chat.postMessage, Errors. */
const STAYING_CODES = new Set(['no_permission', 'team_access_not_granted', 'ekm_access_denied']);
/** What Slack's answer about a channel can disprove without a post. */
const SEEN_WITHOUT_POST = new Set(['channel_not_found', 'not_in_channel', 'is_archived', 'channel_deleted']);

export const isSeenWithoutPost = (reason: string) => SEEN_WITHOUT_POST.has(reason);

/** Whether the app may post in a channel, as Slack says now. */
export type ChannelState = 'member' | 'not-member' | 'archived' | 'not-found' | 'unknown';

export interface PausesParts {
  readonly repository: SubscriptionRepository;
  readonly owners: Owners;
  /** What one of Slack's codes means. */
  readonly kindOf: (code: string) => TroubleKind;
  readonly stateOf: (workspaceId: string, channelId: string) => Promise<ChannelState>;
  /** The audit entry, to be written together with the change. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  readonly now: () => number;
}

/**
 * Pauses subscriptions whose channel doesn't accept posts, keeps the reason, and tells whoever set them up once, and again
 * when it works. Never removes one.
 */
export interface Pauses {
  /** A post failed for good. */
  failed(workspaceId: string, id: string, reason: string): Promise<void>;
  /**
   * A post succeeded.
   *
   * @param entryOf what the audit says if a person tried it; otherwise it says that the app did
   */
  worked(workspaceId: string, id: string, entryOf?: EntryOf): Promise<void>;
  /**
   * Something happened to a channel. Asks Slack for its current state: events come more than once and in any order.
   *
   * @param isDeleted what only the event can say
   */
  readonly changed: (workspaceId: string, channelId: string, isDeleted: boolean) => Promise<void>;
  /** Sends every notice that hasn't been sent yet. */
  readonly tellOwners: () => Promise<void>;
}

function reasonOf(state: ChannelState, isDeleted: boolean): string | undefined {
  switch (state) {
    case 'archived':
      return 'is_archived';
    case 'not-member':
      return 'not_in_channel';
    case 'not-found':
      return isDeleted ? 'channel_deleted' : 'channel_not_found';
    default:
      return undefined;
  }
}

/** Slack only says "not found" for a deleted channel. */
function isLessKnown(reason: string, { paused }: Subscription): boolean {
  return reason === 'channel_not_found' && paused?.reason === 'channel_deleted';
}

export function createPauses({ repository, owners, kindOf, stateOf, prepare, now }: PausesParts): Pauses {
  function entryByApp(
    { workspaceId, setUpBy, channelId, id }: Subscription,
    outcome: string,
    reason?: string,
  ) {
    const detail = { subscription: id, by: 'app', ...(reason === undefined ? {} : { reason }) };
    return prepare({ workspaceId, userId: setUpBy, channelId, action: 'subscription', outcome, detail });
  }

  async function pause(workspaceId: string, id: string, reason: string): Promise<void> {
    let begins = false;
    const paused = await repository.change(
      workspaceId,
      id,
      (latest) => {
        begins = latest.paused === undefined;
        if (latest.paused?.reason === reason || isLessKnown(reason, latest)) return latest;
        if (latest.paused !== undefined) return { ...latest, paused: { ...latest.paused, reason } };
        return { ...latest, paused: { reason, since: Math.round(now()) }, noticeDue: 'paused' };
      },
      (changed) => (begins ? entryByApp(changed, 'paused', reason) : undefined),
    );
    if (paused === undefined || !begins) return;
    await owners.notify(paused);
  }

  async function resume(
    workspaceId: string,
    id: string,
    entryOf: EntryOf = (resumed) => entryByApp(resumed, 'resumed'),
  ): Promise<void> {
    let ends = false;
    const resumed = await repository.change(
      workspaceId,
      id,
      (latest) => {
        const { paused, noticeDue, ...rest } = latest;
        ends = paused !== undefined;
        if (!ends) return latest;
        // If they never heard of the pause, they needn't hear that it ended.
        return noticeDue === 'paused' && !owners.mayKnowOfPause(latest)
          ? rest
          : { ...rest, noticeDue: 'resumed' };
      },
      entryOf,
    );
    if (resumed === undefined || !ends) return;
    await owners.notify(resumed);
  }

  return {
    async failed(workspaceId, id, reason) {
      if (STAYING.has(kindOf(reason)) || STAYING_CODES.has(reason)) await pause(workspaceId, id, reason);
    },
    worked: resume,

    async changed(workspaceId, channelId, isDeleted) {
      const there = (await repository.of(workspaceId)).filter((one) => one.channelId === channelId);
      if (there.length === 0) return;
      const state = await stateOf(workspaceId, channelId);
      const reason = reasonOf(state, isDeleted);
      for (const { id, paused } of there) {
        if (reason !== undefined) await pause(workspaceId, id, reason);
        else if (state === 'member' && isSeenWithoutPost(paused?.reason ?? '')) await resume(workspaceId, id);
      }
    },

    async tellOwners() {
      for (const subscription of await repository.withNoticeDue(MOST_NOTICES))
        await owners.notify(subscription);
    },
  };
}
