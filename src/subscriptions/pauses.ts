import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import { kindOf, todoAbout, type CodeKind } from '../messages/slack-codes.ts';
import type { SubscriptionRepository } from './repository.ts';
import type { Subscription } from './subscription.ts';

/** What keeps a channel, or a person, from getting posts until somebody does something. */
const STAYING: ReadonlySet<ReturnType<typeof todoAbout>> = new Set(['ask', 'outside-thread']);
const isStaying = (reason: string) =>
  STAYING.has(todoAbout(reason)) || kindOf(reason) === 'unreachable-person';
const SEEN_WITHOUT_POST: ReadonlySet<CodeKind> = new Set<CodeKind>(['not-in-channel', 'archived', 'deleted']);

/** Whether Slack's answer about a channel can disprove it without a post. */
export const isSeenWithoutPost = (reason: string) => SEEN_WITHOUT_POST.has(kindOf(reason));

export interface PausesParts {
  readonly repository: SubscriptionRepository;
  readonly stateOf: (workspaceId: string, channelId: string) => Promise<ChannelState>;
  /** The audit entry, to be written together with the change. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  /** Called once what owners are due may be sent. */
  readonly wake: () => void;
  readonly now: () => number;
}

/**
 * Pauses subscriptions whose channel doesn't accept posts, keeps the reason, and tells whoever set them up once, and again
 * when it works. Never removes one.
 */
export interface Pauses {
  /** A post for these failed for good. If that's because of their channel's state, all that goes there is paused. */
  failed(workspaceId: string, ids: readonly string[], reason: string): Promise<void>;
  /**
   * A post for these succeeded.
   *
   * @param entryOf what the audit says if a person tried it; otherwise it says that the app did
   */
  worked(
    workspaceId: string,
    ids: readonly string[],
    entryOf?: (changed: Subscription) => PreparedEntry,
  ): Promise<void>;
  /**
   * Something happened to a channel. Asks Slack for its current state: events come more than once and in any order.
   *
   * @param isDeleted what only the event can say
   */
  readonly changed: (workspaceId: string, channelId: string, isDeleted: boolean) => Promise<void>;
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

export function createPauses({ repository, stateOf, prepare, wake, now }: PausesParts): Pauses {
  function entryByApp(
    { workspaceId, setUpBy, channelId, id }: Subscription,
    outcome: string,
    reason?: string,
  ) {
    const detail = { subscription: id, by: 'app', reason };
    return prepare({ workspaceId, userId: setUpBy, channelId, action: 'subscription', outcome, detail });
  }

  async function pause(affected: readonly Subscription[], reason: string): Promise<void> {
    const [first] = affected;
    if (first === undefined) return;
    const paused = { reason, since: Math.round(now()) };
    const ids = affected.map(({ id }) => id);
    await repository.pause(first.workspaceId, ids, paused, (one) => entryByApp(one, 'paused', reason));
    wake();
  }

  async function resume(
    affected: readonly Subscription[],
    entryOf: (one: Subscription) => PreparedEntry = (one) => entryByApp(one, 'resumed'),
  ): Promise<void> {
    const paused = affected.filter((one) => one.paused !== undefined);
    const [first] = paused;
    if (first === undefined) return;
    const ids = paused.map(({ id }) => id);
    await repository.resume(first.workspaceId, ids, entryOf);
    wake();
  }

  /** These, and what else goes to their channels if it `depends` on those. */
  async function withOthers(
    workspaceId: string,
    ids: readonly string[],
    depends: (other: Subscription) => boolean,
  ): Promise<readonly Subscription[]> {
    const all = await repository.known(workspaceId);
    const channels = new Set(all.filter(({ id }) => ids.includes(id)).map(({ channelId }) => channelId));
    return all.filter((one) => ids.includes(one.id) || (channels.has(one.channelId) && depends(one)));
  }

  return {
    async failed(workspaceId, ids, reason) {
      if (!isStaying(reason)) return;
      const affected = await withOthers(workspaceId, ids, () => isSeenWithoutPost(reason));
      await pause(affected, reason);
    },

    async worked(workspaceId, ids, entryOf) {
      const affected = await withOthers(workspaceId, ids, ({ paused }) =>
        isSeenWithoutPost(paused?.reason ?? ''),
      );
      await resume(affected, (one) =>
        entryOf !== undefined && ids.includes(one.id) ? entryOf(one) : entryByApp(one, 'resumed'),
      );
    },

    async changed(workspaceId, channelId, isDeleted) {
      const there = (await repository.of(workspaceId)).filter((one) => one.channelId === channelId);
      if (there.length === 0) return;
      const state = await stateOf(workspaceId, channelId);
      const reason = reasonOf(state, isDeleted);
      if (reason !== undefined) await pause(there, reason);
      if (state === 'member')
        await resume(there.filter(({ paused }) => isSeenWithoutPost(paused?.reason ?? '')));
    },
  };
}
