import { type Answer, type Call, type Route, ServiceError } from './http.ts';
import { holderCookie, isHeldBy, type LiveView } from './live/live-view.ts';
import { htmlAnswer, messagePage } from './page/message-page.ts';
import { watchPage } from './page/watch-page.ts';
import type { SessionRecord } from './session.ts';
import { displayName, type Visitor } from './visitor.ts';
import type { WatchLink } from './watch-links.ts';
import { endSession, linkState, openLink, type LinkState, type World } from './world.ts';

/** The sandbox's shop, whose pages are shown beside the agent's. */
export interface ShownShop {
  readonly url: string;
  /** Whether its visitors play their part by themselves. */
  readonly story: boolean;
  readonly tokenOf: (world: World, visitorId: string) => string;
}

export interface WatchRouteOptions {
  readonly world: World;
  readonly live: LiveView;
  readonly shop: ShownShop | undefined;
  /** Where the pages of watch links are. */
  readonly pages: string;
}

/** The pages of watch links. The link itself is the permission, so no key is needed. */
export function watchRoutes(options: WatchRouteOptions): readonly Route[] {
  const { world, pages } = options;
  const path = `${pages}/:token`;
  return [
    { method: 'GET', path, run: (call) => open(options, call) },
    // Link previews use HEAD: they learn whether the link is valid without starting anything.
    { method: 'HEAD', path, run: (call) => statePage(linkState(world, call.param('token'))) },
    { method: 'POST', path: `${path}/end`, run: (call) => end(world, call) },
  ];
}

function open(options: WatchRouteOptions, call: Call): Answer {
  const { world } = options;
  const token = call.param('token');
  const link = world.links.find(token);
  const again = link && reopened(world, link, call);
  if (again) return pageOf(options, link, again);
  const state = linkState(world, token);
  if (state !== 'ready' || !link) return statePage(state);
  const begun = openLink(world, link);
  options.live.opened(world, begun.session, begun.link);
  return pageOf(options, begun.link, begun.session);
}

/** The running session of a link whose page the same browser reloads: a reload doesn't end it. */
function reopened(world: World, link: WatchLink, { headers }: Call): SessionRecord | undefined {
  const session = link.sessionId === null ? undefined : world.sessions.find(link.sessionId);
  if (session?.endedAt !== null || !isHeldBy(link, headers.cookie)) return undefined;
  // Its socket is about to connect; until then the page counts as closed.
  world.deadlines.start(session.id, 'page-closed');
  return session;
}

function pageOf({ world, shop }: WatchRouteOptions, link: WatchLink, session: SessionRecord): Answer {
  const visitor = world.visitors.find(link.visitorId);
  if (!visitor) return statePage('visitor-gone');
  const pane = shop && {
    address: paneAddress(shop, world, visitor),
    isStory: shop.story,
    isOpen: visitor.isOnline,
  };
  const page = watchPage({ link, visitor, session, pane, now: world.now() });
  const { headers, ...answer } = htmlAnswer(200, page, { framed: shop?.url, isLive: true });
  const cookie = `${holderCookie}=${link.holderKey}; Path=${link.path}; HttpOnly; SameSite=Lax`;
  return { ...answer, headers: { ...headers, 'set-cookie': cookie } };
}

/** The shop at the visitor's page, as that visitor. What follows "#" isn't sent to any server. */
function paneAddress({ url, story, tokenOf }: ShownShop, world: World, visitor: Visitor): string {
  const { lastUrl, fields } = visitor;
  const path = (lastUrl === null ? null : URL.parse(lastUrl))?.pathname ?? '/';
  const part = new URLSearchParams({
    visitor: tokenOf(world, fields.short_id),
    name: displayName(visitor),
    ...(story ? { story: '1' } : {}),
  });
  return `${url}${path.startsWith('//') ? '/' : path}#${part.toString()}`;
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

function end(world: World, call: Call): Answer {
  const link = world.links.find(call.param('token'));
  if (!link?.sessionId) throw new ServiceError(404, 'not_found');
  endSession(world, link.sessionId, 'agent');
  return messagePage(200, 'Session ended', 'You can close this tab.');
}
