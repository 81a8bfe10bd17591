import type { Background } from '../background.ts';
import { createAsking } from '../deliveries/asking.ts';
import { createAttempt } from '../deliveries/attempt.ts';
import { isOwn } from '../deliveries/belonging.ts';
import { cardStatements, conclusionStatements, createCards } from '../deliveries/cards.ts';
import { LONGEST_WAIT_MS, wakeWorkers } from '../deliveries/channels.ts';
import { createClaims } from '../deliveries/claims.ts';
import { createCompose } from '../deliveries/compose.ts';
import type { PictureOfDigest } from '../deliveries/compose.ts';
import { digestStatements } from '../deliveries/digests.ts';
import { createFanOut } from '../deliveries/fan-out.ts';
import { createMethodHolds } from '../deliveries/holds.ts';
import { createIds } from '../deliveries/ids.ts';
import { createLatenessWatch, secondsSince } from '../deliveries/lateness.ts';
import { createRecordOutcome } from '../deliveries/outcome.ts';
import { createOverview } from '../deliveries/overview.ts';
import type { Overview } from '../deliveries/overview.ts';
import { createProbe } from '../deliveries/probe.ts';
import { createRechecks } from '../deliveries/rechecks.ts';
import { createRetryAndDrop } from '../deliveries/retry-and-drop.ts';
import type { RetryAndDrop } from '../deliveries/retry-and-drop.ts';
import { sessionEndOf } from '../deliveries/session-ends.ts';
import type { SessionEnds } from '../deliveries/session-ends.ts';
import { createShowVisitor } from '../deliveries/shown-visitor.ts';
import type { Subscribers } from '../deliveries/subscribers.ts';
import { createSessionEndRoute } from '../deliveries/webhook.ts';
import { createPictureFallback } from '../deliveries/without-picture.ts';
import { createWorker } from '../deliveries/worker.ts';
import type { Session } from '../cobrowse/schemas.ts';
import type { Sql } from '../database/sql.ts';
import type { Digest } from '../grants/digest.ts';
import type { SessionEndGrant } from '../grants/grant.ts';
import { endLink } from '../grants/watch-links.ts';
import { hasChanged } from '../database/database.ts';
import type { DueDigest } from '../subscriptions/repository.ts';
import type { Route } from '../http/routes.ts';
import { reportWebhook } from '../reports.ts';
import { createGrantEnds } from '../session-end/grant-ends.ts';
import type { GrantEnds } from '../session-end/grant-ends.ts';
import type { ShowConclusion } from '../session-end/settle.ts';
import { createStopRecords } from '../session-end/stops.ts';
import type { StopRecords } from '../session-end/stops.ts';
import { createPostFinder, createUnpost } from '../slack/post-finder.ts';
import { createPoster } from '../slack/poster.ts';
import { createSharedCheck } from '../slack/shared-channels.ts';
import type { AgentIdentity } from '../watch/agents.ts';
import { probeTickets } from './doctor.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';
import { reportBlind, reportDelivery, reportLateness, reportRechecks } from './report-deliveries.ts';

/** Slack takes one a second; a little more, since a post that travels faster than the one before would come too soon. */
const PACE_MS = 1_020;
const FIRST_WAIT_MS = 1_000;

interface DeliveriesParts {
  readonly ground: Ground;
  readonly background: Background;
  readonly subscribers: Subscribers;
  readonly sessionEnds: SessionEnds;
  readonly pictureOf: PictureOfDigest;
  /** Whether this is the one process that serves the database. */
  readonly isAlone: boolean;
  /** Rest between two posts in one channel, milliseconds; Slack's where not given. */
  readonly paceMs: number | undefined;
}

export interface Deliveries {
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly overview: Overview;
  readonly acts: RetryAndDrop;
  readonly stops: StopRecords;
  readonly route: Route;
  readonly ends: GrantEnds;
  /** Puts the card of a link on its way. */
  readonly cardStatements: (link: SessionEndGrant, agent: AgentIdentity) => readonly Sql[];
  /** Has the card of a link say that nothing more is expected. */
  readonly showConclusion: ShowConclusion;
  /** Takes the end of a session on its way that the service didn't tell of. */
  readonly recover: (link: SessionEndGrant, session: Session) => Promise<'accepted' | 'duplicate'>;
  /** Sends a digest, in one write with `advance`: nothing where that changes no row. */
  readonly sendDigest: (due: DueDigest, digest: Digest, advance: Sql) => Promise<void>;
}

/** From a session's end, a link or a digest to the message in its channel. */
export function joinDeliveries(parts: DeliveriesParts): Deliveries {
  const { ground, background, subscribers, sessionEnds, pictureOf, isAlone } = parts;
  const { paceMs = PACE_MS } = parts;
  const { database, storage, slack, cobrowse, log, metrics, now, config, sessionEndTickets } = ground;
  const clientFor = async () => slack;
  const newId = createIds(now);
  const stops = createStopRecords(database, now);
  const showVisitor = createShowVisitor({
    visitor: (visitorId) => cobrowse.visitor(visitorId).catch(() => undefined),
    isShared: createSharedCheck({
      infoOf: ground.directory.infoOf,
      report: (error) => log.warn({ err: error }, 'Slack could not be asked whether a channel is shared'),
      now,
    }),
  });
  const find = createPostFinder(clientFor, ground.installedAs);
  const methods = createMethodHolds(now, LONGEST_WAIT_MS);
  const report = reportDelivery(log, metrics);
  const shared = { database, sessionEnds, subscribers, report, now, firstWaitMs: FIRST_WAIT_MS };
  const worker = createWorker({
    ...shared,
    isAlone,
    claims: createClaims({ database, sessionEnds, now }),
    fanOut: createFanOut({
      ...shared,
      summaryChannel: config.summaryChannel,
      handedOn: (session, deliveries) => log.debug({ session, deliveries }, 'session end handed on'),
    }),
    attempt: createAttempt({
      ...shared,
      cards: createCards({ database, find, now }),
      compose: createCompose({
        showVisitor,
        stoppedBy: (workspaceId, visitorId, session) => stops.stoppedBy(workspaceId, visitorId, session),
        pictureOf,
        canStop: cobrowse.offers.stopSession,
        endNews: endNewsOf(ground),
      }),
      post: createPictureFallback(createPoster(clientFor)),
      find,
      methods,
      blind: reportBlind(log),
    }),
    recordOutcome: createRecordOutcome({ database, newId, paceMs, now }),
    askForSome: createAsking(shared),
    recheckOne: createRechecks({
      database,
      find,
      unpost: createUnpost(clientFor),
      ...reportRechecks(log, metrics),
      now,
    }),
  });
  const overview = createOverview({ database, paceMs, now });
  const lateness = createLatenessWatch({ oldest: () => overview.oldest(), report: reportLateness(log), now });
  metrics.watchSummaries({
    waiting: () => overview.waiting(),
    oldestSeconds: async () => secondsSince((await overview.oldest())?.since ?? now(), now()),
    inTrouble: () => overview.inTrouble(),
  });

  /** Runs statements that make something due. */
  async function accept(statements: readonly Sql[]): Promise<void> {
    if (statements.length === 0) return;
    await database.write(...statements);
    wakeWorkers(database);
  }

  async function record(link: SessionEndGrant, session: Session, recovered: boolean) {
    const receivedAt = now();
    const end = sessionEndOf(newId(), link, session, { receivedAt, recovered });
    const { length_seconds: seconds } = session;
    const ended = { endedAt: receivedAt, ...(seconds === undefined ? {} : { lengthSeconds: seconds }) };
    const recorded = await sessionEnds.record(end, [endLink(link, ended)]);
    if (recorded === 'accepted') worker.arrived(end);
    return recorded;
  }

  const ends = createGrantEnds({ owners: storage.store('session-owners'), database });
  const route = createSessionEndRoute({
    tickets: sessionEndTickets,
    answerProbe: createProbe({ tickets: probeTickets(config, now), check: () => storage.check() }),
    async accept(link, session) {
      const recorded = await record(link, session, false);
      const { id: sessionId, length_seconds: seconds } = session;
      const end = { sessionId, endedAt: now(), ...(seconds === undefined ? {} : { lengthSeconds: seconds }) };
      // Not before: a link whose end is known is not looked for again. Left undone, it is found out by asking.
      if (recorded !== 'too-many') background.start(() => ends.end(link, end, isOwn(link, session)));
      return recorded;
    },
    report: reportWebhook(log, metrics),
  });

  return {
    overview,
    acts: createRetryAndDrop({ database, methods, paceMs, now }),
    stops,
    route,
    ends,
    cardStatements: (link, agent) => cardStatements(link, agent.name, { id: newId(), time: now() }),
    async showConclusion(link, concluded, others) {
      await accept(conclusionStatements(link, concluded, others, { id: newId(), time: now() }));
      return true;
    },
    async recover(link, session) {
      // One that its link has told of enough others for is not looked for again either.
      return (await record(link, session, true)) === 'accepted' ? 'accepted' : 'duplicate';
    },
    async sendDigest(
      { subscription: { workspaceId, id: subscription, channelId }, number },
      digest,
      advance,
    ) {
      const about = { workspaceId, subscription, channelId, number: number + 1 };
      const sent = await database.writeIf(
        advance,
        ...digestStatements(about, digest, { id: newId(), time: now() }),
      );
      if (hasChanged(sent?.[0])) wakeWorkers(database);
    },
    async start() {
      await worker.start();
      lateness.start();
    },
    async stop() {
      await lateness.stop();
      await worker.stop();
    },
  };
}
