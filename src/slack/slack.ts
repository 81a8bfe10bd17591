import type { Receiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { createBackground } from '../lifecycle/side-by-side.ts';
import type { Viewer } from '../commands/rights.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import type { Route } from '../http/server.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../logging/metrics.ts';
import type { App } from '../parts.ts';
import type { CurrentChannelId } from '../permissions/permissions.ts';
import { isTokenRefused } from '../messages/slack-codes.ts';
import type { TokenAnswer } from '../workspaces/holds.ts';
import { webClientOptions } from '../workspaces/web-client.ts';
import type { SlackConfig, Workspaces } from '../workspaces/workspaces.ts';
import { createAnswerer } from './answer.ts';
import { createBoltApp, startBolt } from './bolt.ts';
import { createChannelInfo, createChannelMembers } from './channels.ts';
import { listenForEvents } from './events.ts';
import { createFileSender } from './file-sender.ts';
import { listenForInteractions, type InteractionParts } from './interactions.ts';
import { channelOf, createPostFinder } from './post-finder.ts';
import { createPoster } from './poster.ts';
import { createPrivateMessage } from './answer-places.ts';
import { createColleagues, createGroupList, createProfiles, createUserGroups } from './people.ts';
import { createReceiver } from './receiver.ts';
import { channelState, checkToken, tokenState } from './setup-state.ts';
import { createSocketReceiver } from './socket-receiver.ts';

/**
 * What the app asks of Slack: who is who and where, as it said at most five seconds ago; names of other people and lists to
 * choose from, as it said minutes ago; posts, private messages, files.
 */
export type Slack = ReturnType<typeof createSlack>;

export function createSlack({
  log,
  workspaces,
  currentChannelId,
  elapsed,
}: {
  readonly log: Log;
  readonly workspaces: Workspaces;
  readonly currentChannelId: CurrentChannelId;
  readonly elapsed: () => number;
}) {
  const warn = (words: string) => (error: unknown) => log.warn({ err: error }, words);
  const { find, clientFor, installedAs, slackAgent } = workspaces;
  // Nobody is known in another workspace, whatever a payload says, so no one can act there.
  const people = createProfiles(
    async (workspaceId) =>
      (await installedAs(workspaceId)).workspaceId === workspaceId ? clientFor(workspaceId) : undefined,
    elapsed,
  );
  const { profileOf } = people;
  const colleagues = createColleagues(profileOf, find, elapsed);
  const groupList = createGroupList(clientFor, find, elapsed, warn("Slack didn't list the user groups"));
  const groups = createUserGroups(clientFor, elapsed);
  const members = createChannelMembers({
    clientFor,
    currentChannelId,
    elapsed,
    report: (workspaceId, channelId, why) =>
      log.info(
        { workspaceId, channelId, why },
        "Slack doesn't show who left a channel, so nobody is refused there",
      ),
  });
  const channels = createChannelInfo(
    clientFor,
    elapsed,
    warn('Slack could not be asked whether a channel is shared'),
  );
  return {
    profileOf,
    onFreshProfile: people.onFresh,
    emailOf: async (workspaceId: string, userId: string) => (await profileOf(workspaceId, userId)).email,
    isInGroup: groups.isInGroup,
    colleagueOf: colleagues.colleagueOf,
    groupsOf: groupList.groupsOf,
    isInChannel: members.isInChannel,
    isInChannelNow: members.isInChannelNow,
    isPublic: channels.isPublic,
    channelNameOf: channels.channelNameOf,
    isShared: channels.isShared,
    isAppIn: channels.isAppIn,
    /** Asked each time. */
    stateOf: async (workspaceId: string, channelId: string) =>
      channelState((await workspaces.get(workspaceId)).slack, channelId),
    askAboutToken: async (workspaceId: string): Promise<TokenAnswer> => {
      const client = await workspaces.clientToAsk(workspaceId);
      // Of one whose token can't be opened nothing is known.
      if (client?.token === undefined) return 'unknown';
      const state = await tokenState(client);
      if (state.is === 'refused') return isTokenRefused(state.code) ? 'refused' : 'unknown';
      return state.is;
    },
    isOwnBot: workspaces.isOwnBot,
    post: createPoster(clientFor),
    find: createPostFinder(clientFor, installedAs),
    /** The id of somebody's direct messages with the app; undefined if Slack doesn't say. Never rejects. */
    directMessagesOf: async (workspaceId: string, userId: string): Promise<string | undefined> => {
      try {
        const client = await clientFor(workspaceId);
        return client === undefined ? undefined : await channelOf(client, userId);
      } catch {
        return undefined;
      }
    },
    showPrivately: createPrivateMessage(clientFor, warn("Slack didn't accept a private message")),
    sendFile: createFileSender(clientFor, slackAgent),
    /** So that it's asked again, because an event says that it changed. */
    forget: {
      person(workspaceId: string, userId: string) {
        people.forget(workspaceId, userId);
        colleagues.forget(workspaceId, userId);
      },
      group(workspaceId: string, groupId: string) {
        groups.forget(workspaceId, groupId);
        groupList.forget(workspaceId);
      },
      channel(workspaceId: string, channelId: string) {
        members.forget(workspaceId, channelId);
        channels.forget(workspaceId, channelId);
      },
    },
  };
}

interface Listening
  extends
    Pick<InteractionParts, 'log' | 'catalog' | 'ifAllowed'>,
    Pick<Parameters<typeof listenForEvents>[2], 'changes'> {
  readonly config: SlackConfig;
  readonly workspaces: Pick<Workspaces, 'find' | 'check'>;
  readonly metrics: Pick<Metrics, 'answers' | 'refusals' | 'acknowledgements'>;
  readonly newReference: () => string;
  readonly claims: NamedClaims;
  readonly home: InteractionParts['home'] & {
    /** Greets whoever opens the app or adds it to a channel. */
    readonly firstRun: Pick<Parameters<typeof listenForEvents>[2], 'added'> & {
      readonly greet: (viewer: Viewer) => Promise<void>;
    };
  };
}

/** HTTP or a socket: what receives, its routes, and how long a socket has had no connection. */
function openReceiver(
  { slackAgent, now, elapsed }: App,
  { config, log, claims, metrics }: Listening,
): {
  readonly receiver: Receiver;
  readonly routes: readonly Route[];
  readonly disconnectedMs: () => number;
} {
  if (config.mode === 'socket') {
    const { apiUrl, appToken } = config;
    const client = new WebClient(appToken, webClientOptions({ apiUrl, slackAgent, log }));
    const receiver = createSocketReceiver({ client, slackAgent, log, elapsed });
    return { receiver, routes: [], disconnectedMs: receiver.disconnectedMs };
  }
  const { signingSecret } = config;
  const report = (reason: string) => metrics.refusals.inc({ reason });
  const receiver = createReceiver({ signingSecret, log, claims, now, report });
  return { receiver, routes: [receiver.route], disconnectedMs: () => 0 };
}

/** The ways in: all that Slack sends, over HTTP or a socket, and the answers. */
export function listenToSlack(app: App, own: Listening) {
  const { log, config, workspaces, metrics, newReference, home } = own;
  const background = createBackground((error) => log.error({ err: error }, 'work in the background failed'));
  const answerer = createAnswerer(app, {
    log,
    newReference,
    report: (name, outcome) => metrics.answers.inc({ name, outcome }),
  });
  const { receiver, routes, disconnectedMs } = openReceiver(app, own);
  const bolt = createBoltApp(receiver, {
    apiUrl: config.apiUrl,
    slackAgent: app.slackAgent,
    log,
    acknowledgements: metrics.acknowledgements,
  });
  listenForInteractions(bolt, app, {
    ...own,
    workspaceOf: workspaces.find,
    answerer,
    greet: (viewer) => background.start(() => home.firstRun.greet(viewer)),
  });
  listenForEvents(bolt, app, { ...own, ...home.firstRun, inBackground: (work) => background.start(work) });
  return {
    routes,
    disconnectedMs,
    /**
     * Waits for the connection in Socket Mode, and asks about the token once.
     *
     * @param signal cancels the start, which then rejects with its reason
     * @throws SlackTokenError (by rejecting) if Slack refuses a token
     */
    async start(signal?: AbortSignal): Promise<void> {
      await startBolt(bolt, signal);
      await checkToken(
        () => workspaces.check(),
        (error) => log.warn({ err: error }, 'Slack could not be asked about the token'),
      );
    },
    /** Accepts nothing more. */
    stop: () => bolt.stop(),
    /** Resolves when everything accepted is answered and done. */
    async idle(): Promise<void> {
      await answerer.idle();
      await background.idle();
    },
  };
}
