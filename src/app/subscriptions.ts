import { randomUUID } from 'node:crypto';
import type { App } from '@slack/bolt';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Subscriptions } from '../commands/subscription-desk.ts';
import type { MayAct } from '../grants/acts.ts';
import { createChangeSettings } from '../grants/setting-changes.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { moveChannel, wakeWorkers } from '../deliveries/channels.ts';
import type { Sighting } from '../deliveries/post.ts';
import type { SessionEnds } from '../deliveries/session-ends.ts';
import { troubleKind } from '../deliveries/trouble.ts';
import { listenForChannels } from '../slack/channel-events.ts';
import { channelState } from '../slack/examined.ts';
import type { People } from '../slack/people.ts';
import { createPostFinder } from '../slack/post-finder.ts';
import { createPoster } from '../slack/poster.ts';
import { createPublicCheck } from '../slack/public-channels.ts';
import { createGroupCheck } from '../slack/user-groups.ts';
import type { Announce, AnnounceAs } from '../subscriptions/announce.ts';
import { createAskAgain } from '../subscriptions/ask-again.ts';
import { createSubscriptionBook } from '../subscriptions/book.ts';
import type { SubscriptionBook } from '../subscriptions/book.ts';
import { createClockwork } from '../subscriptions/clockwork.ts';
import type { Clockwork } from '../subscriptions/clockwork.ts';
import { createDeeds } from '../subscriptions/deeds.ts';
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
import { createUntilDone } from '../subscriptions/until-done.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';
import { recordChanges } from './setting-records.ts';
import type { Deliveries } from './deliveries.ts';
import { joinSubscribers } from './subscribers.ts';
import type { Subscribers } from '../deliveries/subscribers.ts';

interface SubscriptionsParts {
  readonly ground: Ground;
  readonly people: People;
  readonly settings: SettingsBook;
  readonly mayAct: MayAct;
  readonly sessionEnds: Pick<SessionEnds, 'between'>;
  readonly inBackground: (work: () => Promise<void>) => void;
  /** How often it is looked for what is due; the usual where not given. */
  readonly clockworkMs: number | undefined;
}

export interface JoinedSubscriptions {
  readonly subscribers: Subscribers;
  /** For commands. */
  readonly desk: Subscriptions;
  readonly listen: (bolt: App) => void;
  /** What comes by the clock, sent as deliveries. */
  readonly clockwork: (deliveries: Pick<Deliveries, 'sendDigest'>) => Clockwork;
}

function joinDesk(
  { ground, people }: SubscriptionsParts,
  parts: { readonly book: SubscriptionBook; readonly announce: Announce; readonly pauses: Pauses },
): Subscriptions {
  const { slack, isInChannel, trail, now } = ground;
  const { book, announce, pauses } = parts;
  const standingOf = (workspaceId: string, userId: string) => people.profileOf(workspaceId, userId);
  const isPublic = createPublicCheck(async () => slack);
  const shared = {
    book,
    mayManage: createMayManage({ standingOf, isInChannel }),
    announce,
    deeds: createDeeds((deed) => trail.record(deed)),
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
  const list = createListing({ book, deeds: shared.deeds, standingOf, isInChannel, isPublic });
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

function joinOwners({ slack, now }: Ground, book: SubscriptionBook, announce: AnnounceAs): Owners {
  const find = createPostFinder(async () => slack);
  return createOwners({
    book,
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
  const { ground, people, settings, mayAct, sessionEnds, inBackground, clockworkMs } = parts;
  const { storage, slack, cobrowse, log, trail, now } = ground;
  const { database } = storage;
  const book = createSubscriptionBook(storage.store('subscriptions'), (error) =>
    log.error({ err: error }, 'a subscription cannot be read'),
  );
  const post = createPoster(async () => slack);
  const announceAs: AnnounceAs = (workspaceId, to, message, id) => post({ workspaceId, to }, message, id);
  const announce: Announce = (workspaceId, to, message) => announceAs(workspaceId, to, message, newId());
  const pauses = createPauses({
    book,
    owners: joinOwners(ground, book, announceAs),
    kindOf: troubleKind,
    stateOf: (_workspaceId, channelId) => channelState(slack, channelId),
    record: (deed) => trail.record(deed),
    now,
  });
  const matching = createMatching({
    book,
    async tagsOf(visitorId) {
      try {
        return (await cobrowse.visitor(visitorId)).tags;
      } catch (error) {
        if (error instanceof CobrowseError && error.kind === 'not-found') return [];
        throw error;
      }
    },
    isInGroup: createGroupCheck(async () => slack),
  });
  const changeSettings = createChangeSettings(settings, recordChanges(ground));
  const moves = createMoves({ book, changeSettings, moves: ground.movedChannels });
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
    subscribers: joinSubscribers({ book, matching, pauses, mayAct }),
    desk: joinDesk(parts, { book, announce, pauses }),
    clockwork: (deliveries) =>
      createClockwork({
        book,
        facts: sessionEnds,
        nameOf: async (workspaceId, userId) => (await people.profileOf(workspaceId, userId)).name,
        send: (subscription, digest) => deliveries.sendDigest(subscription, digest),
        chores: [keptMoves.again, createAskAgain(book, pauses), pauses.tellOwners],
        now,
        report: (error) =>
          log.error({ err: error }, 'what subscriptions need by the clock could not be done'),
        ...(clockworkMs === undefined ? {} : { everyMs: clockworkMs }),
      }),
    listen: (bolt) => listenForChannels(bolt, { news: { changed: pauses.changed, moved }, inBackground }),
  };
}
