import { shopPage } from './shop-page.ts';
import type { ShopPage } from './shop-page.ts';
import { formatSeconds, secondsBetween } from './time.ts';
import type { World } from './world.ts';

/** What a watch page shows at one moment. */
export interface WatchView extends ShopPage {
  readonly isOnline: boolean;
  /** Running time of the session, `m:ss`. */
  readonly length: string;
  /** The visitor's pointer, in percent of the drawn page. */
  readonly cursor: { readonly x: number; readonly y: number };
}

/** What the page of a session shows at its `tick`-th update. */
export function watchView(world: World, sessionId: string, tick: number): WatchView {
  const now = world.now();
  const session = world.sessions.find(sessionId);
  const visitor = session && world.visitors.find(session.visitorId);
  return {
    ...shopPage(visitor?.lastUrl ?? null),
    isOnline: visitor?.isOnline ?? false,
    length: formatSeconds(session ? secondsBetween(session.startedAt, session.endedAt ?? now) : 0),
    cursor: cursorAt(tick),
  };
}

// A wandering curve that never jumps and seldom repeats.
function cursorAt(tick: number) {
  return {
    x: Math.round(50 + 34 * Math.sin(tick * 0.61)),
    y: Math.round(50 + 30 * Math.sin(tick * 0.37 + 1)),
  };
}
