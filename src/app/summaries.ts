import type { SessionEndGrant } from '../grants/grant.ts';
import type { GrantRecords } from '../grants/records.ts';
import type { Route } from '../http/routes.ts';
import { reportDelivery, reportWebhook } from '../reports.ts';
import { createCards } from '../session-end/cards.ts';
import { createCompose } from '../session-end/compose.ts';
import { createCourier } from '../session-end/courier.ts';
import type { Courier } from '../session-end/courier.ts';
import { createOutbox } from '../session-end/outbox.ts';
import { createSessionEndRoute } from '../session-end/route.ts';
import { createStopRecords } from '../session-end/stops.ts';
import type { StopRecords } from '../session-end/stops.ts';
import { createPoster } from '../slack/poster.ts';
import { linkCard } from '../views/summary.ts';
import { visitorName } from '../views/visitor-pieces.ts';
import type { AgentIdentity } from '../watch/mint.ts';
import { tellsOfEnds } from './ground.ts';
import type { Ground } from './ground.ts';

interface Summaries {
  readonly courier: Courier;
  readonly stops: StopRecords;
  readonly route: Route;
  /** Tells the channel of a link that was given. */
  readonly announce: (grant: SessionEndGrant, agent: AgentIdentity) => Promise<void>;
}

interface SummariesParts {
  readonly ground: Ground;
  readonly grants: GrantRecords;
  /** Rest between two posts in one channel, milliseconds; Slack's where not given. */
  readonly paceMs: number | undefined;
}

/** From the given link to the summary in the channel. */
export function joinSummaries({ ground, grants, paceMs }: SummariesParts): Summaries {
  const { storage, slack, cobrowse, log, metrics, now, config, sessionEndTickets } = ground;
  const stops = createStopRecords(storage.store('stops'), now);
  const post = createPoster(async () => slack);
  const visitor = (visitorId: string) => cobrowse.visitor(visitorId).catch(() => undefined);
  const cards = createCards(storage.store('cards'), post);
  const courier = createCourier({
    outbox: createOutbox({
      waiting: storage.store('summaries-waiting'),
      settled: storage.store('summaries-settled'),
      claims: storage.store('summary-claims'),
    }),
    post,
    compose: createCompose({ visitor, stops }),
    cards,
    report: reportDelivery(log, metrics),
    now,
    ...(paceMs === undefined ? {} : { paceMs }),
  });
  const route = createSessionEndRoute({
    tickets: sessionEndTickets,
    async accept(id, delivery) {
      const { grant, session, acceptedAt } = delivery;
      const seconds = session.length_seconds;
      const length = seconds === undefined ? {} : { lengthSeconds: seconds };
      const [accepted] = await Promise.all([
        courier.accept(id, delivery),
        grants.ended(grant, { sessionId: session.id, endedAt: acceptedAt, ...length }),
      ]);
      return accepted;
    },
    summaryChannel: config.summaryChannel,
    now,
    report: reportWebhook(log, metrics),
  });

  function announce(grant: SessionEndGrant, agent: AgentIdentity): Promise<void> {
    const { visitorId, power } = grant;
    return cards.announce(grant, async () => {
      const known = await visitor(visitorId);
      return linkCard({
        agent: agent.name,
        visitor: known === undefined ? visitorId : visitorName(known),
        visitorId,
        power,
        canStop: cobrowse.offers.stopSession,
        becomesSummary: tellsOfEnds(ground),
      });
    });
  }
  return { stops, courier, route, announce };
}
