import type { Message } from '../messages/message.ts';
import type { Saved } from '../messages/modal.ts';
import { RightUnknownError, type Actor } from '../permissions/acts.ts';
import { isZone } from '../messages/days.ts';
import type { Announce, TellAndWrite } from './announce.ts';
import type { AuditEntries } from './audit-entries.ts';
import type { MayManage } from './may-manage.ts';
import {
  alreadySubscribed,
  noEndsReported,
  noSuchSubscription,
  subscribed,
  subscriptionChangedMeanwhile,
  subscriptionSaved,
  summariesChanged,
  summariesEnded,
  summariesSetUp,
  tooManySubscriptions,
  type Content,
} from './messages.ts';
import { notSubscribed } from './pause-messages.ts';
import { nextDue } from './periods.ts';
import type { SubscriptionRepository } from './repository.ts';
import {
  areSameFilters,
  type Schedule,
  type ScheduleRequest,
  type Subscription,
  type SubscriptionRequest,
} from './subscription.ts';

const MOST = 100;

export interface SetUpParts {
  readonly repository: SubscriptionRepository;
  readonly mayManage: MayManage;
  readonly tellAndWrite: TellAndWrite;
  readonly actions: Pick<AuditEntries, 'prepare' | 'notSetUp' | 'refused'>;
  /** The time zone in a user's profile: channels have none. */
  readonly zoneOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** Whether the service reports session ends, or can be asked. */
  readonly reportsEnds: (workspaceId: string) => Promise<boolean>;
  readonly now: () => number;
}

/** Where Slack doesn't say a zone that this machine knows, it's UTC. */
const inZone = (request: ScheduleRequest, zone: string | undefined): Schedule => ({
  ...request,
  zone: zone !== undefined && isZone(zone) ? zone : 'UTC',
});

const ALL_SESSIONS: Content = { filters: { agents: [], groups: [], tags: [] }, form: 'full' };

/** Whether two subscriptions of a channel would post the same. */
function isSameContent(one: Content, other: Content): boolean {
  const times = [one, other].map(({ schedule: at }) =>
    at === undefined ? '' : [at.weekday ?? '', at.onWeekdays ?? '', at.hour, at.minute, at.zone].join(' '),
  );
  return one.form === other.form && times[0] === times[1] && areSameFilters(one.filters, other.filters);
}

/** Setting something up; each answers in words. Without a channel, the caller's is meant. */
export function createSetUp({
  repository,
  mayManage,
  tellAndWrite,
  actions,
  zoneOf,
  reportsEnds,
  now,
}: SetUpParts) {
  async function tooManyOrSame(workspaceId: string, channelId: string, content: Content): Promise<Message> {
    const all = await repository.of(workspaceId);
    const same = all.find((one) => one.channelId === channelId && isSameContent(one, content));
    return same === undefined ? tooManySubscriptions(MOST) : alreadySubscribed(same);
  }

  async function setUp(named: string | undefined, content: Content, caller: Actor): Promise<Message | Saved> {
    const { workspaceId, userId } = caller;
    const channelId = named ?? caller.channelId;
    if (channelId === undefined) return noSuchSubscription();
    const refused = await mayManage.channel(caller, channelId);
    if (refused !== undefined) return actions.refused(caller, refused, channelId);
    if (!(await reportsEnds(workspaceId))) return noEndsReported();
    const all = await repository.of(workspaceId);
    const there = all.filter((one) => one.channelId === channelId);
    const same = there.find((one) => isSameContent(one, content));
    if (same !== undefined) return alreadySubscribed(same);
    // A channel has one digest: a new one replaces it.
    const replaced = content.schedule && there.find(({ schedule }) => schedule !== undefined);
    if (replaced === undefined && all.length >= MOST) return tooManySubscriptions(MOST);
    const told = await tellAndWrite(
      [workspaceId, channelId],
      summariesSetUp(userId, content, replaced),
      async () => {
        const setUpAt = Math.round(now());
        const nextAt = content.schedule && nextDue(content.schedule, setUpAt);
        const asked = { ...content, workspaceId, channelId, setUpBy: userId, setUpAt };
        return repository.add(asked, MOST, nextAt, (added) => actions.prepare(caller, 'set-up', added));
      },
    );
    if ('refused' in told) {
      const { reason, outcome } = told.refused;
      await actions.notSetUp(caller, reason, channelId);
      return notSubscribed(channelId, reason, outcome === 'later');
    }
    // Someone else was faster.
    if (told.written === undefined) return tooManyOrSame(workspaceId, channelId, content);
    return { saved: subscribed(told.written, replaced) };
  }

  return {
    /** A refusal for people who can't set anything up in any channel; undefined for everyone else. */
    async refuse(caller: Actor): Promise<Message | undefined> {
      const { channelId, workspaceId } = caller;
      if (!(await reportsEnds(workspaceId))) return noEndsReported();
      if (channelId === undefined) return undefined;
      const refused = await mayManage.channel(caller, channelId);
      // They can choose another channel.
      if (refused === undefined || refused === 'not-member' || refused === 'unknown') return undefined;
      return actions.refused(caller, refused, channelId);
    },
    subscribe: ({ channelId, filters, form }: SubscriptionRequest, caller: Actor) =>
      setUp(channelId, { filters, form }, caller),
    /** A digest in the caller's time zone. Replaces the channel's digest, if it has one. */
    digest: async (channelId: string | undefined, request: ScheduleRequest, caller: Actor) => {
      const schedule = inZone(request, await zoneOf(caller.workspaceId, caller.userId));
      return setUp(channelId, { ...ALL_SESSIONS, schedule }, caller);
    },
  };
}

/** A subscription as a form showed it; with another version it was changed since. */
interface EditedVersion {
  readonly id: string;
  readonly version: number;
}

/** What a form says a subscription is to be. Without a channel it stays in its own. */
interface EditRequest extends SubscriptionRequest {
  readonly schedule: ScheduleRequest | undefined;
}

/** What people do with a subscription in a form. */
export function createEdit({
  repository,
  mayManage,
  announce,
  tellAndWrite,
  actions,
  isPublic,
  isInChannel,
  resume,
  zoneOf,
  now,
}: Pick<SetUpParts, 'repository' | 'mayManage' | 'tellAndWrite' | 'actions' | 'zoneOf' | 'now'> & {
  readonly announce: Announce;
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
  /** Undefined if Slack doesn't show this app who is in the channel. */
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
  /** Ends a pause: the channel accepted a post. */
  readonly resume: (subscription: Subscription) => Promise<void>;
}) {
  /** Admins can remove what they can't see. */
  async function mayKnow({ workspaceId, userId }: Actor, subscription: Subscription): Promise<boolean> {
    const { channelId, setUpBy } = subscription;
    if (setUpBy === userId || (await isPublic(workspaceId, channelId))) return true;
    const isMember = await isInChannel(workspaceId, userId, channelId).catch((error: unknown) => {
      throw new RightUnknownError(error);
    });
    return isMember === true;
  }

  /** What there is to edit; undefined for who may not change it or may not know of its channel. */
  async function toEdit(id: string, caller: Actor) {
    const found = await repository.forEdit(caller.workspaceId, id);
    if (found === undefined) return undefined;
    const { subscription } = found;
    const refused = await mayManage.one(caller, subscription);
    if (refused !== undefined) {
      await actions.refused(caller, refused, subscription.channelId);
      return undefined;
    }
    return (await mayKnow(caller, subscription)) ? found : undefined;
  }

  /** A digest keeps its time zone; a new one gets the editor's. */
  async function scheduleOf(
    { schedule: before }: Subscription,
    request: EditRequest,
    { workspaceId, userId }: Actor,
  ): Promise<Pick<Content, 'schedule'>> {
    if (request.schedule === undefined) return {};
    return { schedule: inZone(request.schedule, before?.zone ?? (await zoneOf(workspaceId, userId))) };
  }

  /** Whether someone changed it, or set up the same. */
  async function whyNot(
    id: string,
    content: Content & { readonly channelId: string },
    { workspaceId }: Actor,
  ): Promise<Message> {
    const others = (await repository.of(workspaceId)).filter(
      (one) => one.id !== id && one.channelId === content.channelId,
    );
    const same = others.find((one) =>
      content.schedule === undefined ? isSameContent(one, content) : one.schedule !== undefined,
    );
    return same === undefined ? subscriptionChangedMeanwhile() : alreadySubscribed(same);
  }

  return {
    toEdit,
    /** Tells the channel. {@link Saved} where that post arrived, or nothing had to change. */
    async edit(
      { id, version }: EditedVersion,
      request: EditRequest,
      caller: Actor,
    ): Promise<Message | Saved> {
      const found = await toEdit(id, caller);
      if (found === undefined) return noSuchSubscription();
      const { subscription: before } = found;
      if (found.version !== version) return subscriptionChangedMeanwhile();
      const { workspaceId, userId } = caller;
      const channelId = request.channelId ?? before.channelId;
      const isMoved = channelId !== before.channelId;
      const refused = isMoved ? await mayManage.channel(caller, channelId) : undefined;
      if (refused !== undefined) return actions.refused(caller, refused, channelId);
      const { filters, form } = request;
      const content = { channelId, filters, form, ...(await scheduleOf(before, request, caller)) };
      if (!isMoved && isSameContent(before, content)) return { saved: subscriptionSaved(before) };
      const isSameTime = JSON.stringify(before.schedule) === JSON.stringify(content.schedule);
      const nextAt =
        content.schedule === undefined || isSameTime
          ? undefined
          : nextDue(content.schedule, Math.round(now()));
      const save = () =>
        repository.edit({ workspaceId, id, version }, content, nextAt, (edited) =>
          actions.prepare(caller, 'edited', edited),
        );
      const told = isMoved
        ? await tellAndWrite([workspaceId, channelId], summariesSetUp(userId, content), save)
        : { written: await save() };
      if ('refused' in told)
        return notSubscribed(channelId, told.refused.reason, told.refused.outcome === 'later');
      const { written: saved } = told;
      if (saved === undefined) return whyNot(id, content, caller);
      const announced = await announce(
        workspaceId,
        before.channelId,
        isMoved ? summariesEnded(userId, before) : summariesChanged(userId, before, saved),
      );
      const isTold = isMoved || announced.outcome === 'posted';
      if (before.paused !== undefined && isTold) await resume(saved);
      return isTold ? { saved: subscriptionSaved(saved) } : subscriptionSaved(saved, 'untold');
    },
  };
}
