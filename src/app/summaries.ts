import type { Background } from '../background.ts';
import type { SessionEndGrant } from '../grants/grant.ts';
import type { Route } from '../http/routes.ts';
import { reportWebhook } from '../reports.ts';
import { isOwn } from '../session-end/belonging.ts';
import { createCards } from '../session-end/cards.ts';
import { createCompose } from '../session-end/compose.ts';
import type { PictureOfDigest } from '../session-end/compose.ts';
import type { Courier } from '../session-end/courier.ts';
import type { Delivery } from '../session-end/delivery.ts';
import { createGrantEnds } from '../session-end/grant-ends.ts';
import type { EndedSession, GrantEnds } from '../session-end/grant-ends.ts';
import { createFollowingPost } from '../session-end/following.ts';
import type { Ledger } from '../session-end/ledger.ts';
import { createProbe } from '../session-end/probe.ts';
import { createSessionEndRoute } from '../session-end/route.ts';
import type { ShowConclusion } from '../session-end/settle.ts';
import { createShowVisitor } from '../session-end/shown-visitor.ts';
import { createStopRecords } from '../session-end/stops.ts';
import type { StopRecords } from '../session-end/stops.ts';
import { createToldSessions } from '../session-end/told-sessions.ts';
import { createPictureFallback } from '../session-end/without-picture.ts';
import { createPostFinder, createUnpost } from '../slack/post-finder.ts';
import { createPoster } from '../slack/poster.ts';
import { createSharedCheck } from '../slack/shared-channels.ts';
import { concludedCard, linkCard } from '../views/link-card.ts';
import { ofVisitor } from '../views/of-visitor.ts';
import type { AgentIdentity } from '../watch/agents.ts';
import { joinDeliveries } from './deliveries.ts';
import { probeTickets } from './doctor.ts';
import { endNewsOf } from './ground.ts';
import type { Ground } from './ground.ts';
import type { JoinedSubscriptions } from './subscriptions.ts';

interface Summaries {
  readonly courier: Courier;
  readonly ledger: Ledger;
  readonly stops: StopRecords;
  readonly route: Route;
  /** Tells the channel of a link that was given. */
  readonly announce: (grant: SessionEndGrant, agent: AgentIdentity) => Promise<void>;
  /** Says on the card of a grant that nothing more is expected. */
  readonly showConclusion: ShowConclusion;
  /** Takes an ended session on its way to the channel. */
  readonly accept: (id: string, delivery: Delivery) => Promise<'accepted' | 'duplicate'>;
  readonly ends: GrantEnds;
}

interface SummariesParts {
  readonly ground: Ground;
  readonly background: Background;
  readonly subscriptions: Pick<JoinedSubscriptions, 'count' | 'copiesOf' | 'gate' | 'tell'>;
  readonly pictureOf: PictureOfDigest;
  /** Rest between two posts in one channel, milliseconds; Slack's where not given. */
  readonly paceMs: number | undefined;
}

function endOf({ session, acceptedAt }: Delivery): EndedSession {
  const lengthSeconds = session.length_seconds;
  const length = lengthSeconds === undefined ? {} : { lengthSeconds };
  return { sessionId: session.id, endedAt: acceptedAt, ...length };
}

/** From the given link to the summary in the channel. */
export function joinSummaries(parts: SummariesParts): Summaries {
  const { ground, background, subscriptions, pictureOf, paceMs } = parts;
  const {
    database,
    storage,
    outbox,
    slack,
    cobrowse,
    log,
    metrics,
    now,
    config,
    nowCalled,
    sessionEndTickets,
  } = ground;
  const stops = createStopRecords(database, now);
  const { count, copiesOf, gate, tell } = subscriptions;
  const post = createPictureFallback(createPoster(async () => slack));
  const visitor = (visitorId: string) => cobrowse.visitor(visitorId).catch(() => undefined);
  const showVisitor = createShowVisitor({
    visitor,
    isShared: createSharedCheck({
      infoOf: ground.directory.infoOf,
      report: (error) => log.warn({ err: error }, 'Slack could not be asked whether a channel is shared'),
      now,
    }),
  });
  const cards = createCards(storage.store('cards'), createFollowingPost(post, nowCalled));
  const compose = createCompose({ showVisitor, stops, pictureOf });
  const find = createPostFinder(async () => slack, ground.installedAs);
  const slackSide = { post, find, unpost: createUnpost(async () => slack) };
  const { courier, ledger } = joinDeliveries({
    ground,
    slackSide,
    nowCalled,
    cards,
    compose,
    gate,
    tell,
    paceMs,
  });
  const ends = createGrantEnds({ owners: storage.store('session-owners'), database: ground.database });
  const told = createToldSessions(storage.store('told-sessions'));
  const placeOf = async (id: string) => ((await outbox.get(id)) ?? (await outbox.settlement(id)))?.to;
  const accept: Summaries['accept'] = async (id, delivery) => {
    const [accepted] = await Promise.all([courier.accept(id, delivery), count(delivery)]);
    // Told before for another link: the summary is where that link was asked for.
    const to = accepted === 'accepted' ? delivery.to : ((await placeOf(id)) ?? delivery.to);
    const copies = await copiesOf(id, { ...delivery, to });
    await Promise.all(copies.map(([copyId, copy]) => courier.accept(copyId, copy)));
    return accepted;
  };
  const route = createSessionEndRoute({
    tickets: sessionEndTickets,
    answerProbe: createProbe({ tickets: probeTickets(config, now), check: () => storage.check() }),
    async accept(id, delivery) {
      const { grant, session } = delivery;
      const accepted = await told.within(grant, session.id, () => accept(id, delivery));
      // Not before: a grant whose end is known is not looked for again. Left undone, it is found out by asking.
      if (accepted !== 'too-many')
        background.start(() => ends.end(grant, endOf(delivery), isOwn(grant, session)));
      return accepted;
    },
    summaryChannel: config.summaryChannel,
    now,
    report: reportWebhook(log, metrics),
  });

  function announce(grant: SessionEndGrant, agent: AgentIdentity): Promise<void> {
    const { workspaceId, userId, visitorId, power } = grant;
    return cards.announce(grant, async (channelId) => {
      const card = linkCard({
        ...(await showVisitor(workspaceId, visitorId, channelId)),
        agent: agent.name,
        watchedBy: userId,
        visitorId,
        power,
        canStop: cobrowse.offers.stopSession,
        endNews: endNewsOf(ground),
      });
      return ofVisitor(card, visitorId, 'card');
    });
  }

  const showConclusion: ShowConclusion = (grant, concluded, others) =>
    cards.conclude(grant, others, async (channelId) => {
      const { workspaceId, userId: watchedBy, visitorId, power } = grant;
      const shown = await showVisitor(workspaceId, visitorId, channelId);
      const card = concludedCard({ ...shown, watchedBy, power, concluded, endNews: endNewsOf(ground) });
      return ofVisitor(card, visitorId, 'concluded');
    });
  return { stops, courier, ledger, route, announce, showConclusion, accept, ends };
}
