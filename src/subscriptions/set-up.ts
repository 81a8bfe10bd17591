import type { Message } from '../messages/message.ts';
import type { Saved } from '../messages/modal.ts';
import type { Actor } from '../permissions/acts.ts';
import type { TellAndWrite } from './announce.ts';
import type { AuditEntries } from './audit-entries.ts';
import type { MayManage } from './may-manage.ts';
import {
  alreadySubscribed,
  noEndsReported,
  noSuchSubscription,
  notSubscribed,
  subscribed,
  summariesSetUp,
  tooManySubscriptions,
} from './messages.ts';
import { isZone, nextDue } from './periods.ts';
import type { SubscriptionRepository } from './repository.ts';
import { areSameFilters } from './subscription.ts';
import type { ScheduleRequest, Subscription, SubscriptionRequest } from './subscription.ts';

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

type Content = Pick<Subscription, 'filters' | 'form' | 'schedule'>;

/** Setting something up; each answers in words. Without a channel, the caller's is meant. */
export interface SetUp {
  subscribe(request: SubscriptionRequest, caller: Actor): Promise<Message | Saved>;
  /** A digest in the caller's time zone. Replaces the channel's digest, if it has one. */
  readonly digest: (
    channelId: string | undefined,
    schedule: ScheduleRequest,
    caller: Actor,
  ) => Promise<Message | Saved>;
  /** A refusal for people who can't set anything up in any channel; undefined for everyone else. */
  refuse(caller: Actor): Promise<Message | undefined>;
}

const ALL_SESSIONS: Content = { filters: { agents: [], groups: [], tags: [] }, form: 'full' };

/** Whether two subscriptions of a channel would post the same. */
export function isSameContent(one: Content, other: Content): boolean {
  const times = [one, other].map(({ schedule: at }) =>
    at === undefined ? '' : [at.weekday ?? '', at.hour, at.minute, at.zone].join(' '),
  );
  return one.form === other.form && times[0] === times[1] && areSameFilters(one.filters, other.filters);
}

export function createSetUp({
  repository,
  mayManage,
  tellAndWrite,
  actions,
  zoneOf,
  reportsEnds,
  now,
}: SetUpParts): SetUp {
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
    async refuse(caller) {
      const { channelId, workspaceId } = caller;
      if (!(await reportsEnds(workspaceId))) return noEndsReported();
      if (channelId === undefined) return undefined;
      const refused = await mayManage.channel(caller, channelId);
      // They can choose another channel.
      if (refused === undefined || refused === 'not-member' || refused === 'unknown') return undefined;
      return actions.refused(caller, refused, channelId);
    },
    subscribe: ({ channelId, filters, form }, caller) => setUp(channelId, { filters, form }, caller),
    async digest(channelId, request, caller) {
      const zone = await zoneOf(caller.workspaceId, caller.userId);
      const schedule = { ...request, zone: zone !== undefined && isZone(zone) ? zone : 'UTC' };
      return setUp(channelId, { ...ALL_SESSIONS, schedule }, caller);
    },
  };
}
