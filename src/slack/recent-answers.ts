import { WebAPIRateLimitedError } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { hasCome } from '../database/database.ts';
import { ScopeMissingError } from '../permissions/acts.ts';
import { slackErrorKind } from '../workspaces/web-client.ts';
import { callFailure } from './call-failure.ts';

/**
 * How long we act on what Slack said: whoever loses a permission has lost it after this, even without an event that
 * says so.
 */
const FRESH_MS = 5_000;
const MOST_ANSWERS = 5_000;
const MOST_WORKSPACES = 10_000;
/** Slack asks for seconds, a minute at most. A proxy that asks for more can't shut out a workspace. */
const LONGEST_PAUSE_MS = 60_000;

/** What one Slack method said a moment ago. Failed calls aren't cached. */
export interface RecentAnswers<Answer> {
  /**
   * What Slack said at most five seconds ago, or `maxAgeMs`; otherwise what it says now. Simultaneous callers share one
   * request. Rejects as `ask` does.
   */
  readonly get: (
    workspaceId: string,
    id: string,
    ask: () => Promise<Answer>,
    maxAgeMs?: number,
  ) => Promise<Answer>;
  /** An event says it has changed: ask Slack the next time. */
  readonly forget: (workspaceId: string, id: string) => void;
}

/**
 * Uses a plain LRUCache: a cache that deletes asynchronously could still give the old answer right after an event.
 *
 * @param now milliseconds since any moment
 */
export function createRecentAnswers<Answer extends {}>(
  now: () => number,
  most = MOST_ANSWERS,
): RecentAnswers<Answer> {
  // `max` would take the memory for all of them at once.
  const recent = new LRUCache<string, { readonly answer: Answer; readonly askedAt: number }>({
    maxSize: most,
    sizeCalculation: () => 1,
  });
  const underWay = new Map<string, Promise<Answer>>();

  async function request(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const askedAt = now();
    const asked = ask();
    underWay.set(key, asked);
    try {
      const answer = await asked;
      // Not if it was forgotten in the meantime.
      if (underWay.get(key) === asked) recent.set(key, { answer, askedAt });
      return answer;
    } finally {
      if (underWay.get(key) === asked) underWay.delete(key);
    }
  }

  return {
    async get(workspaceId, id, ask, maxAgeMs = FRESH_MS) {
      const key = `${workspaceId} ${id}`;
      const before = recent.get(key);
      if (before !== undefined && !hasCome(before.askedAt + maxAgeMs, now(), maxAgeMs)) return before.answer;
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
 * Calls one Slack method, except while Slack has asked to be left alone in that workspace: then rejects immediately, as
 * Slack did. Rejects with a ScopeMissingError if the app lacks a scope for it.
 */
export type CallMethod = <Answer>(workspaceId: string, call: () => Promise<Answer>) => Promise<Answer>;

/** @param now milliseconds since any moment */
export function createCallMethod(now: () => number): CallMethod {
  const pauses = new LRUCache<string, { readonly until: number; readonly error: Error }>({
    maxSize: MOST_WORKSPACES,
    sizeCalculation: () => 1,
  });
  return async function callMethod(workspaceId, call) {
    const pause = pauses.get(workspaceId);
    if (pause !== undefined && !hasCome(pause.until, now(), LONGEST_PAUSE_MS)) throw pause.error;
    try {
      return await call();
    } catch (error) {
      if (error instanceof WebAPIRateLimitedError) {
        const pauseMs = Math.min(Math.max(1, error.retryAfter) * 1_000, LONGEST_PAUSE_MS);
        pauses.set(workspaceId, { until: now() + pauseMs, error });
      }
      if (slackErrorKind(error) === 'missing-scope') {
        const failure = callFailure(error);
        throw new ScopeMissingError(failure.outcome === 'never' ? failure.neededScope : undefined, error);
      }
      throw error;
    }
  };
}
