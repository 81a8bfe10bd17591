import { WebAPIRateLimitedError } from '@slack/web-api';
import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { ScopeMissingError } from '../permissions/permissions.ts';
import { slackErrorKind } from '../workspaces/web-client.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { callFailure } from './call-failure.ts';

/** How long we act on what Slack said: whoever loses a permission has lost it after this, even if no event says so. */
const FRESH_MS = 5_000;
/** Of names and lists: whoever sees an old one isn't allowed anything by it. */
const NAMES_MS = 5 * 60_000;
/** Slack asks for seconds, a minute at most. A proxy that asks for more can't shut out a workspace. */
const LONGEST_PAUSE_MS = 60_000;

// `max` would take the memory for all of them at once.
export const bounded = <Value extends {}>(most: number) =>
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

/** What Slack said about something, by its age. Failed calls aren't cached. @param elapsed a clock that nobody sets */
export function cached<Answer extends {}>(
  elapsed: () => number,
  store: Store<Answer> = bounded(5_000),
  usualMs = FRESH_MS,
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

  async function last(workspaceId: string, id: string, maxAgeMs: number): Promise<Answer | undefined> {
    const said = await store.get(`${workspaceId} ${id}`);
    return said !== undefined && elapsed() - said.askedAt < maxAgeMs ? said.answer : undefined;
  }

  return {
    last,
    /** Simultaneous callers share one request. Rejects as `ask` does. */
    get: async (workspaceId: string, id: string, ask: () => Promise<Answer>, maxAgeMs = usualMs) => {
      const key = `${workspaceId} ${id}`;
      return (await last(workspaceId, id, maxAgeMs)) ?? underWay.get(key) ?? request(key, ask);
    },
    /** An event says it has changed: Slack is asked the next time. */
    forget(workspaceId: string, id: string): void {
      const key = `${workspaceId} ${id}`;
      underWay.delete(key);
      void store.delete(key);
    },
  };
}

export type Find<Needed extends keyof Workspace> = (
  workspaceId: string,
) => Promise<Pick<Workspace, Needed> | undefined>;

/** For what grants nothing. Its key has the install id: after a workspace was removed, nothing kept of it is read again. */
export function cachedNames<Answer extends {}>(find: Find<'installId'>, elapsed: () => number, most: number) {
  // As it is, since nobody else reads it, and without a time to live, which would go by the machine's clock.
  const store = new Keyv<Said<Answer>>({ store: bounded(most), serialization: false });
  const kept: Store<Answer> = {
    get: (key) => store.get(key),
    set: (key, said) => store.set(key, said),
    delete: (key) => store.delete(key),
  };
  const names = cached<Answer>(elapsed, kept, NAMES_MS);
  return {
    /** Undefined if the app isn't installed. Rejects as `ask` does. */
    async get(workspaceId: string, id: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
      const installed = await find(workspaceId);
      return installed && names.get(workspaceId, `${installed.installId ?? ''} ${id}`, ask);
    },
    forget(workspaceId: string, id: string): void {
      find(workspaceId)
        .then((installed) => names.forget(workspaceId, `${installed?.installId ?? ''} ${id}`))
        // Without the database nobody knows which it is, and it's gone in minutes.
        .catch(() => undefined);
    },
  };
}

export type Ask = ReturnType<typeof createAsk>;

/** Undefined if the app isn't installed. Rejects at once while Slack limits the method there, or with a ScopeMissingError. */
export function createAsk(find: Find<'slack'>, elapsed: () => number) {
  const pauses = bounded<{ readonly until: number; readonly error: Error }>(10_000);
  return async function ask<Answer>(
    method: string,
    schema: z.ZodType<Answer>,
    workspaceId: string,
    asked: Readonly<Record<string, unknown>> = {},
  ): Promise<Answer | undefined> {
    const workspace = await find(workspaceId);
    if (workspace === undefined) return undefined;
    const key = `${workspaceId} ${method}`;
    const pause = pauses.get(key);
    if (pause !== undefined && elapsed() < pause.until) throw pause.error;
    try {
      return schema.parse(await workspace.slack.apiCall(method, asked));
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
