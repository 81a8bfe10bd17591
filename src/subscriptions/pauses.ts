import type { PreparedEntry } from '../audit/audit.ts';
import { kindOf, todoAbout, type CodeKind } from '../messages/slack-codes.ts';
import type { App } from '../parts.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isDirect, type Subscription } from './subscription.ts';

/** What keeps a channel, or a person, from getting posts until somebody does something. */
const isStaying = (reason: string) =>
  ['ask', 'outside-thread'].includes(todoAbout(reason)) || kindOf(reason) === 'unreachable-person';

const SEEN_WITHOUT_POST: ReadonlySet<CodeKind> = new Set<CodeKind>(['not-in-channel', 'archived', 'deleted']);

/** Whether Slack's answer about a channel can disprove it without a post. */
export const isSeenWithoutPost = (reason: string) => SEEN_WITHOUT_POST.has(kindOf(reason));

/** @param isDeleted what only an event can say */
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

const isChannelsPause = ({ paused }: Subscription) => isSeenWithoutPost(paused?.reason ?? '');

const MOST_PAUSED = 1_000;

const keyOf = ({ workspaceId, channelId }: Subscription) => `${workspaceId} ${channelId}`;

/** A deleted channel doesn't come back, and Slack doesn't say whether the app is in a direct message. */
const mayBeBack = ({ channelId, paused: { reason } = { reason: '', since: 0 } }: Subscription): boolean =>
  !isDirect(channelId) && isSeenWithoutPost(reason) && reason !== 'channel_deleted';

export type Pauses = ReturnType<typeof createPauses>;
/** Ends a pause: the channel accepted a post. @param entryOf what the audit says if a person tried it */
export type Resume = (one: Subscription, entryOf?: (changed: Subscription) => PreparedEntry) => Promise<void>;

/**
 * Pauses subscriptions whose channel doesn't accept posts, keeps the reason, and tells whoever set them up once, and again
 * when it works. Never removes one.
 */
export function createPauses(
  {
    stateOf,
    prepare,
    outbox,
    now,
  }: Pick<App, 'stateOf' | 'prepare' | 'now'> & { readonly outbox: Pick<App['outbox'], 'wake'> },
  repository: SubscriptionRepository,
) {
  const entryByApp = (
    { workspaceId, setUpBy, channelId, id }: Subscription,
    outcome: 'paused' | 'resumed',
    reason?: string,
  ) =>
    prepare({
      workspaceId,
      userId: setUpBy,
      channelId,
      action: 'subscription',
      outcome,
      detail: { subscription: id, by: 'app', reason },
    });

  async function pause(
    workspaceId: string,
    affected: readonly Subscription[],
    reason: string,
  ): Promise<void> {
    if (affected.length === 0) return;
    const paused = { reason, since: Math.round(now()) };
    const ids = affected.map(({ id }) => id);
    await repository.pause(workspaceId, ids, paused, (one) => entryByApp(one, 'paused', reason));
    outbox.wake();
  }

  async function resume(
    workspaceId: string,
    affected: readonly Subscription[],
    entryOf: (one: Subscription) => PreparedEntry | undefined = () => undefined,
  ): Promise<void> {
    const ids = affected.filter(({ paused }) => paused !== undefined).map(({ id }) => id);
    if (ids.length === 0) return;
    await repository.resume(workspaceId, ids, (one) => entryOf(one) ?? entryByApp(one, 'resumed'));
    outbox.wake();
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

  /**
   * Something happened to a channel. Asks Slack for its current state: events come more than once and in any order.
   *
   * @param isDeleted what only the event can say
   */
  async function changed(workspaceId: string, channelId: string, isDeleted: boolean): Promise<void> {
    const there = (await repository.of(workspaceId)).filter((one) => one.channelId === channelId);
    if (there.length === 0) return;
    const state = await stateOf(workspaceId, channelId);
    const reason = reasonOf(state, isDeleted);
    if (reason !== undefined) await pause(workspaceId, there, reason);
    if (state === 'member') await resume(workspaceId, there.filter(isChannelsPause));
  }

  const asked = new Set<string>();
  /**
   * Asks Slack for the state of one paused channel, the next one with each call. Slack reports a channel's return only once,
   * perhaps while it couldn't be asked; and with narrow filters it may take long until a post would show it.
   */
  async function askAgain(): Promise<void> {
    const paused = (await repository.paused(MOST_PAUSED)).filter(mayBeBack);
    if (paused.every((one) => asked.has(keyOf(one)))) asked.clear();
    const next = paused.find((one) => !asked.has(keyOf(one)));
    if (next === undefined) return;
    asked.add(keyOf(next));
    await changed(next.workspaceId, next.channelId, false);
  }

  return {
    /** A post for these failed for good. If that's because of their channel's state, all that goes there is paused. */
    async failed(workspaceId: string, ids: readonly string[], reason: string): Promise<void> {
      if (!isStaying(reason)) return;
      await pause(workspaceId, await withOthers(workspaceId, ids, () => isSeenWithoutPost(reason)), reason);
    },

    /**
     * A post for these succeeded.
     *
     * @param entryOf what the audit says if a person tried it; otherwise it says that the app did
     */
    async worked(
      workspaceId: string,
      ids: readonly string[],
      entryOf?: (changed: Subscription) => PreparedEntry,
    ): Promise<void> {
      await resume(workspaceId, await withOthers(workspaceId, ids, isChannelsPause), (one) =>
        ids.includes(one.id) ? entryOf?.(one) : undefined,
      );
    },

    changed,

    askAgain,
  };
}
