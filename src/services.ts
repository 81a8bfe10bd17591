import { randomUUID } from 'node:crypto';
import { createAudit } from './audit/audit.ts';
import { createRecording } from './audit/recording.ts';
import { createSessionSchema } from './cobrowse/schemas.ts';
import { createRights } from './commands/rights.ts';
import type { Config } from './config/config.ts';
import type { Database } from './database/database.ts';
import { createNamedClaims } from './database/named-claims.ts';
import { isSingleProcess, openForServing } from './database/open.ts';
import { createHealthRoutes } from './http/health.ts';
import { goneCharts, page } from './http/page.ts';
import { createHttpServer, type Route } from './http/server.ts';
import { createTickets } from './http/tickets.ts';
import type { Log } from './logging/log.ts';
import { createMetrics, type Metrics } from './logging/metrics.ts';
import { createZoneOf } from './messages/days.ts';
import { unexpectedFailureWords } from './messages/failure-words.ts';
import { createCurrentChannelId } from './outbox/channels.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createBlockRefusals, createSlackTransport } from './outbox/transport.ts';
import type { App } from './parts.ts';
import { createPermissions } from './permissions/permissions.ts';
import { createReports } from './reports.ts';
import type { LookUpWaits } from './sessions/session-poller.ts';
import { createSlack } from './slack/slack.ts';
import { externalIdOf } from './watch/agents.ts';
import type { FirstWebhook } from './webhooks/webhooks.ts';
import { createWorkspaces } from './workspaces/workspaces.ts';

/** Mostly for tests. */
export interface AppOptions {
  readonly log: Log;
  readonly droppedLogLines?: () => number;
  readonly now?: () => number;
  /** Added at the start. */
  readonly webhook?: FirstWebhook;
  readonly paceMs?: number;
  /** Instead of the usual waits before asking the service about a session's end. */
  readonly reconcile?: Partial<LookUpWaits>;
  readonly schedulerMs?: number;
  /** How long a page waits for its press each time. */
  readonly pageWaitMs?: number;
  /** Cancels the start, which then rejects with its reason, after stopping what was started. */
  readonly signal?: AbortSignal;
  /** Aborted when the app is about to stop: its health says so, and a start that waits for the database is canceled. */
  readonly leaving?: AbortSignal;
}

/** After its drain, a process needs less to finish what it acknowledged. */
const STOPPED_WITHIN_S = 15;

export const newReference = () => randomUUID().slice(0, 8);

/** Our own addresses, with those that whoever watches over the app asks. */
function createServe({ log, leaving }: AppOptions, database: Database, metrics: Metrics) {
  const report = (err: unknown) => log.error({ err }, 'not ready');
  return (routes: readonly Route[], disconnectedMs: () => number) =>
    createHttpServer(
      [...routes, goneCharts, ...createHealthRoutes({ database, report, disconnectedMs, metrics, leaving })],
      (err, where) => {
        const reference = newReference();
        log.error({ err, where, reference }, 'unexpected failure');
        return page(500, { title: 'That didn’t work', ...unexpectedFailureWords(reference) });
      },
      { answered: metrics.pages, leaving },
    );
}

/** @throws DatabaseError, DatabaseUrlError, SlackTokenError (by rejecting), each with words for whoever runs it */
export async function openServices(config: Config, options: AppOptions) {
  const { log, now = Date.now, schedulerMs: everyMs = 30_000 } = options;
  const { publicUrl, secretKeys, storeUrl } = config;
  const metrics = createMetrics(options.droppedLogLines);
  const reports = createReports(log, metrics);
  // A test's clock is the only one there is.
  const elapsed = options.now ?? performance.now.bind(performance);
  for (const warning of config.warnings) log.warn(warning);

  const database = await openForServing(storeUrl, {
    ...reports.database,
    mayBeOneWay: config.mayBeOneWay,
    waitMs: (config.drainSeconds + STOPPED_WITHIN_S) * 1_000,
    signal: options.leaving,
  });
  const [secret] = secretKeys;
  const audit = createAudit({ database, now, keptDays: config.auditDays, secret, report: reports.audit });
  const { prepare, record } = audit;
  const currentChannelId = createCurrentChannelId(database, elapsed);
  const ticketKind = createTickets(secretKeys, now);

  const workspaces = createWorkspaces({ ...config, database, prepare, log, metrics, now, elapsed });

  const slack = createSlack({ log, workspaces, currentChannelId, now, elapsed });
  const permissions = createPermissions({ ...slack, settingsOf: workspaces.settingsOf });
  const { ifAllowed, recordRefusal } = createRights({ ...permissions, record });
  const claims = createNamedClaims(database, now);
  const newBlocks = createBlockRefusals(claims);
  const transport = createSlackTransport(slack, newBlocks, now, options.paceMs);

  const singleProcess = isSingleProcess(storeUrl);
  const delivering = { database, now, transport, singleProcess, reports: reports.deliveries };
  const outbox = createOutbox({ ...slack, ...workspaces, ...delivering });
  if (workspaces.refreshing !== undefined) outbox.addJob(workspaces.refreshing);
  metrics.watch(outbox.overview, { storeUrl, now });

  const app: App = {
    ...workspaces,
    ...slack,
    ...permissions,
    workspaceOf: workspaces.get,
    database,
    outbox,
    audit,
    record,
    prepare,
    recording: createRecording(audit),
    recordRefusal,
    claims,
    newBlocks,
    externalIdOf,
    zoneOf: createZoneOf(slack.profileOf),
    ticketKind,
    publicUrl,
    now,
    elapsed,
    everyMs,
  };
  const sessionSchema = createSessionSchema(config.cobrowse.wireNames.sessionLinkId);
  const serve = createServe(options, database, metrics);
  return { app, workspaces, ifAllowed, metrics, reports, singleProcess, sessionSchema, serve };
}
