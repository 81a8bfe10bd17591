import { randomUUID } from 'node:crypto';
import { createAdmin } from './admin/admin.ts';
import { createAudit, removeOldEntries } from './audit/audit.ts';
import { createRecording } from './audit/recording.ts';
import { CobrowseError } from './cobrowse/errors.ts';
import { createSessionSchema } from './cobrowse/schemas.ts';
import { createCatalog } from './commands/catalog.ts';
import type { Catalog } from './commands/catalog.ts';
import { createIfAllowed, createRecordRefusal } from './commands/rights.ts';
import type { Config } from './config/config.ts';
import { createLastRead } from './database/last-read.ts';
import { createNamedClaims, removeOldClaims } from './database/named-claims.ts';
import { isServedAlone, openForServing, openMomentary } from './database/open.ts';
import { createRetention } from './database/retention.ts';
import { createHome } from './home/home.ts';
import { createHealthRoutes } from './http/health.ts';
import { page } from './http/page.ts';
import { createHttpServer } from './http/server.ts';
import type { Log } from './log.ts';
import { unexpectedFailureWords } from './messages/failure-words.ts';
import { IssuedLink } from './messages/link-request.ts';
import { createMetrics } from './metrics.ts';
import { channelNow, wakeWorkers } from './outbox/channels.ts';
import { createDeliveries } from './outbox/deliveries.ts';
import { createIds } from './outbox/delivery.ts';
import { secondsSince } from './outbox/lateness.ts';
import { deliveryRemovals } from './outbox/retention.ts';
import { createPermissions } from './permissions/permissions.ts';
import { repeat } from './repeating.ts';
import { reportAudit, reportDeliveries, reportMissedEnd, reportLookUp, reportWatch } from './reports.ts';
import { createAfterSession } from './sessions/after-session.ts';
import { createAgentCommand } from './sessions/agent.ts';
import type { LookUpWaits } from './sessions/look-up.ts';
import { createMissedEnds } from './sessions/missed-ends.ts';
import { Probe } from './sessions/probe.ts';
import { createRunningSessions } from './sessions/running-sessions.ts';
import { createSessionEnds } from './sessions/session-ends.ts';
import { removeOldOwners } from './sessions/session-links.ts';
import { createSessionOutcomes } from './sessions/session-outcomes.ts';
import { createStopCommand } from './sessions/stop.ts';
import { createStopRecords, removeOldStops } from './sessions/stops.ts';
import { createPostReply } from './sessions/thread-reply.ts';
import { createWatchLinks, removeOldLinks } from './sessions/watch-links.ts';
import { slackSetup } from './slack/setup-state.ts';
import { createSlack, listenToSlack } from './slack/slack.ts';
import { stopInOrder } from './stopping.ts';
import { Chart, createCharts } from './subscriptions/charts.ts';
import { createDigestCommand } from './subscriptions/digest.ts';
import { createSubscriptionForms } from './subscriptions/form.ts';
import { createSubscribeCommand } from './subscriptions/subscribe.ts';
import { createSubscriptionsCommand } from './subscriptions/subscriptions-command.ts';
import { createSubscriptions } from './subscriptions/subscriptions.ts';
import { createUnsubscribeCommand } from './subscriptions/unsubscribe.ts';
import { createTickets } from './tickets.ts';
import { createOnIt, removeOldVisitorClaims } from './visitors/on-it.ts';
import { createOnlineRequests, removeOldOnlineRequests } from './visitors/online-requests.ts';
import { createOnlineWatch } from './visitors/online-watch.ts';
import { createVisitors } from './visitors/visitors.ts';
import { createAgents, externalIdOf } from './watch/agents.ts';
import type { PutOnRecord } from './watch/issue-link.ts';
import { createWatching } from './watch/watching.ts';
import { createWorkspaces } from './workspaces/workspaces.ts';
import type { WorkspaceSource } from './workspaces/workspaces.ts';

/** What can be changed around the app, mostly for tests. */
export interface AppOptions {
  readonly log: Log;
  /** How many log lines couldn't be written so far. */
  readonly droppedLogLines?: () => number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** The workspaces; the one in the settings if not given. */
  readonly workspaces?: readonly WorkspaceSource[];
  /** Pause between two posts in one channel, milliseconds. */
  readonly paceMs?: number;
  /** Instead of the usual waits before asking the service about a session's end. */
  readonly reconcile?: Partial<LookUpWaits>;
  /** How often to look for digests that are due, milliseconds. */
  readonly schedulerMs?: number;
  /** How long a page waits for its press each time, milliseconds. */
  readonly pageWaitMs?: number;
  /** How long a press waits to learn who presses, milliseconds. */
  readonly patienceMs?: number;
  /** Cancels the start, which then rejects with its reason, after stopping what was started. */
  readonly signal?: AbortSignal;
}

export interface RunningApp {
  /** The port it listens on. */
  readonly port: number;
  /** Everything people can ask for. */
  readonly catalog: Catalog;
  /** Accepts nothing new, finishes what was acknowledged, closes. */
  stop(): Promise<void>;
}

const newReference = () => randomUUID().slice(0, 8);

/**
 * Starts the whole app: the only place where its parts are joined. From top to bottom: the database, the workspaces,
 * people and permissions, subscriptions, deliveries, watching, commands, the Home tab, and the ways in.
 *
 * @throws DatabaseError, DatabaseUrlError, SlackTokenError (by rejecting), each with words for whoever runs it
 */
export async function startApp(config: Config, options: AppOptions): Promise<RunningApp> {
  const { log, now = Date.now } = options;
  const { publicUrl, secretKeys, storeUrl } = config;
  // A test's clock is the only one there is.
  const elapsed = options.now ?? (() => performance.now());
  const warn = (words: string) => (error: unknown) => log.warn({ err: error }, words);
  const complain = (words: string) => (error: unknown) => log.error({ err: error }, words);
  for (const warning of config.warnings) log.warn(warning);

  // The database.
  const database = await openForServing(storeUrl, {
    onWait: () => log.warn('another copy of the app is using the database file: waiting for it to stop'),
    openToOthers: (file, err) =>
      log.warn({ file, err }, 'other users can open a file of the database, and its mode can’t be changed'),
    damaged: complain('the database file is damaged: restore a backup (docs/operations.md)'),
    notExamined: warn('the database file can’t be examined for damage'),
    signal: options.signal,
  });
  const momentary = await openMomentary(storeUrl, database, now);
  const metrics = createMetrics(options.droppedLogLines);
  const audit = createAudit({
    database,
    now,
    keptDays: config.auditDays,
    secret: secretKeys[0],
    report: reportAudit(log),
  });
  const recording = createRecording(audit);
  const links = createWatchLinks(database, now);
  const currentChannelId = createLastRead({
    read: (workspaceId, channelId) => channelNow(database, { workspaceId, channelId }),
    // Slack says the id that a channel has now, except in buttons from before it got that.
    otherwise: (channelId) => channelId,
    elapsed,
  });
  const ticketKind = createTickets(secretKeys, now);
  const sessionEndTickets = ticketKind('session-end', IssuedLink);
  const probeTickets = ticketKind('session-end-probe', Probe);

  // The workspaces.
  const sources = options.workspaces ?? [config];
  const workspaces = createWorkspaces({
    sources,
    publicUrl,
    watchHosts: config.watchHosts,
    database,
    prepare: audit.prepare,
    log,
    now,
    elapsed,
  });
  const { cobrowseOf, settingsOf, settings, reportsEnds } = workspaces;
  const workspaceOf = workspaces.get;

  // People and their permissions.
  const slack = createSlack({ log, workspaces, currentChannelId, now });
  const { profileOf, emailOf, isInChannel, isInGroup, isPublic, isShared } = slack;
  const { post, find, stateOf, groupsOf, showPrivately } = slack;
  const agents = createAgents({
    database,
    profileOf,
    workspaceOf,
    now,
    patienceMs: options.patienceMs,
    report: warn('the agent of a Slack user could not be looked up'),
    changed: (change) => log.info(change, 'a Slack user is now a different agent in the service'),
  });
  slack.onFreshProfile(agents.noticeProfile);
  const { checkRule, mayAct, isAdmin } = createPermissions({ ...slack, settingsOf, currentChannelId });
  const recordRefusal = createRecordRefusal(audit.record);
  const ifAllowed = createIfAllowed({ mayAct, isAdmin, recordRefusal });

  // Subscriptions, deliveries, and session ends that no webhook reports.
  const subscriptions = createSubscriptions({
    database,
    audit,
    settings,
    mayAct,
    profileOf,
    isInChannel,
    isInGroup,
    isPublic,
    reportsEnds,
    async tagsOf(workspaceId, visitorId) {
      const cobrowse = await cobrowseOf(workspaceId);
      const visitor = await cobrowse.visitor(visitorId).catch((error: unknown) => {
        if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
        throw error;
      });
      return visitor?.tags ?? [];
    },
    post,
    find,
    stateOf,
    now,
    elapsed,
    reports: {
      unreadable: complain("a subscription record can't be read"),
      notMoved: complain("a channel's new id could not be saved yet"),
      schedule: complain('scheduled subscription work failed'),
    },
  });
  const charts = createCharts({ tickets: ticketKind('chart', Chart), publicUrl });
  const stops = createStopRecords(database, now);
  const runningSessions = createRunningSessions({ links, cobrowseOf, keyOf: agents.keyOf, now });
  const sessionEnds = createSessionEnds(database);
  const deliveries = createDeliveries({
    database,
    sessionEnds,
    subscribers: subscriptions.subscribers,
    summaryChannelOf: workspaces.summaryChannelOf,
    tickets: sessionEndTickets,
    probeTickets,
    sessionSchema: createSessionSchema(...sources.map(({ cobrowse }) => cobrowse.wireNames.sessionLinkId)),
    slack,
    visitor: async (workspaceId, visitorId) =>
      cobrowseOf(workspaceId)
        .then((cobrowse) => cobrowse.visitor(visitorId))
        .catch(() => undefined),
    isShared,
    isInChannel,
    stoppedBy: (workspaceId, visitorId, session) => stops.stoppedBy(workspaceId, visitorId, session),
    pictureOf: (digest) => charts.pictureOfDigest(digest),
    async sessionsOf(workspaceId) {
      const { cobrowse, endSource } = await workspaceOf(workspaceId);
      return { canStop: cobrowse.offers.stopSession, endSource };
    },
    isAlone: isServedAlone(storeUrl),
    paceMs: options.paceMs,
    now,
    reports: reportDeliveries(log, metrics),
  });
  const { overview } = deliveries;
  const sessionOutcomes = createSessionOutcomes({
    database,
    sessionEnds,
    prepare: (entry) => audit.prepare(entry),
    newId: createIds(now),
    now,
  });
  metrics.watchSummaries({
    waiting: () => overview.waiting(),
    oldestSeconds: async () => secondsSince((await overview.oldest())?.since ?? now(), now()),
    inTrouble: () => overview.inTrouble(),
  });
  const missedEnds = createMissedEnds({
    database,
    links,
    accept: (link, session) => deliveries.recover(link, session),
    show: (link, concluded, others) => deliveries.conclude(link, concluded, others),
    showRunning: (link, seenAt) => deliveries.showRunning(link, seenAt),
    keyOf: agents.keyOf,
    serviceOf: workspaceOf,
    waits: options.reconcile,
    now,
    report: reportMissedEnd(log, metrics),
    reportLookUp: reportLookUp(log, metrics),
  });
  const claims = createNamedClaims(database, now);
  const onIt = createOnIt(database, now);
  const onlineRequests = createOnlineRequests(database, now);
  const { schedulerMs = 30_000 } = options;
  const runDue = subscriptions.createScheduler(
    ({ subscription: { workspaceId, id, channelId }, number }, digest, advance) =>
      deliveries.sendDigest(
        { workspaceId, subscription: id, channelId, number: number + 1 },
        digest,
        advance,
      ),
  );
  const scheduler = repeat(runDue, schedulerMs);
  const lookOnline = createOnlineWatch({
    requests: onlineRequests,
    claims,
    cobrowseOf,
    mayAct,
    post,
    find,
    record: (entry) => audit.record(entry),
    report: warn('a customer somebody waits for could not be looked up'),
  });
  // Separate from the other rounds: a slow answer from the service must not delay a digest.
  const onlineWatch = repeat(lookOnline, schedulerMs);

  // From the Watch button to the link.
  /** Writes a link with its audit entry and its card in one transaction. */
  const putOnRecord: PutOnRecord = async (entry, issued) => {
    const prepared = audit.prepare(entry);
    if (issued === undefined) {
      await database.write(prepared.statement);
      prepared.report();
      return;
    }
    const card = deliveries.cardOf(issued.link, issued.agent.name);
    const link = await missedEnds.prepareLink(issued, card.id);
    await database.write(...card.locks, link.statement, prepared.statement, ...card.statements);
    prepared.report();
    metrics.linkCounted('issued');
    link.planned();
    wakeWorkers(database);
  };
  const watching = createWatching({
    workspaceOf,
    recording,
    agents,
    links,
    onIt,
    checkRule,
    audit,
    putOnRecord,
    database,
    momentary,
    ticketKind,
    sessionEndTickets,
    publicUrl,
    watchProof: config.watchProof,
    isOverHttp: config.slack.mode === 'http',
    pageWaitMs: options.pageWaitMs,
    now,
    elapsed,
    showPrivately,
    report: reportWatch(log, metrics),
    reportUnknown: warn('Slack could not be asked who may watch'),
    reportPartners: warn('who is in a session could not be looked up'),
  });

  // What commands may use.
  const { showing } = watching;
  const { visitorTools, partnersOf } = showing;
  const afterSession = createAfterSession({
    sessionOutcomes,
    mayAct,
    recordRefusal,
    recording,
    visitorTools,
    isShared,
    postReply: createPostReply(post, find, now),
  });
  const visitors = createVisitors({
    recording,
    showing,
    onIt,
    onlineRequests,
    emailOf,
    profileOf,
    mayAct,
    record: audit.record,
    now,
  });
  const { service } = subscriptions;
  const admin = createAdmin({
    workspaceOf,
    profileOf,
    isPublic,
    isInChannel,
    groupsOf,
    sendFile: slack.sendFile,
    claims,
    settings,
    audit,
    recording,
    deliveries,
    setup: {
      warnings: config.warnings,
      publicUrl,
      storeUrl,
      database,
      probeTickets,
      slackOf: (client) => slackSetup(client, config.slack),
    },
    now,
  });
  /** Every subcommand except help, in the order of help. A new one is its own file and a line here. */
  const commands = [
    visitors.find,
    watching.watchCommand(afterSession),
    visitors.visitor,
    createAgentCommand({ emailOf, externalIdOf, recording }),
    createStopCommand({ links, stops, runningSessions, partnersOf, mayAct, recording, now }),
    admin.usage,
    watching.proxyCommand,
    visitors.delete,
    admin.audit,
    createSubscribeCommand(service, createSubscriptionForms({ service, groupsOf })),
    createUnsubscribeCommand(service),
    createSubscriptionsCommand(service),
    createDigestCommand(service),
    admin.doctor,
  ];

  // The Home tab.
  const home = createHome({
    find: visitors.find,
    admin,
    workspaceOf,
    profileOf,
    externalIdOf,
    ...showing,
    mayAct,
    isAdmin,
    record: audit.record,
    links,
    charts,
    database,
    claims,
    show: showPrivately,
    now,
    report: (error, viewer) => log.warn({ ...viewer, err: error }, 'part of the Home tab failed to load'),
  });

  const catalog = createCatalog(visitors.find, commands, home.surface, isAdmin);

  // The ways in: Slack, over HTTP or a socket, and our own addresses.
  const incoming = listenToSlack({
    log,
    slack,
    config: config.slack,
    workspaces,
    metrics,
    newReference,
    now,
    catalog,
    ifAllowed,
    home,
    prefetch: (workspaceId, userId) => void agents.prefetch(workspaceId, userId),
    changes: subscriptions.channels,
  });
  const server = createHttpServer(
    [
      ...incoming.routes,
      ...watching.routes,
      deliveries.route,
      charts.route,
      ...createHealthRoutes({ check: () => database.check(), report: complain('not ready'), metrics }),
    ],
    (error, where) => {
      const reference = newReference();
      log.error({ err: error, where, reference }, 'unexpected failure');
      return page(500, unexpectedFailureWords(reference));
    },
  );
  const keep = { clocks: { now, elapsed }, report: complain('old rows could not be removed') };
  const retention = createRetention({
    database,
    removals: [
      (until, limit) => removeOldEntries(config.auditDays, until, limit),
      removeOldLinks,
      removeOldStops,
      removeOldClaims,
      removeOldVisitorClaims,
      removeOldOnlineRequests,
      removeOldOwners,
      ...watching.removals,
      ...deliveryRemovals,
    ],
    ...keep,
  });
  const momentaryRetention = createRetention({
    database: momentary.database,
    removals: watching.momentaryRemovals,
    ...keep,
  });

  /** Stops last what the others still use: presses and posts use agents, and everything uses the database. */
  const stop = () =>
    stopInOrder([
      [() => watching.stop()],
      [() => server.close(), () => incoming.stop()],
      [() => incoming.idle()],
      [() => scheduler.stop(), () => onlineWatch.stop()],
      [() => retention.stop(), () => momentaryRetention.stop()],
      [() => missedEnds.stop()],
      [() => deliveries.stop()],
      [() => agents.stop()],
      [() => workspaces.close()],
      [() => momentary.close()],
      [() => audit.close()],
      [() => database.close()],
    ]);

  try {
    const port = await server.listen(config.port, config.host);
    await deliveries.start();
    missedEnds.start();
    scheduler.start();
    onlineWatch.start();
    retention.start();
    momentaryRetention.start();
    await incoming.start(options.signal);
    return { port, catalog, stop };
  } catch (error) {
    await stop().catch(complain('what was started could not be stopped'));
    throw error;
  }
}
