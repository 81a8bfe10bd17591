import type { Route } from '../http/routes.ts';
import { reportDelivery, reportWebhook } from '../reports.ts';
import { createCourier } from '../session-end/courier.ts';
import type { Courier } from '../session-end/courier.ts';
import { createOutbox } from '../session-end/outbox.ts';
import { createSessionEndRoute } from '../session-end/route.ts';
import { createStopRecords } from '../session-end/stops.ts';
import type { StopRecords } from '../session-end/stops.ts';
import { createPoster } from '../slack/poster.ts';
import type { Ground } from './ground.ts';

interface Summaries {
  readonly courier: Courier;
  readonly stops: StopRecords;
  readonly route: Route;
}

/** From the webhook to the channel. @param paceMs rest between two posts in one channel */
export function joinSummaries(ground: Ground, paceMs: number | undefined): Summaries {
  const { storage, slack, cobrowse, log, metrics, now, config, sessionEndTickets } = ground;
  const stops = createStopRecords(storage.store('stops'), now);
  const courier = createCourier({
    outbox: createOutbox({
      waiting: storage.store('summaries-waiting'),
      settled: storage.store('summaries-settled'),
      claims: storage.store('summary-claims'),
    }),
    post: createPoster(async () => slack),
    visitor: (visitorId) => cobrowse.visitor(visitorId).catch(() => undefined),
    stops,
    report: reportDelivery(log, metrics),
    now,
    ...(paceMs === undefined ? {} : { paceMs }),
  });
  const route = createSessionEndRoute({
    tickets: sessionEndTickets,
    accept: (id, delivery) => courier.accept(id, delivery),
    summaryChannel: config.summaryChannel,
    now,
    report: reportWebhook(log, metrics),
  });
  return { stops, courier, route };
}
