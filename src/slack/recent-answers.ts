import { WebAPIRateLimitedError } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { ScopeMissingError } from '../permissions/acts.ts';
import { callFailure } from './call-failure.ts';
import { slackErrorCode } from './web-client.ts';

/** What Slack said may be acted on for so long: whoever loses a right has lost it by then, even where no event says so. */
const FRESH_MS = 5_000;
const MOST_ANSWERS = 5_000;
const MOST_WORKSPACES = 10_000;
/** Slack names seconds, a minute at most. A proxy that names more doesn't shut a workspace out. */
const LONGEST_PAUSE_MS = 60_000;

/** What one method of Slack's said a moment ago. Nothing is kept of a call that failed. */
export interface RecentAnswers<Answer> {
  /**
   * What Slack said at most five seconds ago, else what it says now. Everybody who asks the same meanwhile waits for the
   * one request. Rejects as `ask` does.
   */
  get(workspaceId: string, id: string, ask: () => Promise<Answer>): Promise<Answer>;
  /** An event says that it has changed: the next question goes to Slack. */
  forget(workspaceId: string, id: string): void;
}

/**
 * Kept in an LRUCache alone: a cache that deletes asynchronously could still give the old answer to a question right after
 * an event.
 *
 * @param now milliseconds from any moment on
 */
export function createRecentAnswers<Answer extends {}>(
  now: () => number,
  most = MOST_ANSWERS,
): RecentAnswers<Answer> {
  const recent = new LRUCache<string, { readonly answer: Answer; readonly askedAt: number }>({ max: most });
  const underWay = new Map<string, Promise<Answer>>();

  async function request(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const askedAt = now();
    const asked = ask();
    underWay.set(key, asked);
    try {
      const answer = await asked;
      // Not where it was forgotten meanwhile.
      if (underWay.get(key) === asked) recent.set(key, { answer, askedAt });
      return answer;
    } finally {
      if (underWay.get(key) === asked) underWay.delete(key);
    }
  }

  return {
    async get(workspaceId, id, ask) {
      const key = `${workspaceId} ${id}`;
      const before = recent.get(key);
      const age = before === undefined ? Infinity : now() - before.askedAt;
      if (before !== undefined && age >= 0 && age < FRESH_MS) return before.answer;
      return underWay.get(key) ?? request(key, ask);
    },
    forget(workspaceId, id) {
      const key = `${workspaceId} ${id}`;
      recent.delete(key);
      underWay.delete(key);
    },
  };
}

/**
 * Calls one method of Slack's, except while Slack has asked to be left alone in that workspace: then rejects at once, as
 * Slack did. Rejects with a ScopeMissingError where the app lacks a scope for it.
 */
export type CallMethod = <Answer>(workspaceId: string, call: () => Promise<Answer>) => Promise<Answer>;

/** @param now milliseconds from any moment on */
export function createCallMethod(now: () => number): CallMethod {
  const pauses = new LRUCache<string, { readonly until: number; readonly error: Error }>({
    max: MOST_WORKSPACES,
  });
  return async function callMethod(workspaceId, call) {
    const pause = pauses.get(workspaceId);
    const restMs = pause === undefined ? 0 : pause.until - now();
    if (pause !== undefined && restMs > 0 && restMs <= LONGEST_PAUSE_MS) throw pause.error;
    try {
      return await call();
    } catch (error) {
      if (error instanceof WebAPIRateLimitedError) {
        const pauseMs = Math.min(Math.max(1, error.retryAfter) * 1_000, LONGEST_PAUSE_MS);
        pauses.set(workspaceId, { until: now() + pauseMs, error });
      }
      if (slackErrorCode(error) === 'missing_scope') {
        const failure = callFailure(error);
        throw new ScopeMissingError(failure.outcome === 'never' ? failure.neededScope : undefined, error);
      }
      throw error;
    }
  };
}
