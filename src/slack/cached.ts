import { WebAPIRateLimitedError, type WebClient } from '@slack/web-api';
import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { ScopeMissingError } from '../permissions/permissions.ts';
import { slackErrorKind } from '../workspaces/web-client.ts';
import { callFailure } from './call-failure.ts';

/**
 * How long we act on what Slack said: whoever loses a permission has lost it after this, even without an event that
 * says so.
 */
const FRESH_MS = 5_000;
/** Of names and lists: whoever sees an old one isn't allowed anything by it. */
const NAMES_MS = 5 * 60_000;
/** Slack asks for seconds, a minute at most. A proxy that asks for more can't shut out a workspace. */
const LONGEST_PAUSE_MS = 60_000;

// `max` would take the memory for all of them at once.
const bounded = <Value extends {}>(most: number) =>
  new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });

interface Said<Answer> {
  readonly answer: Answer;
  readonly askedAt: number;
}

/** Forgets at once as an LRUCache, a moment later as a Keyv. */
interface Store<Answer> {
  get(key: string): Said<Answer> | undefined | Promise<Said<Answer> | undefined>;
  set(key: string, said: Said<Answer>): unknown;
  delete(key: string): unknown;
}

/**
 * What Slack said about something, by its age. Failed calls aren't cached.
 *
 * @param elapsed milliseconds from any moment on, by a clock that nobody sets
 * @param usualMs the age that counts for whoever names no other
 */
export function cached<Answer extends {}>(
  elapsed: () => number,
  most = 5_000,
  usualMs = FRESH_MS,
  store: Store<Answer> = bounded(most),
) {
  const underWay = new Map<string, Promise<Answer>>();

  async function request(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const askedAt = elapsed();
    const asked = ask();
    underWay.set(key, asked);
    try {
      const answer = await asked;
      // Not if it was forgotten in the meantime.
      if (underWay.get(key) === asked) await store.set(key, { answer, askedAt });
      return answer;
    } finally {
      if (underWay.get(key) === asked) underWay.delete(key);
    }
  }

  return {
    /**
     * What Slack said at most `maxAgeMs` ago; otherwise what it says now. Simultaneous callers share one request. Rejects as
     * `ask` does.
     */
    get: async (workspaceId: string, id: string, ask: () => Promise<Answer>, maxAgeMs = usualMs) => {
      const key = `${workspaceId} ${id}`;
      const said = await store.get(key);
      if (said !== undefined && elapsed() - said.askedAt < maxAgeMs) return said.answer;
      return underWay.get(key) ?? request(key, ask);
    },
    /** An event says it has changed: Slack is asked the next time. */
    forget: (workspaceId: string, id: string): void => {
      const key = `${workspaceId} ${id}`;
      underWay.delete(key);
      void store.delete(key);
    },
  };
}

/** What of a workspace a call needs, and what tells it apart from one that was there before. */
export type FindInstalled = (workspaceId: string) => Promise<{ readonly installId?: string } | undefined>;

/**
 * What Slack said minutes ago about what grants nobody anything. After everything of a workspace was removed, what is kept of
 * it is never read again.
 *
 * @param find undefined if the app isn't installed there
 */
export function cachedNames<Answer extends {}>(find: FindInstalled, elapsed: () => number, most: number) {
  // As it is, since nobody else reads it, and without a time to live, which would go by the machine's clock.
  const store = new Keyv<Said<Answer>>({ store: bounded(most), serialization: false });
  const names = cached<Answer>(elapsed, most, NAMES_MS, {
    get: (key) => store.get(key),
    set: (key, said) => store.set(key, said),
    delete: (key) => store.delete(key),
  });
  return {
    /** Undefined if the app isn't installed. Rejects as `ask` does. */
    get: async (workspaceId: string, id: string, ask: () => Promise<Answer>): Promise<Answer | undefined> => {
      const installed = await find(workspaceId);
      return installed && names.get(workspaceId, `${installed.installId ?? ''} ${id}`, ask);
    },
    forget: (workspaceId: string, id: string): void => {
      find(workspaceId)
        .then((installed) => names.forget(workspaceId, `${installed?.installId ?? ''} ${id}`))
        // Without the database nobody knows which it is, and it's gone in minutes.
        .catch(() => undefined);
    },
  };
}

/** The Web API client of a workspace; undefined if the app isn't installed there. */
export type ClientFor = (workspaceId: string) => Promise<WebClient | undefined>;

/**
 * Asks one of Slack's methods, except while Slack wants to be left alone with it in that workspace: then rejects at once, as
 * Slack did. Undefined where the app isn't installed. Rejects with a ScopeMissingError if the app lacks a scope for it.
 */
export function createAsk(clientFor: ClientFor, elapsed: () => number) {
  const pauses = bounded<{ readonly until: number; readonly error: Error }>(10_000);
  return async function ask<Answer>(
    method: string,
    schema: z.ZodType<Answer>,
    workspaceId: string,
    asked: Readonly<Record<string, unknown>> = {},
  ): Promise<Answer | undefined> {
    const client = await clientFor(workspaceId);
    if (client === undefined) return undefined;
    const key = `${workspaceId} ${method}`;
    const pause = pauses.get(key);
    if (pause !== undefined && elapsed() < pause.until) throw pause.error;
    try {
      return schema.parse(await client.apiCall(method, asked));
    } catch (error) {
      if (error instanceof WebAPIRateLimitedError) {
        const pauseMs = Math.min(Math.max(1, error.retryAfter) * 1_000, LONGEST_PAUSE_MS);
        pauses.set(key, { until: elapsed() + pauseMs, error });
      }
      if (slackErrorKind(error) !== 'missing-scope') throw error;
      const failure = callFailure(error);
      throw new ScopeMissingError(failure.outcome === 'never' ? failure.neededScope : undefined, error);
    }
  };
}
