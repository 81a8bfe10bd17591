import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import { buttons, heading, lines } from '../messages/message.ts';
import {
  isWaiting,
  noWatchWords,
  type SessionPartners,
  type VisitorTools,
} from '../messages/visitor-pieces.ts';
import { code, say } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { inOrder, MOST_VISITORS } from '../visitors/visitor-search.ts';
import type { Verdict } from '../permissions/permissions.ts';
import { moreAbout, unreadWords, visitorRows, VISITORS_ON_A_PAGE } from '../visitors/visitor-list.ts';

/** What is typed to find the same people, so that both look alike in the audit. */
const SEARCH = 'online';

export interface OnlineSources {
  readonly visitorTools: (viewer: Viewer) => Promise<VisitorTools>;
  readonly partnersOf: (viewer: Viewer, visitors: readonly Visitor[]) => Promise<SessionPartners>;
}

const isBusy = (visitor: Visitor) => isWaiting(visitor) || visitor.is_in_session === true;

/** Who is online, first who waits or is in a session. @param recently whether somebody was just shown that */
export const createOnline =
  (
    { visitorTools, partnersOf }: OnlineSources,
    recording: App['recording'],
    recently: (viewer: Viewer, what: string) => boolean,
  ) =>
  async (viewer: Viewer, { listVisitors }: Pick<CobrowseClient, 'listVisitors'>, watching: Verdict) => {
    const [found, usualTools] = await Promise.all([
      listVisitors({ online: true, limit: MOST_VISITORS + 1 }),
      visitorTools(viewer),
    ]);
    const visitors = inOrder(found, '')
      .toSorted((one, other) => Number(isBusy(other)) - Number(isBusy(one)))
      .slice(0, VISITORS_ON_A_PAGE);
    const ids = visitors.map((visitor) => visitor.short_id).toSorted();
    // The audit keeps who saw how many.
    const [partners] = await Promise.all([
      partnersOf(viewer, visitors),
      recently(viewer, JSON.stringify([SEARCH, ids])) ||
        recording.search(viewer, SEARCH, async () => visitors),
    ]);
    const mayNotWatch = watching.allowed ? usualTools.mayNotWatch : watching.why;
    const tools = { ...usualTools, partners, mayNotWatch };
    if (visitors.length === 0)
      return [
        heading('Online now'),
        found.cutAtMiB === undefined &&
          lines(
            ['Nobody is online right now.'],
            ['Customers appear here while they have a page with the snippet open.'],
            ['To find someone who was here before, search above.'],
          ),
        unreadWords(found),
      ];
    const [busy, others] = [visitors.filter(isBusy), visitors.filter((visitor) => !isBusy(visitor))];
    return [
      ...(busy.length > 0
        ? [heading('Waiting, asked or in session'), noWatchWords(mayNotWatch), ...visitorRows(busy, tools)]
        : []),
      heading('Online now'),
      busy.length === 0 && noWatchWords(mayNotWatch),
      others.length === 0 && lines(['Nobody else is online.']),
      ...visitorRows(others, tools),
      buttons(...moreAbout(visitors, tools)),
      found.length > VISITORS_ON_A_PAGE &&
        lines(say`There are more. Type ${code('/cobrowse online')} to see them.`),
      unreadWords(found),
    ];
  };
