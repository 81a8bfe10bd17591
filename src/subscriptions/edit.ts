import type { Message } from '../messages/message.ts';
import type { Saved } from '../messages/modal.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import type { Actor } from '../permissions/acts.ts';
import type { Announce, TellAndWrite } from './announce.ts';
import type { AuditEntries } from './audit-entries.ts';
import type { MayManage } from './may-manage.ts';
import {
  alreadySubscribed,
  noSuchSubscription,
  notSubscribed,
  subscriptionChangedMeanwhile,
  subscriptionSaved,
  summariesChanged,
  summariesEnded,
  summariesSetUp,
} from './messages.ts';
import { isZone, nextDue } from './periods.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isSameContent } from './set-up.ts';
import type { ScheduleRequest, Subscription, SubscriptionRequest } from './subscription.ts';

/** A subscription as a form showed it; with another version it was changed since. */
export interface EditedVersion {
  readonly id: string;
  readonly version: number;
}

/** What a form says a subscription is to be. Without a channel it stays in its own. */
export interface EditRequest extends SubscriptionRequest {
  readonly schedule: ScheduleRequest | undefined;
}

/** What people do with a subscription in a form. */
export interface EditSubscriptions {
  /** What there is to edit; undefined for who may not change it or may not know of its channel. */
  toEdit(
    id: string,
    caller: Actor,
  ): Promise<{ readonly subscription: Subscription; readonly version: number } | undefined>;
  /** Tells the channel. {@link Saved} where that post arrived, or nothing had to change. */
  edit(before: EditedVersion, request: EditRequest, caller: Actor): Promise<Message | Saved>;
}

interface EditParts {
  readonly repository: SubscriptionRepository;
  readonly mayManage: MayManage;
  readonly announce: Announce;
  readonly tellAndWrite: TellAndWrite;
  readonly actions: Pick<AuditEntries, 'prepare' | 'refused'>;
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
  /** Undefined if Slack doesn't show this app who is in the channel. */
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
  /** Ends a pause: the channel accepted a post. */
  readonly resume: (subscription: Subscription) => Promise<void>;
  /** The time zone in a user's profile. */
  readonly zoneOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  readonly now: () => number;
}

type NewContent = Pick<Subscription, 'channelId' | 'filters' | 'form' | 'schedule'>;

export function createEdit(parts: EditParts): EditSubscriptions {
  const {
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
  } = parts;

  /** Admins can remove what they can't see. */
  async function mayKnow({ workspaceId, userId }: Actor, subscription: Subscription): Promise<boolean> {
    const { channelId, setUpBy } = subscription;
    if (setUpBy === userId || (await isPublic(workspaceId, channelId))) return true;
    const isMember = await isInChannel(workspaceId, userId, channelId).catch((error: unknown) => {
      throw new RightUnknownError(error);
    });
    return isMember === true;
  }

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
  ): Promise<Pick<NewContent, 'schedule'>> {
    if (request.schedule === undefined) return {};
    const own = before?.zone ?? (await zoneOf(workspaceId, userId));
    const zone = own !== undefined && isZone(own) ? own : 'UTC';
    return { schedule: { ...request.schedule, zone } };
  }

  /** Whether someone changed it, or set up the same. */
  async function whyNot(id: string, content: NewContent, { workspaceId }: Actor): Promise<Message> {
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
    async edit({ id, version }, request, caller) {
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
