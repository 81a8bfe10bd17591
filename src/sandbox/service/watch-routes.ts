import { json, parseBody, ServiceError } from './http.ts';
import type { Answer, Call, OpenAnswer, Route } from './http.ts';
import { htmlAnswer, messagePage } from './page/message-page.ts';
import { watchPage } from './page/watch-page.ts';
import { toolBody } from './request-bodies.ts';
import { isToolAllowed } from './watch-links.ts';
import { watchView } from './watch-view.ts';
import { sayEnded } from './watch-streams.ts';
import type { WatchStreams } from './watch-streams.ts';
import { endSession, linkState, openLink, recordFeature } from './world.ts';
import type { LinkState, World } from './world.ts';

/** The pages of watch links, below `pages`. The link itself is the permission; no key is asked for. */
export function watchRoutes(world: World, streams: WatchStreams, pages: string): readonly Route[] {
  const path = `${pages}/:token`;
  return [
    { method: 'GET', path, run: (call) => open(world, call.param('token')) },
    // Link expanders look with HEAD: they learn whether the link is good and start nothing.
    { method: 'HEAD', path, run: (call) => statePage(linkState(world, call.param('token'))) },
    { method: 'GET', path: `${path}/stream`, run: (call) => stream(world, streams, call) },
    { method: 'POST', path: `${path}/tool`, run: (call) => applyTool(world, call) },
    { method: 'POST', path: `${path}/end`, run: (call) => end(world, call) },
  ];
}

function open(world: World, token: string): Answer {
  const state = linkState(world, token);
  const link = world.links.find(token);
  const visitor = link && world.visitors.find(link.visitorId);
  if (state !== 'ready' || !link || !visitor) return statePage(state);
  const session = openLink(world, link);
  return htmlAnswer(200, watchPage({ link, visitor, view: watchView(world, session.id, 0) }));
}

function statePage(state: LinkState): Answer {
  switch (state) {
    case 'ready':
      return messagePage(200, 'Ready', 'Open this link to start the session.');
    case 'unknown':
      return messagePage(404, 'No such link', 'This watch link does not exist. Ask for a new one.');
    case 'expired':
      return messagePage(
        410,
        'This link has expired',
        'A watch link lives a few minutes. Press Watch again.',
      );
    case 'used':
      return messagePage(410, 'This link was used already', 'A watch link works once. Press Watch again.');
    case 'visitor-gone':
      return messagePage(410, 'The visitor is gone', 'This visitor was deleted. Search for another one.');
    case 'limit-reached':
      return messagePage(
        402,
        'The plan’s limit is reached',
        'Too many sessions are running. End one and try again.',
      );
    default:
      return state satisfies never;
  }
}

function stream(world: World, streams: WatchStreams, call: Call): OpenAnswer {
  const { session } = opened(world, call);
  return {
    takeOver(response) {
      if (session.endedAt) sayEnded(response);
      else streams.attach(session.id, response);
    },
  };
}

function applyTool(world: World, call: Call): Answer {
  const { tool } = parseBody(toolBody, call.text);
  const { link, session } = opened(world, call);
  if (!isToolAllowed(link, tool)) throw new ServiceError(403, 'not_permitted');
  recordFeature(world, session.id, tool);
  return json(200, { status: 'ok' });
}

function end(world: World, call: Call): Answer {
  endSession(world, opened(world, call).session.id);
  return messagePage(200, 'Session ended', 'You can close this tab.');
}

function opened(world: World, call: Call) {
  const link = world.links.find(call.param('token'));
  const session = link?.sessionId ? world.sessions.find(link.sessionId) : undefined;
  if (!link || !session) throw new ServiceError(404, 'not_found');
  return { link, session };
}
