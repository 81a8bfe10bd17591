import type { WebClient } from '@slack/web-api';
import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import { hasCome } from '../database/database.ts';
import { createRecentAnswers } from './recent-answers.ts';

/** Of names and lists: whoever sees an old one isn't allowed anything by it. */
const KEPT_MS = 5 * 60_000;

/** What of a workspace a call needs, and what tells it apart from one that was there before. */
export type FindInstalled = (
  workspaceId: string,
) => Promise<{ readonly installId?: string | undefined; readonly slack: WebClient } | undefined>;

/** What one Slack method said minutes ago, about what grants nobody anything. Failed calls aren't kept. */
export interface KeptAnswers<Answer> {
  /**
   * What Slack said at most five minutes ago, otherwise what it says now; undefined if the app isn't installed.
   * Simultaneous callers share one request. Rejects as `ask` does.
   */
  readonly get: (
    workspaceId: string,
    id: string,
    ask: (client: WebClient) => Promise<Answer>,
  ) => Promise<Answer | undefined>;
  /** An event says it has changed: ask Slack the next time. One that's being asked for right now may still be kept. */
  readonly forget: (workspaceId: string, id: string) => void;
}

/** After everything of a workspace was removed, what is kept of it is never read again. */
const keyIn = (installId: string | undefined, id: string) => `${installId ?? ''} ${id}`;

/**
 * @param find the workspace; undefined if the app isn't installed there
 * @param now milliseconds since any moment
 * @param most how many are kept
 */
export function createKeptAnswers<Answer extends {}>(
  find: FindInstalled,
  now: () => number,
  most: number,
): KeptAnswers<Answer> {
  // A plain map would have no bound. One store for each Keyv: two over one would read each other's answers.
  const store = new LRUCache<string, object>({ maxSize: most, sizeCalculation: () => 1 });
  // Without a time to live, which would go by the machine's clock, and as it is: nobody else reads the store.
  const kept = new Keyv<{ readonly answer: Answer; readonly askedAt: number }>({
    store,
    serialization: false,
  });
  const underWay = createRecentAnswers<Answer>(now, most);

  return {
    async get(workspaceId, id, ask) {
      const workspace = await find(workspaceId);
      if (workspace === undefined) return undefined;
      const own = keyIn(workspace.installId, id);
      const key = `${workspaceId} ${own}`;
      const before = await kept.get(key);
      if (before !== undefined && !hasCome(before.askedAt + KEPT_MS, now(), KEPT_MS)) return before.answer;
      return underWay.get(workspaceId, own, async () => {
        const askedAt = now();
        const answer = await ask(workspace.slack);
        await kept.set(key, { answer, askedAt });
        return answer;
      });
    },
    forget(workspaceId, id) {
      const forgetKey = async () => {
        const own = keyIn((await find(workspaceId))?.installId, id);
        underWay.forget(workspaceId, own);
        await kept.delete(`${workspaceId} ${own}`);
      };
      // Without the database nobody knows which it is, and it's gone in minutes.
      forgetKey().catch(() => undefined);
    },
  };
}
