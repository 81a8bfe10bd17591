import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import type { Sql } from '../database/database.ts';
import { done, problem, type Message } from '../messages/message.ts';
import { kindOf, todoAbout, type CodeKind } from '../messages/slack-codes.ts';
import { code, count, joined, say, short, type Line } from '../messages/text.ts';
import { queued } from '../outbox/channels.ts';
import { readPayload, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import { entryBy, type NotPosted } from './managing.ts';
import { contentInWords, placeOf } from './messages.ts';
import { noticeGiven, type SubscriptionRepository } from './repository.ts';
import { type Subscription, isDirect } from './subscription.ts';

const INVITE = code('/invite @Co-browse');

/** What Slack's code says of a channel: why nothing is posted, what to do, and how a pause ends; if not by itself, undefined. */
function wordsOf(reason: string, channelId: string) {
  const resumes = 'Resumes with the next post that works.';
  switch (kindOf(reason)) {
    case 'restricted':
    case 'no-thread':
      return {
        why: ['posting there is restricted'],
        todo: ['Ask a workspace admin to let the app post there.'],
        resumes,
      };
    case 'not-in-channel':
      return {
        why: ['I’m not in it'],
        todo: say`Type ${INVITE} in ${placeOf(channelId)}.`,
        resumes: 'Resumes when you invite me back.',
      };
    case 'archived':
      return {
        why: ['it’s archived'],
        todo: ['Unarchive it, or choose another channel.'],
        resumes: 'Resumes when it’s unarchived.',
      };
    case 'deleted':
      return { why: ['it was deleted'], todo: ['Choose another channel.'], resumes: undefined };
    default:
      return { why: ['Slack answered ', code(short(reason, 80))], todo: ['Tell your admin.'], resumes };
  }
}

const whyNoPosts = (reason: string): Line => wordsOf(reason, '').why;
export const whatToDo = (reason: string, channelId: string): Line => wordsOf(reason, channelId).todo;

/** Why a subscription is paused, by the same code: the app was in the channel before. */
export function whyPaused(reason: string): Line {
  if (reason === 'channel_not_found')
    return ['I can’t see it anymore: I was removed, or it has a new ID since it was shared or converted'];
  return kindOf(reason) === 'not-in-channel' ? ['I was removed'] : whyNoPosts(reason);
}

const whenResumed = (reason: string): string | undefined =>
  reason === 'channel_not_found'
    ? 'If I’m still in it, set it up there again. Otherwise it resumes when you invite me back.'
    : wordsOf(reason, '').resumes;

export const notSubscribed = (channelId: string, { outcome, reason }: NotPosted): Message =>
  outcome === 'later'
    ? problem(
        say`Slack didn’t accept the post in ${placeOf(channelId)}, so nothing was set up. Try again in a minute.`,
      )
    : problem(
        say`Nothing was set up for ${placeOf(channelId)}: ${whyNoPosts(reason)}.`,
        say`${whatToDo(reason, channelId)} Then run the command again.`,
      );

const LISTED = 10;

/** Told to whoever set them up, once, about all that they set up in a channel. */
export function subscriptionsPaused(all: readonly Subscription[]): Message {
  const [{ channelId, paused } = { channelId: '', paused: undefined }] = all;
  const reason = paused?.reason ?? 'unknown';
  const [whose, are] = all.length === 1 ? ['subscription', 'is'] : [`${all.length} subscriptions`, 'are'];
  const next = whenResumed(reason);
  return problem(
    say`Your ${whose} for ${placeOf(channelId)} ${are} paused: ${whyPaused(reason)}.`,
    whatToDo(reason, channelId),
    ...all.slice(0, LISTED).map((one) => say`Subscription ${one.id}: ${contentInWords(one)}.`),
    all.length > LISTED && [`And ${count(all.length - LISTED, 'other')}.`],
    next !== undefined && [`${next} I’ll tell you.`],
  );
}

function subscriptionsResumed(all: readonly Subscription[]): Message {
  const [{ channelId } = { channelId: '' }] = all;
  const [whose, work] = all.length === 1 ? ['subscription', 'works'] : ['subscriptions', 'work'];
  const ids = all.map(({ id }) => id);
  return done(
    say`Your ${whose} for ${placeOf(channelId)} ${work} again: ${whose} ${joined(ids, ', ', ' and ')}.`,
  );
}

export const resumed = ({ id, channelId }: Subscription): Message =>
  done(say`${placeOf(channelId)} gets subscription ${id} again.`);

export const stillPaused = ({ id, channelId }: Subscription, reason: string): Message =>
  problem(
    say`Subscription ${id} is still paused. ${placeOf(channelId)} didn’t accept a post: ${whyNoPosts(reason)}.`,
    whatToDo(reason, channelId),
  );

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

const keyOf = ({ workspaceId, channelId }: Subscription) => `${workspaceId} ${channelId}`;

/** A deleted channel doesn't come back, and Slack doesn't say whether the app is in a direct message. */
const mayBeBack = (one: Subscription): boolean =>
  !isDirect(one.channelId) && isChannelsPause(one) && one.paused?.reason !== 'channel_deleted';

type EntryOf = (changed: Subscription) => PreparedEntry;
export type Pauses = ReturnType<typeof createPauses>;

interface PausesApp extends Pick<App, 'stateOf' | 'prepare' | 'now'> {
  readonly outbox: Pick<App['outbox'], 'newId' | 'wake'>;
}

/** These, and what else goes to their channels if it `depends` on those. */
async function withOthers(
  repository: Pick<SubscriptionRepository, 'known'>,
  workspaceId: string,
  ids: readonly string[],
  depends: (other: Subscription) => boolean,
) {
  const all = await repository.known(workspaceId);
  const channels = new Set(all.filter(({ id }) => ids.includes(id)).map(({ channelId }) => channelId));
  return all.filter((one) => ids.includes(one.id) || (channels.has(one.channelId) && depends(one)));
}

/** Pauses subscriptions whose channel refuses posts; never removes one. Owners hear once of that, and once when it works. */
export function createPauses(
  { stateOf, prepare, now, outbox }: PausesApp,
  repository: SubscriptionRepository,
) {
  const byApp =
    (outcome: 'paused' | 'resumed', reason?: string): EntryOf =>
    (one) =>
      entryBy({ prepare }, { ...one, userId: one.setUpBy }, outcome, { by: 'app', reason })(one);
  const telling = (about: 'paused' | 'resumed') => (told: readonly Subscription[]) =>
    ownerStatements(about, told, outbox.newId, now());

  async function pause(workspaceId: string, affected: readonly Subscription[], reason: string) {
    if (affected.length === 0) return;
    const ids = affected.map(({ id }) => id);
    const paused = { reason, since: Math.round(now()) };
    await repository.pause(workspaceId, ids, paused, byApp('paused', reason), telling('paused'));
    outbox.wake();
  }

  async function resume(
    workspaceId: string,
    affected: readonly Subscription[],
    entryOf = byApp('resumed'),
  ): Promise<void> {
    const ids = affected.filter(({ paused }) => paused !== undefined).map(({ id }) => id);
    if (ids.length === 0) return;
    await repository.resume(workspaceId, ids, entryOf, telling('resumed'));
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
      const all = await withOthers(repository, workspaceId, ids, isChannelsPause);
      await resume(workspaceId, all, (one) =>
        (entryOf !== undefined && ids.includes(one.id) ? entryOf : byApp('resumed'))(one),
      );
    },

    changed,

    /** Asks about one paused channel per call: Slack reports a return only once, and the next post may be far off. */
    askAgain: async (): Promise<void> => {
      const paused = (await repository.paused()).filter(mayBeBack);
      if (paused.every((one) => asked.has(keyOf(one)))) asked.clear();
      const next = paused.find((one) => !asked.has(keyOf(one)));
      if (next === undefined) return;
      asked.add(keyOf(next));
      await changed(next.workspaceId, next.channelId, false);
    },
  };
}

const Payload = z.object({ about: z.enum(['paused', 'resumed']) });

/** Queue what the owners of these are due to hear, which is in the subscriptions: one message for all of a channel. */
function ownerStatements(
  about: z.infer<typeof Payload>['about'],
  changed: readonly Subscription[],
  newId: App['outbox']['newId'],
  acceptedAt: number,
): readonly Sql[] {
  const groups = Map.groupBy(
    changed.filter(({ noticeDue }) => noticeDue === about),
    ({ workspaceId, setUpBy, channelId }) => `${workspaceId} ${setUpBy} ${channelId}`,
  );
  return [...groups].flatMap(([group, all]) => {
    const [workspaceId = '', channelId = ''] = group.split(' ');
    const [id, subscriptions] = [newId(), all.map((one) => one.id)];
    const delivery = { id, workspaceId, key: `owner ${id}`, kind: 'owner', channelId, subscriptions };
    return queued({ ...delivery, acceptedAt, payload: { about } });
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
