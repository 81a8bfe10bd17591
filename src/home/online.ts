import { LRUCache } from 'lru-cache';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import type { Verdict } from '../grants/acts.ts';
import type { Recording } from '../audit/recording.ts';
import type { OnlineNow } from '../views/home-online.ts';
import type { VisitorTools } from '../views/visitor-buttons.ts';
import { VISITORS_ON_A_PAGE } from '../views/visitor-list.ts';
import type { Viewer } from './viewer.ts';

/** What is typed to find the same, so that both look alike in the audit. */
const SEARCH = 'online';
/** A Home is drawn again and again: the same customers, shown again to the same person, are on record for so long. */
const ON_RECORD_MS = 10 * 60 * 1_000;
const MOST_VIEWERS = 1_000;

export interface OnlineSources {
  readonly cobrowse: Pick<CobrowseClient, 'listVisitors'>;
  readonly visitorTools: (viewer: Viewer) => Promise<VisitorTools>;
  readonly recording: Pick<Recording, 'search'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Gives the visitors online now, as the Home shows them; who was shown how many is on record. */
export function createOnline({ cobrowse, visitorTools, recording, now }: OnlineSources) {
  // In memory is enough: another process writes the same once more.
  const recorded = new LRUCache<string, { readonly ids: string; readonly at: number }>({ max: MOST_VIEWERS });

  async function record(viewer: Viewer, shown: readonly Visitor[]): Promise<void> {
    const key = `${viewer.workspaceId} ${viewer.userId}`;
    const ids = JSON.stringify(shown.map((visitor) => visitor.short_id).toSorted());
    const last = recorded.get(key);
    if (last?.ids === ids && now() - last.at < ON_RECORD_MS) return;
    recorded.set(key, { ids, at: now() });
    await recording.search(viewer, SEARCH, async () => shown);
  }

  return async function online(viewer: Viewer, watching: Verdict): Promise<OnlineNow> {
    const limit = VISITORS_ON_A_PAGE + 1;
    const [found, tools] = await Promise.all([
      cobrowse.listVisitors({ search: SEARCH, limit }),
      visitorTools(viewer),
    ]);
    const all = found.filter((visitor) => visitor.is_online !== false);
    const visitors = all.slice(0, VISITORS_ON_A_PAGE);
    await record(viewer, visitors);
    return {
      visitors,
      hasMore: all.length > VISITORS_ON_A_PAGE,
      tools: watching.allowed ? tools : { ...tools, mayNotWatch: watching.why },
    };
  };
}
