import { randomUUID } from 'node:crypto';
import type { Audit, PreparedEntry } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { moveChannel, movedChannels, wakeWorkers } from '../outbox/channels.ts';
import { arrivalIn } from '../outbox/post.ts';
import type { FindPosts, Post } from '../outbox/post.ts';
import { troubleKind } from '../outbox/trouble.ts';
import type { MayAct } from '../permissions/acts.ts';
import type { Membership } from '../permissions/permissions.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import { createTellAndWrite } from './announce.ts';
import type { Announce, AnnounceAs } from './announce.ts';
import { createAskAgain } from './ask-again.ts';
import { createAuditEntries } from './audit-entries.ts';
import { createListing } from './list.ts';
import { createManage } from './manage.ts';
import { createMatching } from './matching.ts';
import type { MatchingParts } from './matching.ts';
import { createMayManage } from './may-manage.ts';
import { createOwners } from './owners.ts';
import { createPauses } from './pauses.ts';
import type { Pauses, PausesParts } from './pauses.ts';
import { createRenamedChannels, createRetrySet } from './renamed-channels.ts';
import type { RenamedChannels } from './renamed-channels.ts';
import { createSubscriptionRepository } from './repository.ts';
import { createScheduler } from './scheduler.ts';
import type { SchedulerParts } from './scheduler.ts';
import { countSessions } from './digest-numbers.ts';
import { createEdit, createSetUp } from './set-up.ts';
import type { SetUpParts } from './set-up.ts';
import { createSteadyClock } from './steady-clock.ts';
import { createSubscribers } from './subscribers.ts';
import type { Subscription } from './subscription.ts';

/** What a Slack profile says that subscriptions need. */
interface Profile extends Membership {
  readonly name: string | undefined;
  readonly timeZone?: string | undefined;
}

interface SubscriptionsParts
  extends
    Pick<MatchingParts, 'tagsOf' | 'isInGroup'>,
    Pick<SetUpParts, 'reportsEnds'>,
    Pick<PausesParts, 'stateOf'> {
  readonly database: Database;
  readonly audit: Pick<Audit, 'record' | 'prepare'>;
  readonly settings: SettingsRepository;
  readonly mayAct: MayAct;
  readonly profileOf: (workspaceId: string, userId: string) => Promise<Profile>;
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
  readonly post: Post;
  readonly find: FindPosts;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, independent of the clock. */
  readonly elapsed: () => number;
  readonly reports: {
    /** Called for a subscription that can't be read. */
    readonly unreadable: (error: unknown) => void;
    /** Called if a channel's new id couldn't be saved yet. */
    readonly notMoved: (error: unknown) => void;
    readonly schedule: SchedulerParts['report'];
  };
}

const newId = () => `announcement:${randomUUID()}`;

/** Summaries by subscription: who gets which, what becomes of their channels, and digests. */
export function createSubscriptions(parts: SubscriptionsParts) {
  const { database, audit, settings, profileOf, isInChannel, isPublic, post, find, now, reports } = parts;
  const repository = createSubscriptionRepository(database, reports.unreadable);
  const announceAs: AnnounceAs = (workspaceId, to, message, id) => post({ workspaceId, to }, message, id);
  const announce: Announce = (workspaceId, to, message, replaces) =>
    post({ workspaceId, to, ...(replaces === undefined ? {} : { replaces }) }, message, newId());
  const pauses: Pauses = createPauses({
    repository,
    owners: createOwners({
      repository,
      announce: announceAs,
      arrivalOf: async (workspaceId, to, { id, since }) =>
        arrivalIn(await find({ workspaceId, to }, id, since)),
      kindOf: troubleKind,
      newId,
      now,
    }),
    kindOf: troubleKind,
    stateOf: parts.stateOf,
    prepare: (entry) => audit.prepare(entry),
    now,
  });
  const moves = createRenamedChannels({ repository, settings });
  const movesToRetry = createRetrySet(reports.notMoved);
  const moved: RenamedChannels['moved'] = (workspaceId, from, to) =>
    movesToRetry.take(async () => {
      // First: from here on, looking up the channel gives the new id.
      await database.write(...moveChannel(workspaceId, from, to, now()));
      await moves.moved(workspaceId, from, to);
      wakeWorkers(database);
    });
  let isMoveUnfinished = true;
  /** The channel's row keeps where it went, so what an earlier process couldn't finish goes on after a start. */
  async function finishMoves(): Promise<void> {
    if (!isMoveUnfinished) return;
    for (const { workspaceId, from, to } of await movedChannels(database))
      await moves.moved(workspaceId, from, to);
    isMoveUnfinished = false;
  }
  const shared = {
    repository,
    mayManage: createMayManage({ membershipOf: profileOf, isInChannel }),
    announce,
    tellAndWrite: createTellAndWrite(announce),
    actions: createAuditEntries(audit),
  };
  const zoneOf = async (workspaceId: string, userId: string) =>
    (await profileOf(workspaceId, userId)).timeZone;
  const resume = ({ workspaceId, id }: Subscription, entryOf?: (changed: Subscription) => PreparedEntry) =>
    pauses.worked(workspaceId, [id], entryOf);
  const subscribers: Subscribers = createSubscribers({
    repository,
    matching: createMatching({ ...parts, repository }),
    pauses,
    mayAct: parts.mayAct,
  });
  return {
    subscribers,
    /** For commands. */
    service: {
      ...createSetUp({
        ...shared,
        zoneOf,
        reportsEnds: parts.reportsEnds,
        now,
      }),
      ...createManage({ ...shared, resume }),
      ...createEdit({ ...shared, isPublic, isInChannel, resume, zoneOf, now }),
      list: createListing({
        repository,
        actions: shared.actions,
        membershipOf: profileOf,
        isInChannel,
        isPublic,
      }),
    },
    /** For Slack's events about channels. */
    channels: { changed: pauses.changed, moved },
    /** One round of what is due. @param send sends a digest as a delivery */
    createScheduler: (send: SchedulerParts['send']) =>
      createScheduler({
        repository,
        count: (workspaceId, period) => countSessions(database, workspaceId, period),
        nameOf: async (workspaceId, userId) => (await profileOf(workspaceId, userId)).name,
        send,
        write: (statement) => database.write(statement),
        jobs: [finishMoves, movesToRetry.again, createAskAgain(repository, pauses), pauses.tellOwners],
        now: createSteadyClock(parts),
        report: reports.schedule,
      }),
  };
}
