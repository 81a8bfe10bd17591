import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Subscriptions } from '../commands/subscription-desk.ts';
import type { MayAct } from '../grants/acts.ts';
import type { SettingsRepository } from '../grants/settings-repository.ts';
import { moveChannel, wakeWorkers } from '../deliveries/channels.ts';
import type { Sighting } from '../deliveries/post.ts';
import { troubleKind } from '../deliveries/trouble.ts';
import { listenForChannels } from '../slack/channel-events.ts';
import { channelState } from '../slack/examined.ts';
import type { People } from '../slack/people.ts';
import { createPostFinder } from '../slack/post-finder.ts';
import { createPoster } from '../slack/poster.ts';
import { createPayloadReader } from '../slack/read-payload.ts';
import type { Announce, AnnounceAs } from '../subscriptions/announce.ts';
import { createAskAgain } from '../subscriptions/ask-again.ts';
import { createSubscriptionRepository } from '../subscriptions/repository.ts';
import type { SubscriptionRepository } from '../subscriptions/repository.ts';
import { createScheduler } from '../subscriptions/scheduler.ts';
import type { Scheduler } from '../subscriptions/scheduler.ts';
import { createAuditEntries } from '../subscriptions/audit-entries.ts';
import { createDesk } from '../subscriptions/desk.ts';
import { createListing } from '../subscriptions/listing.ts';
import { createMatching } from '../subscriptions/matching.ts';
import { createMayManage } from '../subscriptions/may-manage.ts';
import { createMoves } from '../subscriptions/moves.ts';
import type { Moves } from '../subscriptions/moves.ts';
import { createOwners } from '../subscriptions/owners.ts';
import type { Arrival, Owners } from '../subscriptions/owners.ts';
import { createPauses } from '../subscriptions/pauses.ts';
import type { Pauses } from '../subscriptions/pauses.ts';
import { createSetUp } from '../subscriptions/set-up.ts';
import { countSessions } from '../subscriptions/session-counts.ts';
import { createSteadyClock } from '../subscriptions/steady-clock.ts';
import { createUntilDone } from '../subscriptions/until-done.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';
import type { Deliveries } from './deliveries.ts';
import { joinSubscribers } from './subscribers.ts';
import type { Subscribers } from '../deliveries/subscribers.ts';

interface SubscriptionsParts {
  readonly ground: Ground;
  readonly people: People;
  readonly settings: SettingsRepository;
  readonly mayAct: MayAct;
  readonly inBackground: (work: () => Promise<void>) => void;
  /** How often it is looked for what is due; the usual where not given. */
  readonly schedulerMs: number | undefined;
}

export interface JoinedSubscriptions {
  readonly subscribers: Subscribers;
  /** For commands. */
  readonly desk: Subscriptions;
  readonly listen: (bolt: App) => void;
  /** What comes by the clock, sent as deliveries. */
  readonly scheduler: (deliveries: Pick<Deliveries, 'sendDigest'>) => Scheduler;
}

function joinDesk(
  { ground, people }: SubscriptionsParts,
  parts: {
    readonly repository: SubscriptionRepository;
    readonly announce: Announce;
    readonly pauses: Pauses;
  },
): Subscriptions {
  const { directory, audit, now } = ground;
  const { isInChannel, isPublic } = directory;
  const { repository, announce, pauses } = parts;
  const standingOf = (workspaceId: string, userId: string) => people.profileOf(workspaceId, userId);
  const shared = {
    repository,
    mayManage: createMayManage({ standingOf, isInChannel }),
    announce,
    actions: createAuditEntries((entry) => audit.record(entry)),
  };
  const setUp = createSetUp({
    ...shared,
    zoneOf: async (workspaceId, userId) => (await people.profileOf(workspaceId, userId)).timeZone,
    tellsEnds: endNewsOf(ground) !== 'never',
    now,
  });
  const desk = createDesk({
    ...shared,
    resume: ({ workspaceId, id }) => pauses.worked(workspaceId, id),
  });
  const list = createListing({ repository, actions: shared.actions, standingOf, isInChannel, isPublic });
  return { ...setUp, ...desk, list };
}

const newId = () => `announcement:${randomUUID()}`;

function arrivalIn(sighting: Sighting): Arrival {
  if ('found' in sighting) {
    if (sighting.found.length > 0) return 'yes';
    return sighting.isPartial === true ? 'unknown' : 'no';
  }
  const isPassing = sighting.outcome === 'later' || troubleKind(sighting.reason) === 'refused-token';
  return isPassing ? 'later' : 'unknown';
}

function joinOwners(
  { slack, installedAs, now }: Ground,
  repository: SubscriptionRepository,
  announce: AnnounceAs,
): Owners {
  const find = createPostFinder(async () => slack, installedAs);
  return createOwners({
    repository,
    announce,
    arrivalOf: async (workspaceId, to, { id, since }) =>
      arrivalIn(await find({ workspaceId, to }, id, since)),
    kindOf: troubleKind,
    newId,
    now,
  });
}

/** Summaries by subscription: who gets which, and what becomes of their channels. */
export function joinSubscriptions(parts: SubscriptionsParts): JoinedSubscriptions {
  const { ground, people, settings, mayAct, inBackground, schedulerMs } = parts;
  const { database, slack, cobrowse, log, audit, now, elapsed } = ground;
  const repository = createSubscriptionRepository(database, (error) =>
    log.error({ err: error }, 'a subscription cannot be read'),
  );
  const post = createPoster(async () => slack);
  const announceAs: AnnounceAs = (workspaceId, to, message, id) => post({ workspaceId, to }, message, id);
  const announce: Announce = (workspaceId, to, message) => announceAs(workspaceId, to, message, newId());
  const pauses = createPauses({
    repository,
    owners: joinOwners(ground, repository, announceAs),
    kindOf: troubleKind,
    stateOf: (_workspaceId, channelId) => channelState(slack, channelId),
    prepare: (entry) => audit.prepare(entry),
    now,
  });
  const matching = createMatching({
    repository,
    async tagsOf(visitorId) {
      try {
        return (await cobrowse.visitor(visitorId)).tags;
      } catch (error) {
        if (error instanceof CobrowseError && error.kind === 'not-found') return [];
        throw error;
      }
    },
    isInGroup: ground.directory.isInGroup,
  });
  const moves = createMoves({ repository, settings, moves: ground.movedChannels });
  const keptMoves = createUntilDone((error) =>
    log.error({ err: error }, 'a channel’s new id could not be kept yet'),
  );
  const moved: Moves['moved'] = (workspaceId, from, to) =>
    keptMoves.take(async () => {
      await moves.moved(workspaceId, from, to);
      await database.write(...moveChannel(workspaceId, from, to, now()));
      wakeWorkers(database);
    });
  return {
    subscribers: joinSubscribers({ repository, matching, pauses, mayAct }),
    desk: joinDesk(parts, { repository, announce, pauses }),
    scheduler: (deliveries) =>
      createScheduler({
        repository,
        count: (workspaceId, period) => countSessions(database, workspaceId, period),
        nameOf: async (workspaceId, userId) => (await people.profileOf(workspaceId, userId)).name,
        send: (due, digest, advance) => deliveries.sendDigest(due, digest, advance),
        write: (statement) => database.write(statement),
        jobs: [keptMoves.again, createAskAgain(repository, pauses), pauses.tellOwners],
        now: createSteadyClock({ now, elapsed }),
        report: (error) =>
          log.error({ err: error }, 'what subscriptions need by the clock could not be done'),
        ...(schedulerMs === undefined ? {} : { everyMs: schedulerMs }),
      }),
    listen: (bolt) =>
      listenForChannels(bolt, {
        news: { changed: pauses.changed, moved },
        read: createPayloadReader(log),
        inBackground,
      }),
  };
}
