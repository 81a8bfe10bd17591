import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';

/** Counts for `GET /metrics`, in Prometheus's text form. Labels are ours: never an id, a name or an address. */
export interface Metrics {
  readonly answered: (name: string, outcome: string) => void;
  readonly watchOpened: (outcome: string) => void;
  readonly sessionEnded: (outcome: string) => void;
  readonly delivered: (outcome: string) => void;
  readonly refused: (reason: string) => void;
  /** @param count summaries accepted and not yet posted, asked at each reading */
  readonly watchWaiting: (count: () => number) => void;
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  let countWaiting: (() => number) | undefined;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });

  const answers = counter('cobrowse_answers_total', 'Commands, presses and shortcuts by outcome.', [
    'name',
    'outcome',
  ]);
  const watches = counter('cobrowse_watch_openings_total', 'Openings of Watch addresses by outcome.', [
    'outcome',
  ]);
  const sessionEnds = counter('cobrowse_session_end_webhooks_total', 'Session-end webhooks by outcome.', [
    'outcome',
  ]);
  const deliveries = counter('cobrowse_summary_attempts_total', 'Attempts to post a summary by outcome.', [
    'outcome',
  ]);
  const refusals = counter(
    'cobrowse_slack_requests_refused_total',
    'Requests in Slack’s name refused, by reason.',
    ['reason'],
  );
  const waiting: Gauge = new Gauge({
    name: 'cobrowse_summaries_waiting',
    help: 'Summaries accepted and not yet posted.',
    registers: [registry],
    collect: () => waiting.set(countWaiting?.() ?? 0),
  });

  return {
    answered: (name, outcome) => answers.inc({ name, outcome }),
    watchOpened: (outcome) => watches.inc({ outcome }),
    sessionEnded: (outcome) => sessionEnds.inc({ outcome }),
    delivered: (outcome) => deliveries.inc({ outcome }),
    refused: (reason) => refusals.inc({ reason }),
    watchWaiting: (count) => void (countWaiting = count),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
