import { createAgents, type Agents } from './agents.ts';
import { createDeadlines, type Deadline, type Deadlines } from './deadlines.ts';
import { accountUsers } from './seed-account.ts';
import type { Ending, SessionRecord } from './session.ts';
import { createSessions, type Sessions } from './sessions.ts';
import type { SeedVisitor, Visitor } from './visitor.ts';
import { createVisitors, type Visitors } from './visitors.ts';
import { createWatchLinks, type WatchLink, type WatchLinks } from './watch-links.ts';

export interface WorldOptions {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly seed: readonly SeedVisitor[];
  /** Old sessions. */
  readonly past: readonly SessionRecord[];
  readonly watchLinkLifetimeMs: number;
  /** The path of watch link pages on the stand-in. */
  readonly watchPath: string;
  /** How many sessions can run at the same time. */
  readonly sessionLimit: number;
  readonly deadlinesMs: Readonly<Record<Deadline, number>>;
  readonly onEnd: (session: SessionRecord) => void;
}

/** The state of a service; the functions below are the rules for changing it. */
export interface World {
  /** Whether these are the visitors and links of the on-premise installation. */
  readonly onPremise: boolean;
  readonly now: () => Date;
  readonly visitors: Visitors;
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly links: WatchLinks;
  readonly deadlines: Deadlines;
  readonly sessionLimit: number;
  readonly onEnd: (session: SessionRecord) => void;
}

/** The result of opening a watch link. */
export type LinkState = 'ready' | 'unknown' | 'expired' | 'used' | 'visitor-gone' | 'limit-reached';

/** A world with its seeded visitors, agents and past sessions. */
export function createWorld(options: WorldOptions): World {
  const { now, randomId, sessionLimit, onEnd } = options;
  const world: World = {
    onPremise: false,
    now,
    visitors: createVisitors(now),
    agents: createAgents(accountUsers, randomId),
    sessions: createSessions(now, randomId),
    links: createWatchLinks({
      now,
      randomId,
      lifetimeMs: options.watchLinkLifetimeMs,
      path: options.watchPath,
    }),
    deadlines: createDeadlines(options.deadlinesMs, (sessionId, deadline) =>
      endSession(world, sessionId, deadline),
    ),
    sessionLimit,
    onEnd,
  };
  for (const visitor of options.seed) world.visitors.add(visitor);
  for (const session of options.past) world.sessions.add(session);
  return world;
}

/**
 * An installation beside the cloud: it has its own visitors and links, while sessions, agents and the limit are the
 * account's.
 */
export function createInstallation(
  cloud: World,
  options: Pick<WorldOptions, 'randomId' | 'seed' | 'watchLinkLifetimeMs' | 'watchPath'>,
): World {
  const { now } = cloud;
  const { randomId, seed, watchLinkLifetimeMs: lifetimeMs, watchPath: path } = options;
  const visitors = createVisitors(now);
  for (const visitor of seed) visitors.add(visitor);
  return {
    ...cloud,
    onPremise: true,
    visitors,
    links: createWatchLinks({ now, randomId, lifetimeMs, path }),
  };
}

/** Whether one more session would exceed the subscription. */
export function isAtLimit(world: World): boolean {
  return world.sessions.ongoing().length >= world.sessionLimit;
}

/** What opening the link would lead to, without opening it. */
export function linkState(world: World, token: string): LinkState {
  const link = world.links.find(token);
  if (!link) return 'unknown';
  if (link.sessionId !== null) return 'used';
  if (link.expiresAt <= world.now()) return 'expired';
  if (!world.visitors.find(link.visitorId)) return 'visitor-gone';
  return isAtLimit(world) ? 'limit-reached' : 'ready';
}

/** A session that started, and its link as it is now. */
export interface Opened {
  readonly session: SessionRecord;
  readonly link: WatchLink;
}

/** Starts the session of a link that is ready. Waits for an offline visitor until the deadline. */
export function openLink(world: World, link: WatchLink): Opened {
  const isOnline = world.visitors.find(link.visitorId)?.isOnline ?? false;
  const session = world.sessions.start({
    visitorId: link.visitorId,
    agent: world.agents.forLink(link.body.agent),
    onPremise: world.onPremise,
    metadata: link.body.metadata ?? {},
    webhookUrl: link.body.webhook_url ?? null,
  });
  world.deadlines.start(session.id, 'idle');
  if (!isOnline) world.deadlines.start(session.id, 'visitor-gone');
  return { session, link: world.links.markUsed(link.token, session.id) };
}

/** Ends a session and calls `onEnd`; undefined if none with this id is running. */
export function endSession(world: World, sessionId: string, by: Ending): SessionRecord | undefined {
  const ended = world.sessions.end(sessionId, by);
  if (!ended) return undefined;
  world.deadlines.forget(sessionId);
  world.onEnd(ended);
  return ended;
}

/** Removes a visitor and ends their sessions. */
export function removeVisitor(world: World, visitor: Visitor): void {
  endSessionsOf(world, visitor.fields.short_id, 'api');
  world.visitors.remove(visitor.fields.short_id);
}

export function endSessionsOf(world: World, visitorId: string, by: Ending): void {
  for (const session of ongoingWith(world, visitorId)) endSession(world, session.id, by);
}

/** Records that the agent used a tool, and so is active. Does nothing in a session that is over. */
export function recordFeature(world: World, sessionId: string, feature: string): void {
  if (world.sessions.find(sessionId)?.endedAt !== null) return;
  world.sessions.useFeature(sessionId, feature);
  world.deadlines.start(sessionId, 'idle');
}

/** The visitor comes or goes; a session survives a short absence. Throws on an unknown visitor. */
export function setOnline(world: World, visitorId: string, isOnline: boolean): void {
  world.visitors.setOnline(visitorId, isOnline);
  noteWhereabouts(world, visitorId, isOnline);
}

/** Running sessions wait a while for a visitor who left. */
export function noteWhereabouts(world: World, visitorId: string, isThere: boolean): void {
  for (const session of ongoingWith(world, visitorId)) {
    if (isThere) world.deadlines.cancel(session.id, 'visitor-gone');
    else world.deadlines.start(session.id, 'visitor-gone');
  }
}

export function isInSession(world: World, visitorId: string): boolean {
  return ongoingWith(world, visitorId).length > 0;
}

/** All sessions of a visitor, newest first. */
export function sessionsWith(world: World, visitorId: string): readonly SessionRecord[] {
  return world.sessions
    .all()
    .filter((session) => session.visitorId === visitorId && session.onPremise === world.onPremise);
}

/** A visitor's running sessions. */
export function ongoingWith(world: World, visitorId: string): readonly SessionRecord[] {
  return sessionsWith(world, visitorId).filter((session) => session.endedAt === null);
}
