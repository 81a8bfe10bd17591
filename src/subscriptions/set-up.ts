import { Answered } from '../commands/rights.ts';
import { isZone } from '../messages/days.ts';
import type { Message } from '../messages/message.ts';
import type { Saved } from '../messages/modal.ts';
import type { App } from '../parts.ts';
import type { Actor } from '../permissions/permissions.ts';
import {
  announce,
  entryBy,
  managed,
  maySee,
  mustManage,
  refused,
  tellAndWrite,
  whyNot,
  type Place,
  type Rights,
} from './managing.ts';
import {
  alreadySubscribed,
  noEndsReported,
  noSuchSubscription,
  notInShared,
  subscribed,
  subscriptionChangedMeanwhile,
  subscriptionSaved,
  summariesChanged,
  summariesEnded,
  summariesSetUp,
  tooManySubscriptions,
} from './messages.ts';
import { notSubscribed, type Pauses } from './pauses.ts';
import { nextDue } from './digest-numbers.ts';
import type { SubscriptionRepository } from './repository.ts';
import {
  areSameFilters,
  kindOf,
  type Content,
  type Schedule,
  type ScheduleRequest,
  type Subscription,
  type SubscriptionRequest,
} from './subscription.ts';
import { listForWaits } from './waits.ts';

const MOST = 100;

const ALL_SESSIONS: Content = { filters: { agents: [], groups: [], tags: [] }, form: 'full' };

const timesOf = (schedule: Schedule | undefined): string =>
  [schedule?.weekday, schedule?.onWeekdays, schedule?.hour, schedule?.minute, schedule?.zone].join(' ');

const isSameContent = (one: Content, other: Content): boolean =>
  one.form === other.form &&
  one.remindMinutes === other.remindMinutes &&
  timesOf(one.schedule) === timesOf(other.schedule) &&
  areSameFilters(one.filters, other.filters);

/** What a form says a subscription is to be, and the version it showed: with another one it was changed since. */
interface EditRequest extends SubscriptionRequest {
  readonly schedule: ScheduleRequest | undefined;
  readonly version: number;
}

export type SetUp = ReturnType<typeof createSetUp>;

type SetUpApp = Rights &
  Pick<App, 'isPublic' | 'isShared' | 'reportsEnds' | 'cobrowseOf' | 'prepare' | 'post' | 'now'>;

/** @param zone by default that in the user's profile: channels have none */
async function inZone(app: SetUpApp, request: ScheduleRequest, caller: Actor, zone?: string) {
  const named = zone ?? (await app.profileOf(caller.workspaceId, caller.userId)).timeZone;
  // Slack may name one that this machine doesn't know.
  return { ...request, zone: named !== undefined && isZone(named) ? named : 'UTC' };
}

/** @throws Answered, or a CobrowseError where the service can't be asked */
async function mustHear(app: SetUpApp, content: Content, { workspaceId, channelId }: Place) {
  if (kindOf(content) !== 'waits') {
    if (!(await app.reportsEnds(workspaceId))) throw new Answered(noEndsReported());
    return;
  }
  const isShared = await app.isShared(workspaceId, channelId);
  if (isShared !== false) throw new Answered(notInShared(channelId, isShared));
  await listForWaits(await app.cobrowseOf(workspaceId));
}

async function lookBeside(
  repository: SubscriptionRepository,
  { workspaceId, channelId, id, ...content }: Content & Place & Partial<Pick<Subscription, 'id'>>,
) {
  const all = await repository.of(workspaceId);
  const kind = kindOf(content);
  const isRival = (one: Subscription) =>
    kind === 'summaries' ? isSameContent(one, content) : kindOf(one) === kind;
  const rival = all.find((one) => one.id !== id && one.channelId === channelId && isRival(one));
  return { rival, isFull: all.length >= MOST };
}

function createAdding(app: SetUpApp, repository: SubscriptionRepository) {
  /** @param named the caller's channel without one */
  async function setUp(named: string | undefined, content: Content, caller: Actor): Promise<Message | Saved> {
    const { workspaceId, userId } = caller;
    const channelId = named ?? caller.channelId;
    if (channelId === undefined) return noSuchSubscription();
    const place = { workspaceId, channelId };
    await mustManage(app, caller, channelId);
    await mustHear(app, content, place);
    const { rival, isFull } = await lookBeside(repository, { ...place, ...content });
    if (rival !== undefined && isSameContent(rival, content)) return alreadySubscribed(rival);
    if (rival === undefined && isFull) return tooManySubscriptions(MOST);
    const added = await tellAndWrite(
      app,
      place,
      summariesSetUp(userId, content, rival),
      () => {
        const setUpAt = Math.round(app.now());
        const nextAt = content.schedule && nextDue(content.schedule, setUpAt);
        const one = { ...content, ...place, setUpBy: userId, setUpAt };
        return repository.add(one, MOST, nextAt, entryBy(app, caller, 'set-up'));
      },
      async (posted) => {
        await app.record({ ...place, userId, action: 'subscription', outcome: posted.reason });
        return notSubscribed(channelId, posted);
      },
    );
    if (added !== undefined) return { saved: subscribed(added, rival) };
    const { rival: faster } = await lookBeside(repository, { ...place, ...content });
    return faster === undefined ? tooManySubscriptions(MOST) : alreadySubscribed(faster);
  }

  return {
    subscribe: ({ channelId, ...content }: SubscriptionRequest, caller: Actor) =>
      setUp(channelId, content, caller),

    /** A refusal for people who can't set anything up in any channel; undefined for everyone else. */
    async refuse(caller: Actor): Promise<Message | undefined> {
      const { channelId, workspaceId } = caller;
      if (!(await app.reportsEnds(workspaceId))) return noEndsReported();
      if (channelId === undefined) return undefined;
      const why = await whyNot(app, caller, channelId);
      // They can choose another channel.
      if (why === undefined || why === 'not-member' || why === 'unknown') return undefined;
      return refused(app, caller, why, channelId);
    },

    /** A digest in the caller's time zone. Replaces the channel's digest, if it has one. */
    async digest(channelId: string | undefined, request: ScheduleRequest, caller: Actor) {
      const schedule = await inZone(app, request, caller);
      return setUp(channelId, { ...ALL_SESSIONS, schedule }, caller);
    },
  };
}

export function createSetUp(
  app: SetUpApp,
  repository: SubscriptionRepository,
  pauses: Pick<Pauses, 'worked'>,
) {
  /** What there is to edit. @throws Answered for who may not change it or may not know of its channel */
  async function toEdit(id: string, caller: Actor): Promise<Subscription> {
    const found = await managed(app, caller, await repository.one(caller.workspaceId, id));
    if (!(await maySee(app, caller, found))) throw new Answered(noSuchSubscription());
    return found;
  }

  return {
    ...createAdding(app, repository),
    toEdit,

    /** {@link Saved} where the channel could be told, or nothing had to change. */
    async edit(id: string, request: EditRequest, caller: Actor): Promise<Message | Saved> {
      const before = await toEdit(id, caller);
      if (before.version !== request.version) return subscriptionChangedMeanwhile();
      const { workspaceId, userId } = caller;
      const { filters, form, remindMinutes, channelId = before.channelId } = request;
      const isMoved = channelId !== before.channelId;
      if (isMoved) await mustManage(app, caller, channelId);
      if (isMoved) await mustHear(app, before, { workspaceId, channelId });
      // A digest keeps its time zone; a new one gets the editor's.
      const schedule =
        request.schedule && (await inZone(app, request.schedule, caller, before.schedule?.zone));
      const after = { ...before, channelId, filters, form, schedule, remindMinutes };
      if (!isMoved && isSameContent(before, after)) return { saved: subscriptionSaved(before) };
      const isSameTime = timesOf(before.schedule) === timesOf(schedule);
      const nextAt = isSameTime ? undefined : schedule && nextDue(schedule, Math.round(app.now()));
      const save = () => repository.edit(after, nextAt, entryBy(app, caller, 'edited'));
      const saved = isMoved
        ? await tellAndWrite(app, after, summariesSetUp(userId, after), save, (posted) =>
            notSubscribed(channelId, posted),
          )
        : await save();
      if (saved === undefined) {
        const { rival } = await lookBeside(repository, after);
        return rival === undefined ? subscriptionChangedMeanwhile() : alreadySubscribed(rival);
      }
      const news = isMoved ? summariesEnded(userId, before) : summariesChanged(userId, before, saved);
      const announced = await announce(app, before, news);
      const isTold = isMoved || announced.outcome === 'posted';
      if (before.paused !== undefined && isTold) await pauses.worked(workspaceId, channelId);
      return isTold ? { saved: subscriptionSaved(saved) } : subscriptionSaved(saved, false);
    },
  };
}
