import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';

/** Counters for `GET /metrics`, in Prometheus's text format. Labels are ours: never an id, a name or an address. */
export interface Metrics {
  readonly answered: (name: string, outcome: string) => void;
  readonly watchOpened: (outcome: string) => void;
  readonly sessionEnded: (outcome: string) => void;
  readonly delivered: (outcome: string) => void;
  readonly linkCounted: (outcome: string) => void;
  readonly agentLookedFor: (outcome: string) => void;
  readonly doubled: (outcome: string) => void;
  readonly refused: (reason: string) => void;
  /** Called at each scrape. */
  readonly watchSummaries: (summaries: SummariesNow, now: () => number) => void;
  /** Never rejects: a number that can't be read is left out. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** The state of the summaries. */
interface SummariesNow {
  /** Accepted and not yet posted. */
  readonly waiting: () => Promise<number>;
  /** The oldest of them, with the time it was accepted; milliseconds since 1970. */
  readonly oldest: () => Promise<{ readonly since: number } | undefined>;
  /** With a problem: retried, or failed for good. */
  readonly inTrouble: () => Promise<{ readonly waiting: number; readonly failed: number }>;
}

/** If reading a number fails, only that one is left out: an old value would look current. */
async function readOrRemove(read: () => Promise<void>, remove: () => void): Promise<void> {
  try {
    await read();
  } catch {
    remove();
  }
}

/** @param droppedLogLines how many log lines couldn't be written so far */
export function createMetrics(droppedLogLines: () => number = () => 0): Metrics {
  let summaries: SummariesNow | undefined;
  let clock: () => number = Date.now;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges named like counters, which promtool refuses. The same numbers exist by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });

  const answers = counter('cobrowse_answers_total', 'Commands, presses and shortcuts by outcome.', [
    'name',
    'outcome',
  ]);
  const watches = counter(
    'cobrowse_watch_openings_total',
    'Openings of Watch addresses, and links in Slack’s answers, by outcome.',
    ['outcome'],
  );
  const sessionEnds = counter('cobrowse_session_end_webhooks_total', 'Session-end webhooks by outcome.', [
    'outcome',
  ]);
  const deliveries = counter('cobrowse_delivery_attempts_total', 'Attempts to post a summary by outcome.', [
    'outcome',
  ]);
  const links = counter('cobrowse_watch_links_total', 'Watch links issued, and what became of them.', [
    'outcome',
  ]);
  const looks = counter(
    'cobrowse_reconcile_lookups_total',
    'Look-ups of sessions whose end no webhook reported, by outcome.',
    ['outcome'],
  );
  const doubles = counter(
    'cobrowse_duplicate_summaries_total',
    'Summaries that were posted twice, by outcome.',
    ['outcome'],
  );
  const refusals = counter(
    'cobrowse_slack_requests_refused_total',
    'Requests claiming to be from Slack that were refused, by reason.',
    ['reason'],
  );
  const dropped: Counter = new Counter({
    name: 'cobrowse_log_lines_dropped_total',
    help: 'Lines of the log that could not be written.',
    registers: [registry],
    collect() {
      dropped.reset();
      dropped.inc(droppedLogLines());
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'cobrowse_summaries_waiting',
    help: 'Summaries accepted and not yet posted.',
    registers: [registry],
    collect: () =>
      readOrRemove(
        async () => waiting.set((await summaries?.waiting()) ?? 0),
        () => waiting.remove(),
      ),
  });
  const oldest: Gauge = new Gauge({
    name: 'cobrowse_summaries_oldest_waiting_seconds',
    help: 'Age of the oldest summary accepted and not yet posted; 0 if none is waiting.',
    registers: [registry],
    collect: () =>
      readOrRemove(
        async () => {
          const time = clock();
          const { since = time } = (await summaries?.oldest()) ?? {};
          // Zero at least, if the clock was set back.
          oldest.set(Math.max(0, Math.round((time - since) / 1_000)));
        },
        () => oldest.remove(),
      ),
  });
  const inTrouble: Gauge<'state'> = new Gauge({
    name: 'cobrowse_summaries_in_trouble',
    help: 'Summaries with a problem: waiting after a failure, or undelivered in the last 30 days.',
    labelNames: ['state'],
    registers: [registry],
    collect: () =>
      readOrRemove(
        async () => {
          const counts = await summaries?.inTrouble();
          inTrouble.set({ state: 'waiting' }, counts?.waiting ?? 0);
          inTrouble.set({ state: 'failed' }, counts?.failed ?? 0);
        },
        () => inTrouble.reset(),
      ),
  });

  return {
    answered: (name, outcome) => answers.inc({ name, outcome }),
    watchOpened: (outcome) => watches.inc({ outcome }),
    sessionEnded: (outcome) => sessionEnds.inc({ outcome }),
    delivered: (outcome) => deliveries.inc({ outcome }),
    linkCounted: (outcome) => links.inc({ outcome }),
    agentLookedFor: (outcome) => looks.inc({ outcome }),
    doubled: (outcome) => doubles.inc({ outcome }),
    refused: (reason) => refusals.inc({ reason }),
    watchSummaries(given, now) {
      summaries = given;
      clock = now;
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
