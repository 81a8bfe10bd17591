import { createAgents } from './agents.ts';
import type { Agents } from './agents.ts';
import { createDeadlines } from './deadlines.ts';
import type { Deadline, Deadlines } from './deadlines.ts';
import { accountUsers, pastSessions } from './seed-account.ts';
import type { SessionRecord } from './session.ts';
import { createSessions } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import type { SeedVisitor } from './visitor.ts';
import { createVisitors } from './visitors.ts';
import type { Visitors } from './visitors.ts';
import { createWatchLinks } from './watch-links.ts';
import type { WatchLink, WatchLinks } from './watch-links.ts';

export interface WorldOptions {
  readonly now: () => Date;
  readonly randomId: () => string;
  readonly seed: readonly SeedVisitor[];
  readonly watchLinkLifetimeMs: number;
  /** How many sessions may run at the same time. */
  readonly sessionLimit: number;
  readonly deadlinesMs: Readonly<Record<Deadline, number>>;
  readonly onEnd: (session: SessionRecord) => void;
}

/** The state of the service; the functions below are the rules by which it changes. */
export interface World {
  readonly now: () => Date;
  readonly visitors: Visitors;
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly links: WatchLinks;
  readonly deadlines: Deadlines;
  readonly sessionLimit: number;
  readonly onEnd: (session: SessionRecord) => void;
}

/** What opening a watch link leads to. */
export type LinkState = 'ready' | 'unknown' | 'expired' | 'used' | 'visitor-gone' | 'limit-reached';

/** A world with its seeded visitors, agents and past sessions. */
export function createWorld(options: WorldOptions): World {
  const { now, randomId, sessionLimit, onEnd } = options;
  const world: World = {
    now,
    visitors: createVisitors(now),
    agents: createAgents(accountUsers, randomId),
    sessions: createSessions(now, randomId),
    links: createWatchLinks({ now, randomId, lifetimeMs: options.watchLinkLifetimeMs }),
    deadlines: createDeadlines(options.deadlinesMs, (sessionId) => endSession(world, sessionId)),
    sessionLimit,
    onEnd,
  };
  for (const visitor of options.seed) world.visitors.add(visitor);
  for (const session of pastSessions(now())) world.sessions.add(session);
  return world;
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

/** Begins the session of a link that is ready. An offline visitor is waited for until the deadline. */
export function openLink(world: World, link: WatchLink): SessionRecord {
  const wentLive = world.visitors.find(link.visitorId)?.isOnline ?? false;
  const session = world.sessions.start({
    visitorId: link.visitorId,
    agent: world.agents.forLink(link.body.agent),
    wentLive,
    metadata: link.body.metadata ?? {},
    webhookUrl: link.body.webhook_url ?? null,
  });
  world.links.markUsed(link.token, session.id);
  world.deadlines.start(session.id, 'idle');
  if (!wentLive) world.deadlines.start(session.id, 'visitor-gone');
  return session;
}

/** Ends a session and tells `onEnd`; undefined when none of this id runs. */
export function endSession(world: World, sessionId: string): SessionRecord | undefined {
  const ended = world.sessions.end(sessionId);
  if (!ended) return undefined;
  world.deadlines.forget(sessionId);
  world.onEnd(ended);
  return ended;
}

export function endSessionsOf(world: World, visitorId: string): void {
  for (const session of sessionsOf(world, visitorId)) endSession(world, session.id);
}

/** Notes that the agent used a tool, and that the agent is there. Nothing happens in a session that is over. */
export function recordFeature(world: World, sessionId: string, feature: string): void {
  if (world.sessions.find(sessionId)?.endedAt !== null) return;
  world.sessions.useFeature(sessionId, feature);
  world.deadlines.start(sessionId, 'idle');
}

/** The visitor comes or goes; a session outlives a short absence. Throws on an unknown visitor. */
export function setOnline(world: World, visitorId: string, isOnline: boolean): void {
  world.visitors.setOnline(visitorId, isOnline);
  for (const session of sessionsOf(world, visitorId)) {
    if (isOnline) world.deadlines.cancel(session.id, 'visitor-gone');
    else world.deadlines.start(session.id, 'visitor-gone');
  }
}

export function isInSession(world: World, visitorId: string): boolean {
  return sessionsOf(world, visitorId).length > 0;
}

function sessionsOf(world: World, visitorId: string): readonly SessionRecord[] {
  return world.sessions.ongoing().filter((session) => session.visitorId === visitorId);
}
