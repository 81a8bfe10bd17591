import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';

import { createAppServer } from './app-server.ts';
import { chatMethods } from './chat-methods.ts';
import { runCommand, runShortcut, sendMessage } from './commands.ts';
import { createHttpDelivery } from './dispatch.ts';
import type { Deliver } from './dispatch.ts';
import type { Interaction } from './interaction.ts';
import { manifestSchema } from './manifest.ts';
import { closeView, submit } from './modals.ts';
import { createPageActions, reload } from './page-actions.ts';
import type { Snapshot } from './page-api.ts';
import { createPageServer } from './page-server.ts';
import { peopleMethods } from './people-methods.ts';
import { createPressMarks } from './press-marks.ts';
import { press } from './presses.ts';
import { createResponseUrls } from './response-url.ts';
import { acme } from './seed.ts';
import type { Seed } from './seed.ts';
import { snapshotFor } from './snapshot.ts';
import { createSocketMode } from './socket.ts';
import type { SocketMode } from './socket.ts';
import type { StaticPaths } from './static-files.ts';
import { createTriggers } from './triggers.ts';
import { viewMethods } from './view-methods.ts';
import { createViewStacks } from './view-stacks.ts';
import { createMisbehaviours, createWebApi } from './web-api.ts';
import type { Sent } from './web-api.ts';
import type { WebMethod } from './web-method.ts';
import { createWorld } from './world.ts';

export interface PartsOptions {
  readonly signingSecret: string;
  readonly botToken: string;
  /** Set: the app may open a Socket Mode connection with it, and is then reached through that. */
  readonly appToken?: string;
  /** The app's manifest.json as read: its commands, shortcuts and scopes. */
  readonly manifest: unknown;
  /** The app's `/slack/events`; may be set later. */
  readonly requestUrl?: string;
  readonly completions?: Snapshot['completions'];
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
  };
  const { interaction, socketMode, setRequestUrl } = createInteraction(options, url, record);
  const { world, manifest, responseUrls } = interaction;
  const snapshot = (userId: string): Snapshot =>
    snapshotFor(userId, { ...interaction, completions: options.completions ?? [] });
  const misbehaviours = createMisbehaviours();
  const webApi = createWebApi({
    methods: methodsOf(interaction, openConnection(socketMode, url)),
    botToken: options.botToken,
    appToken: options.appToken,
    scopes: manifest.scopes,
  });
  return {
    interaction,
    calls,
    misbehaviours,
    snapshot,
    socketMode,
    log,
    setRequestUrl,
    actions: operations(interaction),
    appServer: createAppServer({ webApi, responseUrls, misbehaviours, scopes: manifest.scopes, record }),
    pageServer: createPageServer({
      actions: createPageActions(interaction),
      files: pageFiles(options),
      isPerson: (userId) => world.users.some((user) => user.id === userId && user.botId === undefined),
      snapshot,
      onChange: world.onChange,
    }),
  };
};

const createInteraction = (options: PartsOptions, url: string, record: (sent: Sent) => void) => {
  const { now = Date.now, randomId = newId, ackLimitMs = 3000, signingSecret } = options;
  let requestUrl = options.requestUrl;
  const world = createWorld(options.seed ?? acme, now, randomId);
  const socketMode = createSocketMode({ appId: world.app.id, ackLimitMs, randomId });
  const overHttp = createHttpDelivery({ signingSecret, requestUrl: () => requestUrl, ackLimitMs, now });
  const deliver: Deliver = (kind, payload) =>
    (socketMode.connected() ? socketMode.deliver : overHttp)(kind, payload);
  const interaction: Interaction = {
    world,
    manifest: manifestSchema.parse(options.manifest),
    views: createViewStacks(randomId, world.changed),
    marks: createPressMarks(world.changed),
    triggers: createTriggers(now, randomId),
    responseUrls: createResponseUrls(world, { now, randomId, base: url }),
    deliver: recorded(deliver, record),
  };
  const setRequestUrl = (newUrl: string): void => {
    requestUrl = newUrl;
  };
  return { interaction, socketMode, setRequestUrl };
};

const methodsOf = ({ world, manifest, views, triggers }: Interaction, connectionsOpen: WebMethod) => ({
  ...chatMethods(world),
  ...peopleMethods(world, manifest.scopes),
  ...viewMethods(world, views, triggers),
  'apps.connections.open': connectionsOpen,
});

type Args<F extends (interaction: Interaction, args: never) => unknown> = Parameters<F>[1];

/** What people do, for those who drive it without the page. */
const operations = (interaction: Interaction) => ({
  command: (args: Args<typeof runCommand>) => runCommand(interaction, args),
  message: (args: Args<typeof sendMessage>) => sendMessage(interaction, args),
  shortcut: (args: Args<typeof runShortcut>) => runShortcut(interaction, args),
  press: (args: Args<typeof press>) => press(interaction, args),
  submit: (args: Args<typeof submit>) => submit(interaction, args),
  closeView: (args: Args<typeof closeView>) => closeView(interaction, args),
  reload: (args: Args<typeof reload>) => reload(interaction, args),
});

const recorded =
  (deliver: Deliver, record: (sent: Sent) => void): Deliver =>
  async (kind, payload) => {
    const answer = await deliver(kind, payload);
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
