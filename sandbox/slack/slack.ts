import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { changeAccess, installApp, removeApp } from './app-life.ts';
import type { Granted, Installation } from './installation.ts';
import type { Outcome } from './interaction.ts';
import { isOwnRequest } from '../service/live/origins.ts';
import { listen, stop } from '../listen.ts';
import type { Misbehavior, Share } from './misbehaviors.ts';
import type { operations } from './operations.ts';
import type { Snapshot } from './page-api.ts';
import { createParts, type Parts, type PartsOptions } from './parts.ts';
import { changePerson, changeUserGroup } from './people-life.ts';
import { watchUntil, type Sighting } from './sightings.ts';
import type { SeedUser, SeedWorkspace } from './seed.ts';
import type { Sent } from './web-api.ts';
import type { PersonChange } from './world.ts';

/** Settings of a stand-in Slack: where it listens, and what it consists of. */
export interface SlackOptions extends PartsOptions {
  /** 0, the default, for any free port. */
  readonly port?: number;
  /** How long `until` waits: 25 seconds by default, less than a test without other programs may take. */
  readonly waitsMs?: number;
}

/** A running Slack: what people can do there, and what a test can. */
export interface StandInSlack extends ReturnType<typeof operations> {
  /** `http://127.0.0.1:PORT`, where the page is. */
  readonly url: string;
  readonly apiUrl: string;
  readonly setRequestUrl: (url: string) => void;
  readonly workspace: SeedWorkspace;
  /** The app's bot and its id. */
  readonly bot: { readonly appId: string; readonly userId: string };
  /** A person of the workspace: the one with this id, or else an admin. */
  readonly member: (userId: string) => SeedUser | undefined;
  readonly tokenState: Installation['stateOf'];
  /** Installs the app, which OAuth does after somebody agreed. @returns its bot token */
  readonly install: () => Granted;
  /** Replaces the app's tokens where they end; undefined unless it's the refresh token that wasn't used yet. */
  readonly refresh: Installation['refresh'];
  /** The organization that installed the app gives it to the workspace, or takes it away. */
  readonly changeAccess: (isGiven: boolean) => void;
  /** Takes the app out again, as an admin can. */
  readonly uninstall: () => Outcome;
  /** Answers a request for a workspace's API that came to another address. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Everything the app has sent: Web API calls, answers to response_urls, uploads, bodies of acknowledgements. */
  readonly calls: readonly Sent[];
  /** What a user sees now. */
  readonly snapshot: (userId: string) => Snapshot;
  /** @returns a function that stops listening. */
  readonly onChange: (listener: () => void) => () => void;
  /**
   * Waits until something shows.
   *
   * @returns the first value of `look` that isn't undefined, null or false.
   * @throws {Error} after `timeoutMs`, usually {@link SlackOptions.waitsMs}, naming what the user saw instead.
   */
  until<T>(userId: string, look: (snapshot: Snapshot) => T, timeoutMs?: number): Promise<Sighting<T>>;
  /**
   * Makes a Web API method, `response_url` or `upload` misbehave the next `times` (1) times; given `about`, only where its
   * arguments say that, so that what is still under way doesn't get it.
   */
  fail(method: string, how: Misbehavior, times?: number, about?: string): void;
  /** Makes a share of a method's calls misbehave from now on; an empty list ends it. */
  failShares(method: string, shares: readonly Share[]): void;
  /** Adds the app's bot to a channel or removes it, archives a channel or unarchives it. */
  changeChannel(id: string, change: { readonly hasApp?: boolean; readonly archived?: boolean }): void;
  /** Deactivates a person, makes them a guest or an admin, breaks their client; and back. */
  changePerson(id: string, change: PersonChange): Outcome;
  /** Changes the members of a user group. */
  changeUserGroup(id: string, users: readonly string[]): Outcome;
  close(): Promise<void>;
}

/**
 * Starts a Slack on loopback that the app can't tell from the real one, as far as it uses it.
 *
 * @throws {z.ZodError} for an invalid manifest; a system error if the port is in use.
 */
export const startSlack = async (options: SlackOptions): Promise<StandInSlack> => {
  const server = createServer();
  const url = await listen(server, options.port ?? 0);
  const parts = createParts(options, url);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('date', new Date(parts.interaction.world.now()).toUTCString());
    await route(parts, request, response);
  };
  server.on('request', (request, response) => void answer(request, response));
  server.on('upgrade', (request, socket, head) => parts.socketMode.upgrade(request, socket, head));
  const close = async () => {
    parts.pageServer.close();
    parts.interaction.events.close();
    parts.socketMode.close();
    await stop(server);
  };
  return { url, apiUrl: `${url}/api/`, answer, ...operate(parts, options), close };
};

const operate = (
  parts: Parts,
  { waitsMs = 25_000 }: SlackOptions,
): Omit<StandInSlack, 'url' | 'apiUrl' | 'answer' | 'close'> => {
  const { interaction, actions } = parts;
  const { world } = interaction;
  return {
    ...actions,
    setRequestUrl: parts.setRequestUrl,
    calls: parts.calls,
    workspace: world.workspace,
    bot: { appId: world.app.id, userId: world.app.botUser },
    member: (userId) =>
      world.users.find(({ id }) => id === userId && world.isInsider(id)) ??
      world.users.find(({ admin }) => admin === true),
    tokenState: (token) => interaction.installation.stateOf(token),
    install: () => installApp(interaction),
    refresh: (refreshToken) => interaction.installation.refresh(refreshToken),
    changeAccess: (isGiven) => changeAccess(interaction, isGiven),
    uninstall: () => removeApp(interaction),
    snapshot: parts.snapshot,
    onChange: world.onChange,
    until: (userId, look, timeoutMs = waitsMs) =>
      watchUntil({ read: () => parts.snapshot(userId), onChange: world.onChange }, look, timeoutMs),
    fail: (method, how, times = 1, about = '') => parts.misbehaviors.set(method, how, times, about),
    failShares: (method, shares) => parts.misbehaviors.setShares(method, shares),
    changePerson: (id, change) => changePerson(interaction, { id, ...change }),
    changeUserGroup: (id, users) => changeUserGroup(interaction, { id, users }),
    changeChannel(channel, { hasApp, archived }) {
      const at = { channel, user: world.app.botUser };
      if (archived !== undefined) (archived ? actions.archive : actions.unarchive)(at);
      if (hasApp !== undefined) (hasApp ? actions.join : actions.leave)(at);
    },
  };
};

const route = async (parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = URL.parse(request.url ?? '', 'http://slack');
  const [, area, name = ''] = url?.pathname.split('/') ?? [];
  try {
    if (url === null) response.writeHead(400).end();
    else if (request.method === 'POST' && !isOwnRequest(request.headers)) response.writeHead(403).end();
    else if (area === 'api' && request.method === 'POST')
      await parts.appServer.callMethod(request, response, name);
    else if (area === 'response' && request.method === 'POST') {
      await parts.appServer.answerResponseUrl(request, response, name);
    } else if (area === 'upload' && request.method === 'POST') {
      await parts.appServer.receiveFile(request, response, name);
    } else await parts.pageServer.handle(request, response, url);
  } catch (error) {
    parts.log(`${request.method} ${url?.pathname}: ${String(error)}`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
};
