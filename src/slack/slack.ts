import { App as Bolt, type Receiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Histogram } from 'prom-client';
import type { Dispatcher } from 'undici';
import { createNamedClaims } from '../database/named-claims.ts';
import type { Log } from '../logging/log.ts';
import { isTokenRefused } from '../messages/slack-codes.ts';
import type { App } from '../parts.ts';
import type { CurrentChannelId } from '../permissions/permissions.ts';
import type { TokenAnswer } from '../workspaces/holds.ts';
import { slackErrorCode, webClientOptions } from '../workspaces/web-client.ts';
import { OrganizationTokenError, type Workspaces } from '../workspaces/workspaces.ts';
import { createPrivateMessage } from './answer-places.ts';
import { callFailure } from './call-failure.ts';
import { createDirectory } from './directory.ts';
import { listenForEvents } from './events.ts';
import { createEdge, listenForInteractions, type Edge, type Listening } from './interactions.ts';
import { channelOf, createFileSender, createPostFinder, createPoster } from './posts.ts';
import { placed } from './payloads.ts';
import { createReceiver, createSignedRequests } from './receiver.ts';
import { SlackTokenError, channelState, grantedTeams, tokenState } from './setup-state.ts';
import { createSlackbotRoute } from './slackbot.ts';
import { createSocketReceiver } from './socket-receiver.ts';

interface SlackParts {
  readonly log: Log;
  readonly workspaces: Workspaces;
  readonly currentChannelId: CurrentChannelId;
  readonly now: () => number;
  readonly elapsed: () => number;
}

export type Slack = ReturnType<typeof createSlack>;

export function createSlack({ workspaces, ...parts }: SlackParts) {
  const { find, get, slackAgent } = workspaces;

  /** To which of its workspaces an organization gives the app. Never rejects. */
  async function listWorkspaces(organizationId: string): Promise<void> {
    const at = parts.now();
    try {
      const client = await workspaces.clientToAsk(organizationId);
      if (client !== undefined) await workspaces.access.sync(organizationId, await grantedTeams(client), at);
    } catch (err) {
      parts.log.warn({ err, organizationId }, 'an organization’s workspaces couldn’t be listed');
      await workspaces.access.askAgain(organizationId).catch(() => undefined);
    }
  }

  return {
    listWorkspaces,
    ...createDirectory({ ...parts, find, get }),
    stateOf: async (workspaceId: string, channelId: string) =>
      channelState((await get(workspaceId)).slack, channelId),
    askAboutToken: async (workspaceId: string): Promise<TokenAnswer> => {
      const client = await workspaces.clientToAsk(workspaceId);
      if (client === undefined) return 'unknown';
      const state = await tokenState(client);
      // Events about the workspaces that an organization gives the app may have been lost.
      if (state.is === 'good' && state.organizationId === workspaceId) await listWorkspaces(workspaceId);
      if (state.is !== 'refused') return state.is;
      if (state.code === 'account_inactive') return 'removed';
      // One that has ended says nothing about the app, unless Slack refused the next one, too.
      const saysNothing = state.code === 'token_expired' && !(await workspaces.mustReinstall(workspaceId));
      return isTokenRefused(state.code) && !saysNothing ? 'refused' : 'unknown';
    },
    post: createPoster(find),
    find: createPostFinder(find),
    /** The id of somebody's direct messages with the app; undefined if Slack doesn't say. Never rejects. */
    directMessagesOf: (workspaceId: string, userId: string): Promise<string | undefined> =>
      find(workspaceId)
        .then((workspace) => workspace && channelOf(workspace.slack, userId))
        .catch(() => undefined),
    showPrivately: createPrivateMessage(find, (error) =>
      parts.log.warn({ err: error }, "Slack didn't accept a private message"),
    ),
    sendFile: createFileSender(find, slackAgent),
  };
}

interface BoltParts {
  readonly workspaceIn: Workspaces['access']['workspaceIn'];
  readonly apiUrl: string;
  readonly slackAgent: Dispatcher;
  readonly log: Log;
  readonly acknowledgements: Pick<Histogram, 'startTimer'>;
}

/** Bolt without a token: listeners use the client of the workspace they act in. */
export function createBoltApp(receiver: Receiver, { acknowledgements, workspaceIn, ...access }: BoltParts) {
  const { log } = access;
  const clientOptions = webClientOptions(access);
  const bolt = new Bolt({
    receiver,
    logger: clientOptions.logger,
    // Otherwise Bolt would look up a conversation for every request.
    convoStore: false,
    ignoreSelf: false,
    // Bolt's check of a token would call auth.test before the first acknowledgement.
    authorize: async () => ({}),
    clientOptions,
  });
  bolt.error(async (error) => log.error({ err: error }, 'a request from Slack could not be handled'));
  const takeApart = bolt.processEvent.bind(bolt);
  // Bolt takes the shape of a body for granted, and rejects if it's another, before any listener runs. It would be the same
  // again, so it's acknowledged; the error's own words may quote what a person typed.
  bolt.processEvent = async (request) => {
    const acknowledged = acknowledgements.startTimer();
    const ack: typeof request.ack = async (answer) => {
      await request.ack(answer);
      acknowledged();
    };
    const body = await placed(request.body, workspaceIn).catch(() => request.body);
    await takeApart({ ...request, body, ack }).catch(() => {
      log.warn("Slack sent something that Bolt can't take apart, so nothing was done");
    });
  };
  return bolt;
}

/** @throws SlackTokenError if Slack refuses the app-level token */
async function startBolt(bolt: Bolt, signal = new AbortController().signal): Promise<void> {
  signal.throwIfAborted();
  const calledOff = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => calledOff.reject(signal.reason), { once: true });
  try {
    await Promise.race([bolt.start(), calledOff.promise]);
  } catch (error) {
    const code = slackErrorCode(error);
    throw code === undefined ? error : new SlackTokenError('SLACK_APP_TOKEN', code, error);
  }
}

function openReceiver(app: App, { config, log, metrics }: Listening, edge: Edge) {
  const { slackAgent, database, now, elapsed } = app;
  if (config.mode === 'socket') {
    const { apiUrl, appToken } = config;
    const client = new WebClient(appToken, webClientOptions({ apiUrl, slackAgent, log }));
    const receiver = createSocketReceiver({ client, slackAgent, log, elapsed });
    return { receiver, routes: [], disconnectedMs: receiver.disconnectedMs };
  }
  const { signingSecret } = config;
  const report = (reason: string) => metrics.refusals.inc({ reason });
  const claims = createNamedClaims(database.inBackground(), now);
  const parts = { signingSecret, log, claims, now, report };
  const signed = createSignedRequests(parts);
  const receiver = createReceiver(parts, signed);
  const routes = [receiver.route, createSlackbotRoute(app, edge, signed)];
  return { receiver, routes, disconnectedMs: () => 0 };
}

export function listenToSlack(app: App, own: Listening) {
  const { log, config, workspaces, metrics } = own;
  const edge = createEdge(app, own);
  const { receiver, routes, disconnectedMs } = openReceiver(app, own, edge);
  const bolt = createBoltApp(receiver, {
    apiUrl: config.apiUrl,
    slackAgent: app.slackAgent,
    log,
    acknowledgements: metrics.acknowledgements,
    workspaceIn: app.access.workspaceIn,
  });
  listenForInteractions(bolt, edge);
  listenForEvents(bolt, app, edge);
  return {
    routes,
    disconnectedMs,
    /** Waits for Socket Mode's connection, however long, until `signal` cancels that. @throws SlackTokenError (by rejecting) */
    async start(signal?: AbortSignal): Promise<void> {
      await startBolt(bolt, signal);
      try {
        await workspaces.check();
      } catch (error) {
        if (error instanceof OrganizationTokenError) throw error;
        const { outcome, reason } = callFailure(error);
        if (outcome === 'never') throw new SlackTokenError('SLACK_BOT_TOKEN', reason, error);
        log.warn({ err: error }, 'Slack could not be asked about the token');
      }
    },
    stop: () => bolt.stop(),
    idle: () => edge.answerer.idle(),
  };
}
