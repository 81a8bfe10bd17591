import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import type { Sql } from '../database/database.ts';
import { done, problem, type Message } from '../messages/message.ts';
import { kindOf, todoAbout, type CodeKind } from '../messages/slack-codes.ts';
import { code, joined, say, short, type Line } from '../messages/text.ts';
import { queuedAll } from '../outbox/channels.ts';
import { readPayload, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import { entryBy, type NotPosted } from './managing.ts';
import { contentInWords, placeOf } from './messages.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isDirect, type Subscription } from './subscription.ts';

const INVITE = code('/invite @Co-browse');

type Words = readonly [why: Line, todo: Line, resumes?: string];

/** What Slack's code says of a channel. Without `resumes`, a pause doesn't end by itself. */
function wordsOf(reason: string, channelId: string): Words {
  const resumes = 'Resumes with the next post that works.';
  switch (kindOf(reason)) {
    case 'restricted':
    case 'no-thread':
      return [['posting there is restricted'], ['Ask a workspace admin to let the app post there.'], resumes];
    case 'not-in-channel':
      return [
        ['I’m not in it'],
        say`Type ${INVITE} in ${placeOf(channelId)}.`,
        'Resumes when you invite me back.',
      ];
    case 'archived':
      return [
        ['it’s archived'],
        ['Unarchive it, or choose another channel.'],
        'Resumes when it’s unarchived.',
      ];
    case 'deleted':
      return [['it was deleted'], ['Choose another channel.']];
    default:
      return [['Slack answered ', code(short(reason, 80))], ['Tell your admin.'], resumes];
  }
}

export const whyNoPosts = (reason: string): Line => wordsOf(reason, '')[0];
export const whatToDo = (reason: string, channelId: string): Line => wordsOf(reason, channelId)[1];

export const notSubscribed = (channelId: string, { outcome, reason }: NotPosted): Message =>
  outcome === 'later'
    ? problem(
        say`Slack didn’t accept the post in ${placeOf(channelId)}, so nothing was set up. Try again in a minute.`,
      )
    : problem(
        say`Nothing was set up for ${placeOf(channelId)}: ${whyNoPosts(reason)}.`,
        say`${whatToDo(reason, channelId)} Then run the command again.`,
      );

/** Told to whoever set them up, once, about all that they set up in a channel. */
export function subscriptionsPaused(all: readonly Subscription[]): Message {
  const [{ channelId, paused } = { channelId: '', paused: undefined }] = all;
  const reason = paused?.reason ?? 'unknown';
  const [whose, are] = all.length === 1 ? ['subscription', 'is'] : [`${all.length} subscriptions`, 'are'];
  const [, todo, resumes] = wordsOf(reason, channelId);
  return problem(
    say`Your ${whose} for ${placeOf(channelId)} ${are} paused: ${whyNoPosts(reason)}.`,
    todo,
    ...all.map((one) => say`Subscription ${one.id}: ${contentInWords(one)}.`),
    resumes !== undefined && [`${resumes} I’ll tell you.`],
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

/** A deleted channel doesn't come back, and Slack doesn't say whether the app is in a direct message. */
const mayBeBack = (one: Subscription): boolean =>
  !isDirect(one.channelId) && isChannelsPause(one) && one.paused?.reason !== 'channel_deleted';

type EntryOf = (changed: Subscription) => PreparedEntry;
export type Pauses = ReturnType<typeof createPauses>;

interface PausesApp extends Pick<App, 'stateOf' | 'prepare' | 'now'> {
  readonly outbox: Pick<App['outbox'], 'newId' | 'wake'>;
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

  async function pause(workspaceId: string, channelId: string, reason: string): Promise<void> {
    const paused = { reason, since: Math.round(now()) };
    await repository.pause(workspaceId, channelId, paused, byApp('paused', reason), telling('paused'));
    outbox.wake();
  }

  const ofChannel = async (workspaceId: string, channelId: string) =>
    (await repository.of(workspaceId)).filter((one) => one.channelId === channelId);

  /** A post arrived in a channel. @param entryOf the entry if a person tried it; otherwise the audit names the app */
  async function worked(workspaceId: string, channelId: string, entryOf = byApp('resumed')): Promise<void> {
    const there = await ofChannel(workspaceId, channelId);
    if (there.every(({ paused }) => paused === undefined)) return;
    await repository.resume(workspaceId, channelId, entryOf, telling('resumed'));
    outbox.wake();
  }

  /** Asks Slack for a channel's state: events repeat and come in any order. @param isDeleted what only the event can say */
  async function changed(workspaceId: string, channelId: string, isDeleted: boolean): Promise<void> {
    const there = await ofChannel(workspaceId, channelId);
    if (there.length === 0) return;
    const state = await stateOf(workspaceId, channelId);
    const reason = state === 'not-found' && isDeleted ? 'channel_deleted' : REASONS[state];
    if (reason !== undefined) await pause(workspaceId, channelId, reason);
    else if (state === 'member' && there.some(isChannelsPause)) await worked(workspaceId, channelId);
  }

  let turn = 0;

  return {
    worked,
    changed,

    /** Asks about one paused channel per call: Slack reports a return once, and nothing else would find it out. */
    askAgain: async (): Promise<void> => {
      const paused = (await repository.paused()).filter(mayBeBack);
      turn += 1;
      const next = paused[turn % paused.length];
      if (next !== undefined) await changed(next.workspaceId, next.channelId, false);
    },

    /** A post to a channel failed for good. If that's because of the channel's state, what goes there is paused. */
    async failed(workspaceId: string, channelId: string, reason: string): Promise<void> {
      if (isStaying(reason)) await pause(workspaceId, channelId, reason);
    },
  };
}

const Payload = z.object({ about: z.enum(['paused', 'resumed']) });

/** Queue what the owners of a channel's subscriptions are to hear: one message each. */
function ownerStatements(
  about: z.infer<typeof Payload>['about'],
  changed: readonly Subscription[],
  newId: App['outbox']['newId'],
  acceptedAt: number,
): readonly Sql[] {
  const groups = Map.groupBy(changed, ({ workspaceId, setUpBy }) => `${workspaceId} ${setUpBy}`);
  const deliveries = [...groups].map(([group, all]) => {
    const [workspaceId = '', channelId = ''] = group.split(' ');
    const [id, subscriptions] = [newId(), all.map((one) => one.id)];
    const delivery = { id, workspaceId, key: `owner ${id}`, kind: 'owner', channelId, subscriptions };
    return { ...delivery, acceptedAt, payload: { about } };
  });
  return queuedAll(deliveries);
}

export const createOwnerKind = (repository: Pick<SubscriptionRepository, 'of'>): Kind => ({
  name: 'owner',
  async render({ workspaceId, subscriptions, payload }) {
    const { about } = readPayload(Payload, payload);
    const told = (await repository.of(workspaceId)).filter(
      ({ id, paused }) => subscriptions.includes(id) && (paused === undefined) === (about === 'resumed'),
    );
    if (told.length === 0) return { unwanted: 'superseded' };
    return {
      message: async () => (about === 'paused' ? subscriptionsPaused(told) : subscriptionsResumed(told)),
    };
  },
});
