import { createAdmin } from './admin/admin.ts';
import { createCatalog, type Catalog } from './commands/catalog.ts';
import type { Config } from './config/config.ts';
import { removeOldClaims } from './database/named-claims.ts';
import { createRetention } from './database/retention.ts';
import { createHome } from './home/home.ts';
import { stopInOrder } from './lifecycle/stopping.ts';
import { newReference, openServices, type AppOptions } from './services.ts';
import { createSessions } from './sessions/sessions.ts';
import { scopesAsked, slackSetup } from './slack/setup-state.ts';
import { listenToSlack } from './slack/slack.ts';
import { createSubscriptions } from './subscriptions/subscriptions.ts';
import { createAsks } from './team/asks.ts';
import { createTeam } from './team/team.ts';
import { createVisitors, createOnItAndOnline } from './visitors/visitors.ts';
import { createAgents } from './watch/agents.ts';
import { createButtons } from './watch/buttons.ts';
import { createWatching } from './watch/watching.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

export interface RunningApp {
  readonly port: number;
  readonly catalog: Catalog;
  /** Accepts nothing new, finishes what was acknowledged, closes. */
  stop(): Promise<void>;
  /** Called before a stop by an uncaught error: nothing more is sent. */
  crashed(): void;
}

type Services = Awaited<ReturnType<typeof openServices>>;

function joinRooms(services: Services, config: Config, options: AppOptions) {
  const { app, metrics, reports } = services;

  // Stores, and what fills the outbox.
  const agents = createAgents(app, reports.agents);
  const subscriptions = createSubscriptions(app, reports.subscriptions);
  const webhooks = createWebhooks(app, {
    config,
    matches: subscriptions.matches,
    first: options.webhook,
    singleProcess: services.singleProcess,
    report: reports.webhooks,
  });
  metrics.watchWebhooks(webhooks);
  const buttons = createButtons(app);
  const asks = createAsks(app);
  const sessions = createSessions(app, {
    asks,
    subscribers: subscriptions.subscribers,
    events: webhooks.events,
    sessionSchema: services.sessionSchema,
    keyOf: agents.keyOf,
    lookUpWaits: options.reconcile,
    sessionDays: config.sessionDays,
    reports: reports.sessions,
  });
  const onItAndOnline = createOnItAndOnline(app, reports.onlineLookUp);

  const watching = createWatching(app, {
    buttons,
    agents,
    links: sessions.links,
    onIt: onItAndOnline.onIt,
    recordIssuedLink: sessions.recordIssuedLink,
    sessionEndTickets: sessions.tickets,
    watchProof: config.watchProof,
    isOverHttp: config.slack.mode !== 'socket',
    pageWaitMs: options.pageWaitMs,
    ...reports.watch,
  });

  // Commands, and what they may use.
  const { showing } = watching;
  const team = createTeam(app, {
    sessions,
    asks,
    events: webhooks.events,
    showing,
    visitorToolsOf: buttons.visitorTools,
    keyOf: agents.keyOf,
  });
  const visitors = createVisitors(app, { showing, onItAndOnline, taken: subscriptions.waits.taken });
  const admin = createAdmin(app, {
    ...config,
    probeTickets: sessions.probeTickets,
    slackOf: (client) => slackSetup(client, config.slack),
  });
  /** In the order of help. A new one is its own file, made by its room, and a line here. */
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

  const home = createHome(app, {
    ...showing,
    find: visitors.find,
    admin,
    webhooks: webhooks.atHome,
    links: sessions.links,
    followUps: team.followUps,
    sessionsCommand: team.sessionsCommand,
    report: reports.home,
  });
  const catalog = createCatalog(visitors.find, commands, home.surface, app.isAdmin);
  return { agents, subscriptions, webhooks, sessions, onItAndOnline, watching, team, home, catalog };
}

/** @throws DatabaseError, DatabaseUrlError, SlackTokenError (by rejecting), each with words for whoever runs it */
export async function startApp(config: Config, options: AppOptions): Promise<RunningApp> {
  const services = await openServices(config, options);
  const { app, workspaces, metrics } = services;
  const { audit, database, outbox, now } = app;
  const rooms = joinRooms(services, config, options);
  const { agents, subscriptions, webhooks, sessions, onItAndOnline, watching, team, home, catalog } = rooms;
  const complain = (words: string) => (err: unknown) => options.log.error({ err }, words);

  // Slack, over HTTP or a socket, and our own addresses.
  const incoming = listenToSlack(app, {
    log: options.log,
    config: config.slack,
    workspaces,
    metrics,
    newReference,
    catalog,
    ifAllowed: services.ifAllowed,
    home,
    changes: subscriptions.channels,
  });
  metrics.watchSocket(incoming);
  const server = services.serve(
    [
      ...incoming.routes,
      ...workspaces.installRoutes({ ...app, scopes: scopesAsked(config), installed: outbox.wake }),
      ...watching.routes,
      sessions.route,
    ],
    incoming.disconnectedMs,
  );
  const purging = workspaces.createPurging(complain('a workspace could not be removed'));
  const removing = [audit, outbox, sessions, subscriptions, team, onItAndOnline, watching, webhooks];
  const retention = createRetention(
    { database: database.inBackground(), now },
    [removeOldClaims, ...removing.flatMap(({ removals }) => removals)],
    complain('old rows could not be removed'),
  );

  /** What the others still use stops last: presses and posts use agents, and everything uses the database. */
  const stop = () =>
    stopInOrder([
      [() => watching.stop()],
      [() => server.close(), () => incoming.stop()],
      [() => incoming.idle()],
      [() => subscriptions.stop(), () => onItAndOnline.stop(), () => purging.stop(), () => retention.stop()],
      [() => sessions.stop()],
      [() => webhooks.stop()],
      [() => outbox.stop()],
      [() => webhooks.close()],
      [() => agents.stop()],
      [() => workspaces.close()],
      [() => audit.close()],
      [() => database.close()],
    ]);

  function crashed(): void {
    outbox.crashed();
    webhooks.crashed();
  }

  try {
    const port = await server.listen(config.port, config.host);
    await outbox.start();
    await webhooks.start();
    for (const part of [sessions, subscriptions, onItAndOnline, purging, retention]) part.start();
    await incoming.start(options.signal);
    return { port, catalog, stop, crashed };
  } catch (error) {
    await stop().catch(complain('what was started could not be stopped'));
    throw error;
  }
}
