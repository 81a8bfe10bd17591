import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import { buttons, lines, type Part } from '../messages/message.ts';
import {
  isWaiting,
  noWatchWords,
  type SessionPartners,
  type VisitorTools,
} from '../messages/visitor-pieces.ts';
import { code, say } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { inOrder } from '../visitors/visitor-search.ts';
import type { Verdict } from '../permissions/permissions.ts';
import {
  cutWords,
  moreAbout,
  MOST_VISITORS,
  visitorRows,
  VISITORS_ON_A_PAGE,
} from '../visitors/visitor-list.ts';

/** The first visitors who are online now, and whether there are more. */
export interface OnlineNow {
  /** Those who wait for help or are in a session. */
  readonly busy: readonly Visitor[];
  readonly others: readonly Visitor[];
  readonly hasMore: boolean;
  /** As in {@link Visitors}. */
  readonly cutAtMiB?: number;
  readonly tools: VisitorTools;
}

/** Who waits or is in a session; empty if nobody is. */
export function busyNow({ busy, tools }: OnlineNow): readonly Part[] {
  if (busy.length === 0) return [];
  return [...noWatchWords(tools.mayNotWatch), ...visitorRows(busy, tools)];
}

export function onlineNow({ busy, others, hasMore, cutAtMiB, tools }: OnlineNow): readonly Part[] {
  if (busy.length + others.length === 0) {
    if (cutAtMiB !== undefined) return cutWords({ cutAtMiB });
    return [
      lines(
        ['Nobody is online right now.'],
        ['Customers appear here while they have a page with the snippet open.'],
        ['To find someone who was here before, search above.'],
      ),
    ];
  }
  return [
    ...(busy.length === 0 ? noWatchWords(tools.mayNotWatch) : []),
    ...(others.length === 0 ? [lines(['Nobody else is online.'])] : visitorRows(others, tools)),
    buttons(...moreAbout([...busy, ...others], tools)),
    ...(hasMore ? [lines(say`There are more. Type ${code('/cobrowse online')} to see them.`)] : []),
    ...cutWords({ cutAtMiB }),
  ];
}

/** What is typed to find the same people, so that both look alike in the audit. */
const SEARCH = 'online';

export interface OnlineSources extends Pick<App, 'recording'> {
  readonly visitorTools: (viewer: Viewer) => Promise<VisitorTools>;
  readonly partnersOf: (viewer: Viewer, visitors: readonly Visitor[]) => Promise<SessionPartners>;
}

const isBusy = (visitor: Visitor) => isWaiting(visitor) || visitor.is_in_session === true;

/** Who is online, as Home shows it. The audit keeps who saw how many. @param recently whether a section just showed the same */
export async function online(
  { visitorTools, partnersOf, recording }: OnlineSources,
  { listVisitors }: Pick<CobrowseClient, 'listVisitors'>,
  viewer: Viewer,
  watching: Verdict,
  recently: (viewer: Viewer, section: string, what: string) => boolean,
): Promise<OnlineNow> {
  const [found, usualTools] = await Promise.all([
    listVisitors({ online: true, limit: MOST_VISITORS + 1 }),
    visitorTools(viewer),
  ]);
  const here = inOrder(found, '');
  const all = [...here.filter(isBusy), ...here.filter((visitor) => !isBusy(visitor))];
  const visitors = all.slice(0, VISITORS_ON_A_PAGE);
  const ids = JSON.stringify(visitors.map((visitor) => visitor.short_id).toSorted());
  const [partners] = await Promise.all([
    partnersOf(viewer, visitors),
    recently(viewer, SEARCH, ids) || recording.search(viewer, SEARCH, async () => visitors),
  ]);
  const tools = { ...usualTools, partners };
  return {
    busy: visitors.filter(isBusy),
    others: visitors.filter((visitor) => !isBusy(visitor)),
    hasMore: all.length > VISITORS_ON_A_PAGE,
    cutAtMiB: found.cutAtMiB,
    tools: watching.allowed ? tools : { ...tools, mayNotWatch: watching.why },
  };
}
