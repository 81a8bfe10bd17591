import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';

import { takeOut, uninstallMethod, type OAuthClient } from './app-life.ts';
import { createAppServer } from './app-server.ts';
import { chatMethods } from './chat-methods.ts';
import { conversationMethods } from './conversation-methods.ts';
import { createAskMcp, createHttpDelivery, type Deliver } from './dispatch.ts';
import { createEvents } from './events.ts';
import { fileMethods } from './file-methods.ts';
import { historyMethods } from './history-methods.ts';
import { createHomes } from './homes.ts';
import { createInstallation } from './installation.ts';
import type { Interaction } from './interaction.ts';
import { manifestSchema } from './manifest.ts';
import type { Message } from './messages.ts';
import { createMisbehaviors } from './misbehaviors.ts';
import { operations } from './operations.ts';
import { createPageActions } from './page-actions.ts';
import type { PageMessage, Snapshot } from './page-api.ts';
import { createPageServer } from './page-server.ts';
import { peopleMethods } from './people-methods.ts';
import { createPressMarks } from './press-marks.ts';
import { createPageFiles } from './page-files.ts';
import { createResponseUrls } from './response-url.ts';
import { acme, type Seed } from './seed.ts';
import { snapshotFor } from './snapshot.ts';
import { createSocketMode, type SocketMode } from './socket.ts';
import type { StaticPaths } from './static-files.ts';
import { createOffers } from './suggestions.ts';
import { firstCommand, guidedAcme } from './tour.ts';
import { createTriggers } from './triggers.ts';
import { viewMethods } from './view-methods.ts';
import { createViewStacks } from './view-stacks.ts';
import { createWebApi, type Sent } from './web-api.ts';
import type { WebMethod } from './web-method.ts';
import { createWorld } from './world.ts';

export interface PartsOptions {
  readonly signingSecret: string;
  /** Absent if the app isn't there until it's installed by OAuth. */
  readonly botToken?: string;
  /** How long the tokens of an installation last; undefined if they don't end. */
  readonly tokenSeconds?: number;
  /** For an app that workspaces install. */
  readonly oauth?: OAuthClient & {
    readonly installUrl: () => string;
    /** All workspaces that could install it. */
    readonly workspaces: () => readonly { readonly name: string; readonly url: string }[];
  };
  /** If set, the app can open a Socket Mode connection with it, and is then reached through that. */
  readonly appToken?: string;
  /** The app's parsed manifest.json: its commands, shortcuts and scopes. */
  readonly manifest: unknown;
  /** The app's `/slack/events`; may be set later. */
  readonly requestUrl?: string;
  readonly completions?: Snapshot['completions'];
  /** Whether the page leads its user through the first steps. Default false. */
  readonly tour?: boolean;
  /** Puts everything back to its start, which closes this Slack; without it the page doesn't offer that. */
  readonly reset?: () => Promise<unknown>;
  /** How often that was done before. Default 0. */
  readonly resets?: number;
  /** The folder of the browser page, with an index.html. */
  readonly pageFolder?: string | URL;
  /** Further files of the page by path, such as `/page/vendor/lit-html/`; one that ends in "/" is a folder. */
  readonly vendorFiles?: StaticPaths;
  readonly seed?: Seed;
  /** How long the app has to acknowledge: Slack's 3,000 ms. */
  readonly ackLimitMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly randomId?: () => string;
  /** Numbers from 0 below 1 that decide which calls are in a misbehaving share. */
  readonly chance?: () => number;
  readonly log?: (line: string) => void;
}

export type Parts = ReturnType<typeof createParts>;

/** Joins the parts of a stand-in Slack that listens at `url`. */
export const createParts = (options: PartsOptions, url: string) => {
  const { log = () => {} } = options;
  const calls: Sent[] = [];
  const record = (sent: Sent): void => {
    calls.push(sent);
    log(sent.error === undefined ? sent.method : `${sent.method}: ${sent.error}`);
    // Nothing shows, but whoever waits for it should hear that it won't come.
    if (sent.error !== undefined) interaction.world.changed();
  };
  const { interaction, socketMode, setRequestUrl } = createInteraction(options, url, record);
  const { world, manifest, responseUrls } = interaction;
  const shown = new WeakMap<Message, PageMessage>();
  let isTourOpen = options.tour ?? false;
  const closeTour = (): void => {
    isTourOpen = false;
    world.changed();
  };
  const snapshot = (userId: string): Snapshot =>
    snapshotFor(userId, {
      ...interaction,
      shown,
      base: url,
      resets: options.resets ?? 0,
      completions: options.completions ?? [],
      canReset: options.reset !== undefined,
      tour: isTourOpen ? { command: firstCommand } : undefined,
      installing: options.oauth && {
        team: world.workspace.id,
        installed: world.hasApp(world.app.botUser),
        url: options.oauth.installUrl(),
        others: options.oauth.workspaces().filter((one) => one.url !== url),
      },
    });
  const misbehaviors = createMisbehaviors(options.chance ?? Math.random);
  const webApi = createWebApi({
    methods: methodsOf(interaction, url, openConnection(socketMode, url), options.oauth),
    installation: interaction.installation,
    appToken: options.appToken,
    scopes: manifest.scopes,
    access: world.workspace.organization && {
      teamId: world.workspace.id,
      isGiven: () => world.hasApp(world.app.botUser),
    },
  });
  return {
    interaction,
    calls,
    misbehaviors,
    snapshot,
    socketMode,
    log,
    setRequestUrl,
    actions: operations(interaction),
    appServer: createAppServer({
      webApi,
      responseUrls,
      files: world.files,
      misbehaviors,
      scopes: manifest.scopes,
      record,
    }),
    pageServer: createPageServer({
      actions: createPageActions(interaction, { misbehaviors, closeTour, reset: options.reset }),
      files: pageFiles(options),
      uploads: createPageFiles({ files: world.files, snapshot }),
      isPerson: (userId) =>
        world.users.some(
          ({ id, botId, deactivated }) => id === userId && botId === undefined && deactivated !== true,
        ),
      snapshot,
      onChange: world.onChange,
    }),
  };
};

const createInteraction = (options: PartsOptions, url: string, record: (sent: Sent) => void) => {
  const { now = Date.now, randomId = newId, ackLimitMs = 3000, signingSecret } = options;
  let requestUrl = options.requestUrl;
  const manifest = manifestSchema.parse(options.manifest);
  const world = createWorld(options.seed ?? (options.tour === true ? guidedAcme : acme), now, randomId);
  if (options.botToken === undefined) takeOut(world);
  const installation = createInstallation({
    botToken: options.botToken,
    seconds: options.tokenSeconds,
    newId: randomId,
    now,
  });
  const socketMode = createSocketMode({ appId: world.app.id, ackLimitMs, randomId });
  const app = { signingSecret, requestUrl: () => requestUrl, now };
  const overHttp = createHttpDelivery({ ...app, ackLimitMs });
  const deliver = recorded(async (kind, payload, retry) => {
    const isGone = kind !== 'events_api' && !world.hasApp(world.app.botUser);
    if (isGone) return { acknowledged: false, reason: 'dispatch_failed' };
    return (socketMode.connected() ? socketMode.deliver : overHttp)(kind, payload, retry);
  }, record);
  const kept = { randomId, changed: world.changed };
  const interaction: Interaction = {
    world,
    manifest,
    installation,
    views: createViewStacks(kept),
    homes: createHomes(kept),
    marks: createPressMarks(world.changed),
    triggers: createTriggers(now, randomId),
    responseUrls: createResponseUrls(world, { now, randomId, base: url }),
    offers: createOffers(),
    deliver,
    askMcp: createAskMcp(app),
    events: createEvents({ world, subscribed: manifest.events, deliver, now, randomId }),
    isOverSocket: () => socketMode.connected(),
    record,
  };
  const setRequestUrl = (newUrl: string): void => {
    requestUrl = newUrl;
  };
  return { interaction, socketMode, setRequestUrl };
};

const methodsOf = (
  interaction: Interaction,
  url: string,
  connectionsOpen: WebMethod,
  client: OAuthClient | undefined,
) => ({
  ...chatMethods(interaction.world, url),
  ...peopleMethods(interaction.world, interaction.manifest.scopes),
  ...conversationMethods(interaction.world, interaction.manifest.scopes),
  ...historyMethods(interaction.world, interaction.manifest.scopes),
  ...fileMethods(interaction.world, url),
  ...viewMethods(interaction),
  'apps.connections.open': connectionsOpen,
  ...(client === undefined ? {} : { 'apps.uninstall': uninstallMethod(interaction, client) }),
});

const recorded =
  (deliver: Deliver, record: (sent: Sent) => void): Deliver =>
  async (kind, payload, retry) => {
    const answer = await deliver(kind, payload, retry);
    record(
      answer.acknowledged
        ? { method: 'ack', args: answer.body }
        : { method: 'ack', args: null, error: answer.reason },
    );
    return answer;
  };

const openConnection = (socketMode: SocketMode, url: string): WebMethod => ({
  token: 'app',
  scopes: [],
  run: () => ({ url: `${url.replace('http', 'ws')}${socketMode.issuePath()}` }),
});

const pageFiles = ({ pageFolder, vendorFiles = {} }: PartsOptions): StaticPaths => {
  if (pageFolder === undefined) return vendorFiles;
  const folder = typeof pageFolder === 'string' ? pathToFileURL(`${pageFolder}/`) : pageFolder;
  return { '/': new URL('index.html', folder), '/page/': folder, ...vendorFiles };
};

const newId = (): string => randomBytes(9).toString('base64url');
