import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import type { Sql } from '../database/database.ts';
import { kindOf, todoAbout, type CodeKind } from '../messages/slack-codes.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import { entryBy } from './managing.ts';
import { subscriptionsPaused, subscriptionsResumed } from './pause-messages.ts';
import { noticeGiven, type SubscriptionRepository } from './repository.ts';
import { isDirect, type Subscription } from './subscription.ts';

/** What keeps a channel, or a person, from getting posts until somebody does something. */
const isStaying = (reason: string) =>
  ['ask', 'outside-thread'].includes(todoAbout(reason)) || kindOf(reason) === 'unreachable-person';

const SEEN_WITHOUT_POST: ReadonlySet<CodeKind> = new Set<CodeKind>(['not-in-channel', 'archived', 'deleted']);

/** Whether Slack's answer about a channel can disprove it without a post. */
export const isSeenWithoutPost = (reason: string) => SEEN_WITHOUT_POST.has(kindOf(reason));

const REASONS: Partial<Record<ChannelState, string>> = {
  archived: 'is_archived',
  'not-member': 'not_in_channel',
  'not-found': 'channel_not_found',
};

const isChannelsPause = ({ paused }: Subscription) => isSeenWithoutPost(paused?.reason ?? '');

const MOST_PAUSED = 1_000;

const keyOf = ({ workspaceId, channelId }: Subscription) => `${workspaceId} ${channelId}`;

/** A deleted channel doesn't come back, and Slack doesn't say whether the app is in a direct message. */
const mayBeBack = (one: Subscription): boolean =>
  !isDirect(one.channelId) && isChannelsPause(one) && one.paused?.reason !== 'channel_deleted';

type EntryOf = (changed: Subscription) => PreparedEntry;
export type Pauses = ReturnType<typeof createPauses>;

/** These, and what else goes to their channels if it `depends` on those. */
async function withOthers(
  repository: Pick<SubscriptionRepository, 'known'>,
  workspaceId: string,
  ids: readonly string[],
  depends: (other: Subscription) => boolean,
): Promise<readonly Subscription[]> {
  const all = await repository.known(workspaceId);
  const channels = new Set(all.filter(({ id }) => ids.includes(id)).map(({ channelId }) => channelId));
  return all.filter((one) => ids.includes(one.id) || (channels.has(one.channelId) && depends(one)));
}

interface PausesApp extends Pick<App, 'stateOf' | 'prepare' | 'now'> {
  readonly outbox: Pick<App['outbox'], 'wake'>;
}

/** Pauses subscriptions whose channel refuses posts; never removes one. Owners hear once of that, and once when it works. */
export function createPauses(
  { stateOf, prepare, now, outbox }: PausesApp,
  repository: SubscriptionRepository,
) {
  const entryByApp =
    (outcome: 'paused' | 'resumed', reason?: string): EntryOf =>
    (one) =>
      entryBy({ prepare }, { ...one, userId: one.setUpBy }, outcome, { by: 'app', reason })(one);

  async function pause(
    workspaceId: string,
    affected: readonly Subscription[],
    reason: string,
  ): Promise<void> {
    if (affected.length === 0) return;
    const ids = affected.map(({ id }) => id);
    const paused = { reason, since: Math.round(now()) };
    await repository.pause(workspaceId, ids, paused, entryByApp('paused', reason));
    outbox.wake();
  }

  async function resume(
    workspaceId: string,
    affected: readonly Subscription[],
    entryOf = entryByApp('resumed'),
  ): Promise<void> {
    const ids = affected.filter(({ paused }) => paused !== undefined).map(({ id }) => id);
    if (ids.length === 0) return;
    await repository.resume(workspaceId, ids, entryOf);
    outbox.wake();
  }

  /** Asks Slack for a channel's state: events repeat and come in any order. @param isDeleted what only the event can say */
  async function changed(workspaceId: string, channelId: string, isDeleted: boolean): Promise<void> {
    const there = (await repository.of(workspaceId)).filter((one) => one.channelId === channelId);
    if (there.length === 0) return;
    const state = await stateOf(workspaceId, channelId);
    const reason = state === 'not-found' && isDeleted ? 'channel_deleted' : REASONS[state];
    if (reason !== undefined) await pause(workspaceId, there, reason);
    if (state === 'member') await resume(workspaceId, there.filter(isChannelsPause));
  }

  const asked = new Set<string>();

  return {
    /** A post for these failed for good. If that's because of their channel's state, all that goes there is paused. */
    async failed(workspaceId: string, ids: readonly string[], reason: string): Promise<void> {
      if (!isStaying(reason)) return;
      const affected = await withOthers(repository, workspaceId, ids, () => isSeenWithoutPost(reason));
      await pause(workspaceId, affected, reason);
    },

    /** A post for these succeeded. @param entryOf the entry if a person tried it; for the others, the audit names the app */
    async worked(workspaceId: string, ids: readonly string[], entryOf?: EntryOf): Promise<void> {
      const byApp = entryByApp('resumed');
      await resume(workspaceId, await withOthers(repository, workspaceId, ids, isChannelsPause), (one) =>
        (ids.includes(one.id) ? (entryOf ?? byApp) : byApp)(one),
      );
    },

    changed,

    /** Asks about one paused channel per call: Slack reports a return only once, and the next post may be far off. */
    askAgain: async (): Promise<void> => {
      const paused = (await repository.paused(MOST_PAUSED)).filter(mayBeBack);
      if (paused.every((one) => asked.has(keyOf(one)))) asked.clear();
      const next = paused.find((one) => !asked.has(keyOf(one)));
      if (next === undefined) return;
      asked.add(keyOf(next));
      await changed(next.workspaceId, next.channelId, false);
    },
  };
}

/* What owners are due to hear is in the subscriptions; a delivery says it, and does nothing if it has been said. */

const Payload = z.object({ about: z.enum(['paused', 'resumed']) });

/** Statements that queue what the owners of these are due: one message for all in a channel. */
export function ownerStatements(
  due: readonly Subscription[],
  newId: App['outbox']['newId'],
  time: number,
): readonly Sql[] {
  const isDue = due.filter(({ noticeDue }) => noticeDue !== undefined);
  const groups = Map.groupBy(isDue, ({ workspaceId, setUpBy, channelId, noticeDue }) =>
    JSON.stringify([workspaceId, setUpBy, channelId, noticeDue]),
  );
  // Always in the same order, so that no two wait for each other's direct messages.
  const inOrder = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.flatMap(([, all]) => {
    const [first] = all;
    if (first === undefined) return [];
    const { workspaceId, setUpBy, noticeDue } = first;
    const id = newId();
    const delivery = {
      id,
      workspaceId,
      key: `owner ${id}`,
      kind: 'owner',
      channelId: setUpBy,
      subscriptions: all.map((one) => one.id),
      acceptedAt: time,
      payload: { about: noticeDue },
    };
    return [insertDelivery(delivery), wakeChannelOf(id)];
  });
}

export const createOwnerKind = (repository: Pick<SubscriptionRepository, 'known'>): Kind => ({
  name: 'owner',
  async render({ workspaceId, subscriptions, payload }) {
    const { about } = readPayload(Payload, payload);
    const told = (await repository.known(workspaceId)).filter(
      ({ id, noticeDue }) => noticeDue === about && subscriptions.includes(id),
    );
    if (told.length === 0) return { unwanted: 'superseded' };
    return {
      message: async () => (about === 'paused' ? subscriptionsPaused(told) : subscriptionsResumed(told)),
    };
  },
  /** Somebody who can't be reached at all isn't tried again. */
  async onSettled({ workspaceId, subscriptions, payload }) {
    const { data } = Payload.safeParse(payload);
    return data === undefined ? [] : [noticeGiven(workspaceId, subscriptions, data.about)];
  },
});
