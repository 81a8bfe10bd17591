import type { z } from 'zod';
import { wasAccepted } from '../cobrowse/schemas.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { hasChanged } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import type { Route } from '../http/server.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { cardOf, conclusionStatements, createCards, inSessionStatements } from '../sessions/cards.ts';
import type { LinkCard } from '../sessions/cards.ts';
import { createCompose } from '../sessions/compose.ts';
import type { ComposeParts } from '../sessions/compose.ts';
import { createFanOut } from '../sessions/fan-out.ts';
import type { FanOutParts } from '../sessions/fan-out.ts';
import { createProbe } from '../sessions/probe.ts';
import type { Probe } from '../sessions/probe.ts';
import { linkEndedAt, sessionEndOf } from '../sessions/session-ends.ts';
import type { SessionEnds } from '../sessions/session-ends.ts';
import { createShowVisitor } from '../sessions/shown-visitor.ts';
import type { ShownVisitorParts } from '../sessions/shown-visitor.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import { endLink } from '../sessions/watch-links.ts';
import { createSessionEndRoute } from '../sessions/webhook.ts';
import type { SessionEndRouteParts } from '../sessions/webhook.ts';
import { digestStatements, createPictureFallback } from '../subscriptions/digest-deliveries.ts';
import type { DigestPlace } from '../subscriptions/digest-deliveries.ts';
import type { Digest } from '../subscriptions/digest-numbers.ts';
import type { TicketKind } from '../tickets.ts';
import { createAsking } from './asking.ts';
import { createAttempt } from './attempt.ts';
import type { AttemptParts } from './attempt.ts';
import { LONGEST_WAIT_MS, wakeWorkers } from './channels.ts';
import { createClaims } from './claims.ts';
import { createIds } from './delivery.ts';
import { createMethodHolds, findUnlessHeld } from './holds.ts';
import { createLatenessWatch } from './lateness.ts';
import type { LatenessParts } from './lateness.ts';
import { createRecordOutcome } from './outcome.ts';
import { createOverview } from './overview.ts';
import type { Overview } from './overview.ts';
import type { FindPosts, Post, Unpost } from './post.ts';
import { createRechecks } from './rechecks.ts';
import type { RechecksParts } from './rechecks.ts';
import type { Report } from './report.ts';
import { createRetryAndDrop } from './retry-and-drop.ts';
import type { RetryAndDrop } from './retry-and-drop.ts';
import { createWorker } from './worker.ts';

/**
 * Slack accepts one a second. A little more, because a post that travels faster than the previous one would arrive too
 * early.
 */
const PACE_MS = 1_020;
const FIRST_WAIT_MS = 1_000;

interface DeliveriesParts extends ShownVisitorParts, Omit<ComposeParts, 'showVisitor'> {
  readonly database: Database;
  readonly sessionEnds: SessionEnds;
  readonly subscribers: Subscribers;
  readonly summaryChannelOf: FanOutParts['summaryChannelOf'];
  readonly tickets: TicketKind<IssuedLink>;
  readonly probeTickets: TicketKind<Probe>;
  /** Reads a session as the service sends it. */
  readonly sessionSchema: z.ZodType<Session>;
  readonly slack: { readonly post: Post; readonly find: FindPosts; readonly unpost: Unpost };
  readonly isInChannel: AttemptParts['isInChannel'];
  /** Whether this is the only process that serves the database. */
  readonly isAlone: boolean;
  /** Pause between two posts in one channel, milliseconds; Slack's limit if not given. */
  readonly paceMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly reports: {
    readonly delivery: Report;
    readonly onFanOut: FanOutParts['onFanOut'];
    readonly blind: AttemptParts['blind'];
    readonly recheck: RechecksParts['report'];
    readonly recheckBroken: RechecksParts['broken'];
    readonly lateness: LatenessParts['report'];
    readonly webhook: SessionEndRouteParts['report'];
  };
}

/** From a session end, a link or a digest to the message in its channel. */
export interface Deliveries {
  start(): Promise<void>;
  stop(): Promise<void>;
  readonly overview: Overview;
  readonly retryAndDrop: RetryAndDrop;
  /** `POST /webhooks/session-end/:ticket`. */
  readonly route: Route;
  /** The card of a link, for the write that records the link. */
  cardOf(link: IssuedLink, agentName: string): LinkCard;
  /** Makes a link's card say that nothing more is expected. */
  conclude(link: IssuedLink, concluded: 'unused' | 'unknown', others: readonly IssuedLink[]): Promise<void>;
  /** Makes a link's card say that its session was seen running. */
  showRunning(link: IssuedLink, seenAt: number): Promise<void>;
  /** Accepts a session end that no webhook reported. */
  recover(link: IssuedLink, session: Session): Promise<'accepted' | 'duplicate'>;
  /** Queues a digest, in one write with `advance`; does nothing if `advance` changes no row. */
  sendDigest(place: DigestPlace, digest: Digest, advance: Sql): Promise<void>;
}

export function createDeliveries(parts: DeliveriesParts): Deliveries {
  const { database, sessionEnds, subscribers, slack, isAlone, now, reports } = parts;
  const { paceMs = PACE_MS } = parts;
  const newId = createIds(now);
  const methods = createMethodHolds(now, LONGEST_WAIT_MS);
  const find = findUnlessHeld(slack.find, methods, now);
  const shared = {
    database,
    sessionEnds,
    subscribers,
    report: reports.delivery,
    now,
    firstWaitMs: FIRST_WAIT_MS,
  };
  const worker = createWorker({
    ...shared,
    isAlone,
    claims: createClaims(shared),
    fanOut: createFanOut({
      ...shared,
      summaryChannelOf: parts.summaryChannelOf,
      onFanOut: reports.onFanOut,
    }),
    attempt: createAttempt({
      ...shared,
      cards: createCards({ database, find, now }),
      compose: createCompose({ ...parts, showVisitor: createShowVisitor(parts) }),
      post: createPictureFallback(slack.post),
      find,
      isInChannel: parts.isInChannel,
      methods,
      blind: reports.blind,
    }),
    recordOutcome: createRecordOutcome({ database, newId, paceMs, now }),
    askForSome: createAsking(shared),
    recheckOne: createRechecks({
      database,
      find,
      unpost: slack.unpost,
      report: reports.recheck,
      broken: reports.recheckBroken,
      now,
    }),
  });
  const overview = createOverview({ database, paceMs, now });
  const lateness = createLatenessWatch({ oldest: () => overview.oldest(), report: reports.lateness, now });

  /** Runs statements that make something due. */
  async function accept(statements: readonly Sql[]): Promise<void> {
    if (statements.length === 0) return;
    await database.write(...statements);
    wakeWorkers(database);
  }

  async function record(link: IssuedLink, session: Session, recovered: boolean) {
    const end = sessionEndOf(newId(), link, session, { receivedAt: now(), recovered });
    const { id: sessionId, length_seconds: seconds } = session;
    const length = seconds === undefined ? {} : { lengthSeconds: seconds };
    const ended = { sessionId, endedAt: linkEndedAt(end), ...length, accepted: wasAccepted(session) };
    const recorded = await sessionEnds.record(end, [endLink(link, ended)]);
    if (recorded === 'accepted') worker.arrived(end);
    return recorded;
  }

  const route = createSessionEndRoute({
    tickets: parts.tickets,
    answerProbe: createProbe({ tickets: parts.probeTickets, check: () => database.check() }),
    sessionSchema: parts.sessionSchema,
    accept: (link, session) => record(link, session, false),
    report: reports.webhook,
  });

  return {
    overview,
    retryAndDrop: createRetryAndDrop({ database, sessionEnds, methods, newId, paceMs, now }),
    route,
    cardOf: (link, agentName) => cardOf(link, agentName, { id: newId(), time: now() }),
    conclude: (link, concluded, others) =>
      accept(conclusionStatements(link, concluded, others, { id: newId(), time: now() })),
    showRunning: (link, seenAt) => accept(inSessionStatements(link, seenAt, { id: newId(), time: now() })),
    async recover(link, session) {
      // Treated like a duplicate if the link has reported too many, so that it isn't looked for again.
      return (await record(link, session, true)) === 'accepted' ? 'accepted' : 'duplicate';
    },
    async sendDigest(place, digest, advance) {
      const statements = digestStatements(place, digest, { id: newId(), time: now() });
      const sent = await database.writeIf(advance, ...statements);
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
