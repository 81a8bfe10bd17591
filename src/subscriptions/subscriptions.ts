import { randomUUID } from 'node:crypto';
import type { Audit, PreparedEntry } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Database } from '../database/database.ts';
import { moveChannel, movedChannels } from '../outbox/channels.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Post } from '../outbox/transport.ts';
import type { MayAct } from '../permissions/acts.ts';
import type { Membership } from '../permissions/permissions.ts';
import { repeat } from '../lifecycle/repeating.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import type { SettingsRepository } from '../workspaces/settings.ts';
import { createTellAndWrite, type Announce } from './announce.ts';
import { createAskAgain } from './ask-again.ts';
import { createAuditEntries } from './audit-entries.ts';
import { createListing } from './list.ts';
import { createManage } from './manage.ts';
import { createMayManage } from './may-manage.ts';
import type { createCharts } from './charts.ts';
import { createDigestCommand } from './digest.ts';
import { createSubscriptionForms } from './form.ts';
import { createSubscribeCommand } from './subscribe.ts';
import { createSubscriptionsCommand } from './subscriptions-command.ts';
import { createUnsubscribeCommand } from './unsubscribe.ts';
import { createDigestKind, digestStatements } from './digest-deliveries.ts';
import { createOwnerKind, createTellOwed, ownerStatements } from './owner-deliveries.ts';
import { createPauses, type Pauses, type PausesParts } from './pauses.ts';
import { createRenamedChannels, createRetrySet, type RenamedChannels } from './renamed-channels.ts';
import { createSubscriptionRepository, type SubscriptionRepository } from './repository.ts';
import { createScheduler, type SchedulerParts } from './scheduler.ts';
import { countSessions } from './digest-numbers.ts';
import { createEdit, createSetUp, type SetUpParts } from './set-up.ts';
import { createSteadyClock } from './steady-clock.ts';
import { createMatches, createSubscribers, mayMatch } from './subscribers.ts';
import type { Subscription } from './subscription.ts';

/** What a Slack profile says that subscriptions need. */
interface Profile extends Membership {
  readonly name: string | undefined;
  readonly timeZone?: string;
}

interface SubscriptionsParts
  extends
    Pick<Parameters<typeof createMatches>[0], 'isInGroup'>,
    Pick<SetUpParts, 'reportsEnds'>,
    Pick<PausesParts, 'stateOf'> {
  readonly database: Database;
  readonly audit: Pick<Audit, 'record' | 'prepare'>;
  readonly settings: SettingsRepository;
  readonly mayAct: MayAct;
  readonly profileOf: (workspaceId: string, userId: string) => Promise<Profile>;
  /** Of other people, for digests; undefined if the app isn't installed. */
  readonly colleagueOf: (
    workspaceId: string,
    userId: string,
  ) => Promise<{ readonly name: string | undefined } | undefined>;
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
  readonly isPublic: (workspaceId: string, channelId: string) => Promise<boolean>;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly post: Post;
  readonly outbox: Outbox;
  readonly charts: Pick<ReturnType<typeof createCharts>, 'pictureOfDigest'>;
  /** How often to look for what is due, milliseconds. */
  readonly everyMs: number;
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
  const { database, audit, settings, profileOf, isInChannel, isPublic, post, outbox, now, reports } = parts;
  const background = database.inBackground();
  const repositoryIn = (tables: Database) =>
    createSubscriptionRepository(tables, reports.unreadable, (due) =>
      ownerStatements(due, { newId: outbox.newId, time: now() }),
    );
  /** For people's commands. */
  const repository = repositoryIn(database);
  /** For sessions, digests, and what happens to channels. */
  const unattended = repositoryIn(background);
  const announce: Announce = (workspaceId, to, message, replaces) =>
    post({ workspaceId, to, replaces }, message, newId());
  const pausesIn = (tables: SubscriptionRepository): Pauses =>
    createPauses({
      repository: tables,
      stateOf: parts.stateOf,
      prepare: (entry) => audit.prepare(entry),
      wake: outbox.wake,
      now,
    });
  const pauses = pausesIn(unattended);
  const pausesOfPeople = pausesIn(repository);
  const moves = createRenamedChannels({ repository: unattended, settings });
  const movesToRetry = createRetrySet(reports.notMoved);
  const moved: RenamedChannels['moved'] = (workspaceId, from, to) =>
    movesToRetry.take(async () => {
      // First: from here on, looking up the channel gives the new id.
      await background.write(...moveChannel(workspaceId, from, to, now()));
      await moves.moved(workspaceId, from, to);
      outbox.wakeAll();
    });
  let isMoveUnfinished = true;
  /** The channel's row keeps where it went, so what an earlier process couldn't finish goes on after a start. */
  async function finishMoves(): Promise<void> {
    if (!isMoveUnfinished) return;
    for (const { workspaceId, from, to } of await movedChannels(background))
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
    pausesOfPeople.worked(workspaceId, [id], entryOf);
  const matches = createMatches({
    async tagsOf(workspaceId, visitorId) {
      const cobrowse = await parts.cobrowseOf(workspaceId);
      const visitor = await cobrowse.visitor(visitorId).catch((error: unknown) => {
        if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
        throw error;
      });
      return visitor?.tags ?? [];
    },
    isInGroup: parts.isInGroup,
  });
  const subscribers: Subscribers = createSubscribers({
    repository: unattended,
    matches,
    pauses,
    mayAct: parts.mayAct,
  });
  outbox.register(createDigestKind(subscribers, parts.charts.pictureOfDigest));
  outbox.register(createOwnerKind(background, unattended));
  const tellOwed = createTellOwed({ database: background, repository: unattended, outbox, now });
  const service = {
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
  };
  const digests = createScheduler({
    repository: unattended,
    count: (workspaceId, period) => countSessions(background, workspaceId, period),
    nameOf: async (workspaceId, userId) => (await parts.colleagueOf(workspaceId, userId))?.name,
    async send(due, digest, advance) {
      const statements = digestStatements(due, digest, { id: outbox.newId(), time: now() });
      await background.writeIf(advance, ...statements);
      outbox.wake();
    },
    write: (statement) => background.write(statement),
    now: createSteadyClock(parts),
    report: reports.schedule,
  });
  const retries = [finishMoves, movesToRetry.again, createAskAgain(unattended, pauses), tellOwed];
  async function retry(): Promise<void> {
    for (const one of retries) await one().catch(reports.schedule);
  }
  const { everyMs } = parts;
  const rounds = [repeat(digests.round, everyMs), repeat(retry, everyMs, everyMs / 2)];
  return {
    subscribers,
    /** Which sessions somebody wants. */
    filters: { mayMatch, matches },
    /** For commands. */
    service,
    /** For Slack's events about channels. */
    channels: { changed: pauses.changed, moved },
    start(): void {
      for (const one of rounds) one.start();
    },
    /** Waits for digests and retries under way. */
    async stop(): Promise<void> {
      await Promise.all(rounds.map((one) => one.stop()));
      await digests.idle();
    },
  };
}

/** The commands of the room, in the order of help. */
export const createSubscriptionCommands = (
  service: ReturnType<typeof createSubscriptions>['service'],
  groupsOf: Parameters<typeof createSubscriptionForms>[0]['groupsOf'],
) => [
  createSubscribeCommand(service, createSubscriptionForms({ service, groupsOf })),
  createUnsubscribeCommand(service),
  createSubscriptionsCommand(service),
  createDigestCommand(service),
];
