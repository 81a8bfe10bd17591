import { randomUUID } from 'node:crypto';
import { createAdmin } from './admin/admin.ts';
import { createAudit } from './audit/audit.ts';
import { createRecording } from './audit/recording.ts';
import { createCrashes, createNamedClaims, removeOldClaims } from './database/named-claims.ts';
import { createSessionSchema } from './cobrowse/schemas.ts';
import { createCatalog, type Catalog } from './commands/catalog.ts';
import { createRights } from './commands/rights.ts';
import type { Config } from './config/config.ts';
import { isServedAlone, openForServing, openMomentary } from './database/open.ts';
import { createRetention } from './database/retention.ts';
import { createZoneOf } from './messages/days.ts';
import { createHome } from './home/home.ts';
import { createHealthRoutes } from './http/health.ts';
import { page } from './http/page.ts';
import { createHttpServer } from './http/server.ts';
import type { Log } from './logging/log.ts';
import { unexpectedFailureWords } from './messages/failure-words.ts';
import { createMetrics } from './logging/metrics.ts';
import { createCurrentChannelId } from './outbox/channels.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createPostInTurn, createSlackTransport } from './outbox/transport.ts';
import type { App } from './parts.ts';
import { createPermissions } from './permissions/permissions.ts';
import { createReports } from './reports.ts';
import type { LookUpWaits } from './sessions/poll-schedule.ts';
import { createSessions } from './sessions/sessions.ts';
import { NEEDED_SCOPES, slackSetup } from './slack/setup-state.ts';
import { createSlack, listenToSlack } from './slack/slack.ts';
import { stopInOrder } from './lifecycle/stopping.ts';
import { Chart, createCharts } from './subscriptions/charts.ts';
import { createSubscriptions } from './subscriptions/subscriptions.ts';
import { createAsks } from './team/asks.ts';
import { createTeam } from './team/team.ts';
import { createTickets } from './http/tickets.ts';
import { createVisitors, createWaits } from './visitors/visitors.ts';
import { createAgents, externalIdOf } from './watch/agents.ts';
import { createButtons } from './watch/buttons.ts';
import { createWatching } from './watch/watching.ts';
import { type WorkspaceSource, createWorkspaces } from './workspaces/workspaces.ts';
import { createWebhooks, type FirstWebhook } from './webhooks/webhooks.ts';

/** What can be changed around the app, mostly for tests. */
export interface AppOptions {
  readonly log: Log;
  /** How many log lines couldn't be written so far. */
  readonly droppedLogLines?: () => number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** The workspaces; the one in the settings if not given. */
  readonly workspaces?: readonly WorkspaceSource[];
  /** An address for webhooks that is added at the start. */
  readonly webhook?: FirstWebhook;
  /** Pause between two posts in one channel, milliseconds. */
  readonly paceMs?: number;
  /** Instead of the usual waits before asking the service about a session's end. */
  readonly reconcile?: Partial<LookUpWaits>;
  /** How often to look for digests that are due, milliseconds. */
  readonly schedulerMs?: number;
  /** How long a page waits for its press each time, milliseconds. */
  readonly pageWaitMs?: number;
  /** Cancels the start, which then rejects with its reason, after stopping what was started. */
  readonly signal?: AbortSignal;
  /** Aborted when the app is about to stop: its health says so, and a start that waits for the database is canceled. */
  readonly leaving?: AbortSignal;
}

export interface RunningApp {
  /** The port it listens on. */
  readonly port: number;
  /** Everything people can ask for. */
  readonly catalog: Catalog;
  /** Accepts nothing new, finishes what was acknowledged, closes. */
  stop(): Promise<void>;
  /** Called before a stop by an error that nobody caught: it's counted, and nothing more is sent. */
  crashed(): Promise<void>;
}

const newReference = () => randomUUID().slice(0, 8);
/** After its drain, a process needs less to finish what it acknowledged. */
const STOPPED_WITHIN_S = 15;

/**
 * Starts the whole app: the only place where its parts are joined. From top to bottom: the database, the workspaces,
 * people and their permissions, the outbox and what fills it, watching, commands, the Home tab, and the ways in.
 *
 * @throws DatabaseError, DatabaseUrlError, SlackTokenError (by rejecting), each with words for whoever runs it
 */
export async function startApp(config: Config, options: AppOptions): Promise<RunningApp> {
  const { log, leaving, now = Date.now, schedulerMs: everyMs = 30_000 } = options;
  const { publicUrl, secretKeys, storeUrl } = config;
  const metrics = createMetrics(options.droppedLogLines);
  const reports = createReports(log, metrics);
  // A test's clock is the only one there is.
  const elapsed = options.now ?? performance.now.bind(performance);
  const complain = (words: string) => (error: unknown) => log.error({ err: error }, words);
  for (const warning of config.warnings) log.warn(warning);

  // The database.
  const database = await openForServing(storeUrl, {
    ...reports.database,
    mayBeOneWay: config.mayBeOneWay,
    waitMs: (config.drainSeconds + STOPPED_WITHIN_S) * 1_000,
    signal: leaving,
  });
  const momentary = await openMomentary(storeUrl, database, now);
  const [secret] = secretKeys;
  const audit = createAudit({ database, now, keptDays: config.auditDays, secret, report: reports.audit });
  const { prepare, record } = audit;
  const currentChannelId = createCurrentChannelId(database, elapsed);
  const ticketKind = createTickets(secretKeys, now);

  // The workspaces.
  const sources = options.workspaces ?? [config];
  const workspaces = createWorkspaces({ ...config, sources, database, prepare, log, metrics, now, elapsed });

  // People and their permissions.
  const slack = createSlack({ log, workspaces, currentChannelId, elapsed });
  const permissions = createPermissions({ ...slack, settingsOf: workspaces.settingsOf, currentChannelId });
  const { ifAllowed, recordRefusal } = createRights({ ...permissions, record });
  const transport = createSlackTransport(slack, { now, paceMs: options.paceMs });
  const { paceMs } = transport;

  // The outbox, which all that is said without being asked for goes through.
  const singleProcess = isServedAlone(storeUrl);
  const outbox = createOutbox({
    ...slack,
    ...workspaces,
    database,
    now,
    transport,
    singleProcess,
    reports: reports.deliveries,
  });
  metrics.watch(outbox.overview, { storeUrl, now });

  // What every room may use, and what fills the outbox.
  const app: App = {
    ...workspaces,
    ...slack,
    post: createPostInTurn({ ...slack, database, paceMs, now }),
    ...permissions,
    workspaceOf: workspaces.get,
    database,
    outbox,
    audit,
    record,
    prepare,
    recording: createRecording(audit),
    recordRefusal,
    claims: createNamedClaims(database, now),
    externalIdOf,
    zoneOf: createZoneOf(slack.profileOf),
    ticketKind,
    publicUrl,
    now,
    elapsed,
    everyMs,
  };
  const agents = createAgents(app, reports.agents);
  slack.onFreshProfile(agents.noticeProfile);
  const charts = createCharts({ ...app, tickets: ticketKind('chart', Chart) });
  const subscriptions = createSubscriptions(app, { charts, reports: reports.subscriptions });
  const webhooks = createWebhooks(app, {
    config,
    matches: subscriptions.matches,
    first: options.webhook,
    singleProcess,
    report: reports.webhooks,
  });
  metrics.watchWebhooks(webhooks);
  const crashes = createCrashes(database, now);
  metrics.watchCrashes(() => crashes.count());
  const buttons = createButtons(app);
  const asks = createAsks(app);
  const sessions = createSessions(app, {
    asks,
    subscribers: subscriptions.subscribers,
    events: webhooks.events,
    sessionSchema: createSessionSchema(...sources.map(({ cobrowse }) => cobrowse.wireNames.sessionLinkId)),
    keyOf: agents.keyOf,
    waits: options.reconcile,
    sessionDays: config.sessionDays,
    reports: reports.sessions,
  });
  const waits = createWaits(app, reports.onlineLookUp);

  // From the Watch button to the link.
  const watching = createWatching(app, {
    buttons,
    agents,
    links: sessions.links,
    onIt: waits.onIt,
    putOnRecord: sessions.putOnRecord,
    momentary,
    sessionEndTickets: sessions.tickets,
    watchProof: config.watchProof,
    isOverHttp: config.slack.mode !== 'socket',
    pageWaitMs: options.pageWaitMs,
    ...reports.watch,
  });

  // What commands may use.
  const { showing } = watching;
  const team = createTeam(app, {
    sessions,
    asks,
    events: webhooks.events,
    showing,
    visitorToolsOf: buttons.visitorTools,
    keyOf: agents.keyOf,
  });
  const visitors = createVisitors(app, { showing, waits });
  const admin = createAdmin(app, {
    ...config,
    probeTickets: sessions.probeTickets,
    dispatcher: workspaces.slackAgent,
    slackOf: (client) => slackSetup(client, config.slack),
  });
  /** Every subcommand except help, in the order of help. A new one is its own file, made by its room, and a line here. */
  const commands = [
    visitors.find,
    watching.watchCommand(team.buttons),
    visitors.visitor,
    ...team.commands,
    admin.usage,
    watching.proxyCommand,
    visitors.delete,
    admin.audit,
    ...subscriptions.commands,
    admin.doctor,
  ];

  // The Home tab.
  const home = createHome(app, {
    ...showing,
    find: visitors.find,
    admin,
    webhooks: webhooks.atHome,
    links: sessions.links,
    followUps: team.followUps,
    sessionsCommand: team.sessionsCommand,
    charts,
    report: (error, viewer) => log.warn({ ...viewer, err: error }, 'part of the Home tab failed to load'),
  });
  const catalog = createCatalog(visitors.find, commands, home.surface, permissions.isAdmin);

  // The ways in: Slack, over HTTP or a socket, and our own addresses.
  const incoming = listenToSlack(app, {
    log,
    config: config.slack,
    workspaces,
    metrics,
    newReference,
    // Nobody waits for these.
    claims: createNamedClaims(database.inBackground(), now),
    catalog,
    ifAllowed,
    home,
    changes: subscriptions.channels,
  });
  metrics.watchSocket(incoming);
  const server = createHttpServer(
    [
      ...incoming.routes,
      ...workspaces.installRoutes({ ...app, scopes: NEEDED_SCOPES, installed: outbox.wake }),
      ...watching.routes,
      sessions.route,
      charts.route,
      ...createHealthRoutes({ database, report: complain('not ready'), ...incoming, metrics, leaving }),
    ],
    (error, where) => {
      const reference = newReference();
      log.error({ err: error, where, reference }, 'unexpected failure');
      return page(500, unexpectedFailureWords(reference));
    },
    { answered: metrics.pages, leaving },
  );
  const ofMoments = momentary.database.inBackground();
  const purge = workspaces.purge(ofMoments, complain('a workspace could not be removed'));
  const removals = [audit, outbox, sessions, team, waits, watching, webhooks].flatMap(
    (room) => room.removals,
  );
  const retention = createRetention({
    of: [
      [database.inBackground(), removeOldClaims, ...removals],
      [ofMoments, ...watching.momentaryRemovals],
    ],
    now,
    report: complain('old rows could not be removed'),
  });

  /** Stops last what the others still use: presses and posts use agents, and everything uses the database. */
  const stop = () =>
    stopInOrder([
      [() => watching.stop()],
      [() => server.close(), () => incoming.stop()],
      [() => incoming.idle()],
      [() => subscriptions.stop(), () => waits.stop(), () => purge.stop()],
      [() => retention.stop()],
      [() => sessions.stop()],
      [() => webhooks.stop()],
      [() => outbox.stop()],
      [() => webhooks.close()],
      [() => agents.stop()],
      [() => workspaces.close()],
      [() => momentary.close()],
      [() => audit.close()],
      [() => database.close()],
    ]);

  async function crashed(): Promise<void> {
    await Promise.all([outbox.crashed(), webhooks.crashed(), crashes.record()]);
  }

  try {
    const port = await server.listen(config.port, config.host);
    await outbox.start();
    await webhooks.start();
    for (const part of [sessions, subscriptions, waits, purge, retention]) part.start();
    await incoming.start(options.signal);
    return { port, catalog, stop, crashed };
  } catch (error) {
    await stop().catch(complain('what was started could not be stopped'));
    throw error;
  }
}
