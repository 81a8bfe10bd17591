import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { sqliteFile } from '../database/open.ts';
import { diskOf } from '../database/sqlite-file.ts';
import type { Overview } from '../outbox/overview.ts';
import { VERSION } from '../version.ts';

type Watched = Pick<Overview, 'waiting' | 'oldest' | 'inTrouble' | 'refusedTokens'>;

/** Seconds. Slack waits three for its acknowledgement, people eight for the service. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10];
const DATABASE_BUCKETS = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Several processes read the same tables, so their sum says nothing. */
const SHARED = 'The same in all processes on one database.';

type Numbers = number | Readonly<Record<string, number>>;

function createWatches(registers: Registry[]) {
  /** Read at each scrape: a number, or one for each value of a label. If that fails, it's left out: an old one would look current. */
  function gauge(name: string, help: string, read: () => Promise<Numbers>, ...labelNames: string[]): void {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const numbers = await read().catch(() => ({}));
        made.reset();
        if (typeof numbers === 'number') made.set(numbers);
        else if (labelNames.length === 0) made.remove();
        for (const [value, number] of Object.entries(numbers)) made.labels(value).set(number);
      },
    });
  }

  return {
    watchSocket: ({ disconnectedMs }: { readonly disconnectedMs: () => number }) =>
      gauge(
        'cobrowse_socket_disconnected_seconds',
        'How long Socket Mode has had no connection to Slack; 0 with one, and over HTTP.',
        async () => Math.floor(disconnectedMs() / 1_000),
      ),
    watchWebhooks: ({ paused }: { readonly paused: () => Promise<number> }) =>
      gauge(
        'cobrowse_webhook_addresses_paused',
        `Addresses of webhooks that haven’t accepted anything for an hour. ${SHARED}`,
        paused,
      ),
    watch(
      { waiting, oldest, inTrouble, refusedTokens }: Watched,
      { storeUrl, now }: { readonly storeUrl: string; readonly now: () => number },
    ): void {
      gauge('cobrowse_summaries_waiting', `Summaries accepted and not yet posted. ${SHARED}`, waiting);
      gauge(
        'cobrowse_summaries_oldest_waiting_seconds',
        `Age of the oldest summary accepted and not yet posted; 0 if none is waiting. ${SHARED}`,
        async () => {
          const time = now();
          return Math.round((time - ((await oldest())?.since ?? time)) / 1_000);
        },
      );
      gauge(
        'cobrowse_summaries_in_trouble',
        `Summaries with a problem: waiting after a failure, or undelivered in the last 30 days. ${SHARED}`,
        inTrouble,
        'state',
      );
      gauge(
        'cobrowse_workspaces_refused',
        `Workspaces whose token Slack refuses, so that nothing is done for them. ${SHARED}`,
        refusedTokens,
      );
      const file = sqliteFile(storeUrl);
      if (file === undefined) return;
      const free = async () => (await diskOf(file)).freeShare;
      gauge('cobrowse_database_disk_free_ratio', 'Free share of the disk that SQLite’s file is on.', free);
    },
  };
}

/** In Prometheus's text format, durations in seconds. Labels are ours: never an id, a name or an address. */
export function createMetrics(droppedLogLines: () => number = () => 0) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges named like counters, which promtool refuses; the same numbers exist by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });

  new Gauge({
    name: 'cobrowse_build_info',
    help: 'Always 1; its labels say which version runs.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: VERSION, node: process.versions.node }, 1);
  const dropped: Counter = new Counter({
    name: 'cobrowse_log_lines_dropped_total',
    help: 'Lines of the log that could not be written.',
    registers,
    collect() {
      dropped.reset();
      dropped.inc(droppedLogLines());
    },
  });

  return {
    answers: counter('cobrowse_answers_total', 'Commands, presses and shortcuts.', 'name', 'outcome'),
    watches: counter('cobrowse_watch_openings_total', 'Watch addresses opened, links in Slack.', 'outcome'),
    sessionEnds: counter('cobrowse_session_end_webhooks_total', 'Session-end webhooks.', 'outcome'),
    deliveries: counter('cobrowse_delivery_attempts_total', 'Attempts to post a summary.', 'outcome'),
    webhooks: counter('cobrowse_outgoing_webhook_attempts_total', 'Attempts to send a webhook.', 'outcome'),
    links: counter('cobrowse_watch_links_total', 'Watch links issued, and what became of them.', 'outcome'),
    looks: counter('cobrowse_reconcile_lookups_total', 'Look-ups of sessions without a webhook.', 'outcome'),
    refusals: counter('cobrowse_slack_requests_refused_total', 'Requests said to be Slack’s.', 'reason'),
    acknowledgements: histogram('cobrowse_acknowledgement_seconds', 'From Slack’s request to its answer.'),
    pages: histogram('cobrowse_http_answer_seconds', 'Answers to HTTP requests.', 'path', 'status'),
    service: histogram('cobrowse_service_answer_seconds', 'Answers of the service.', 'outcome'),
    slack: histogram('cobrowse_slack_answer_seconds', 'Answers of Slack.', 'method', 'outcome'),
    database: new Histogram({
      name: 'cobrowse_database_seconds',
      help: 'Reads and writes of the database.',
      labelNames: ['what'],
      buckets: DATABASE_BUCKETS,
      registers,
    }),
    ...createWatches(registers),
    /** Never rejects: a number that can't be read is left out. */
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
