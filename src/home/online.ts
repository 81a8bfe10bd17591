import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Verdict } from '../permissions/acts.ts';
import type { Recording } from '../audit/recording.ts';
import type { OnlineNow } from '../views/home-online.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import { isWaiting } from '../views/visitor-pieces.ts';
import type { SessionPartners } from '../views/visitor-pieces.ts';
import { MOST_VISITORS, VISITORS_ON_A_PAGE } from '../views/visitor-list.ts';
import { inOrder } from '../views/visitor-order.ts';
import { createRecently } from './recently.ts';
import type { Viewer } from './viewer.ts';

/** What is typed to find the same people, so that both look alike in the audit. */
const SEARCH = 'online';

export interface OnlineSources {
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'listVisitors'>>;
  readonly visitorTools: (viewer: Viewer) => Promise<VisitorTools>;
  readonly partnersOf: (viewer: Viewer, visitors: readonly Visitor[]) => Promise<SessionPartners>;
  readonly recording: Pick<Recording, 'search'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const isBusy = (visitor: Visitor) => isWaiting(visitor) || visitor.is_in_session === true;

/** The visitors who are online now, as Home shows them. The audit keeps who saw how many. */
export function createOnline({ cobrowseOf, visitorTools, partnersOf, recording, now }: OnlineSources) {
  const recently = createRecently(now);

  async function record(viewer: Viewer, shown: readonly Visitor[]): Promise<void> {
    const ids = JSON.stringify(shown.map((visitor) => visitor.short_id).toSorted());
    if (!recently(viewer, ids)) await recording.search(viewer, SEARCH, async () => shown);
  }

  return async function online(viewer: Viewer, watching: Verdict): Promise<OnlineNow> {
    const cobrowse = await cobrowseOf(viewer.workspaceId);
    const [found, usualTools] = await Promise.all([
      cobrowse.listVisitors({ online: true, limit: MOST_VISITORS + 1 }),
      visitorTools(viewer),
    ]);
    const here = inOrder(found, '');
    const all = [...here.filter(isBusy), ...here.filter((visitor) => !isBusy(visitor))];
    const visitors = all.slice(0, VISITORS_ON_A_PAGE);
    const [partners] = await Promise.all([partnersOf(viewer, visitors), record(viewer, visitors)]);
    const tools = { ...usualTools, partners };
    return {
      busy: visitors.filter(isBusy),
      others: visitors.filter((visitor) => !isBusy(visitor)),
      hasMore: all.length > VISITORS_ON_A_PAGE,
      tools: watching.allowed ? tools : { ...tools, mayNotWatch: watching.why },
    };
  };
}
