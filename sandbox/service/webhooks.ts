import { setTimeout as wait } from 'node:timers/promises';
import { withinTime } from '../time-limit.ts';
import type { Mood } from './misbehavior.ts';

/** One attempt to deliver the end of a session. */
export interface WebhookAttempt {
  readonly url: string;
  /** Null if there was no answer: refused, broken off, or too slow. */
  readonly status: number | null;
  readonly body: unknown;
}

export interface Webhooks {
  /**
   * Posts the body as JSON, and again after each wait until an answer is 2xx; late or never when misbehaving. Never rejects.
   */
  readonly deliver: (url: string, body: unknown) => Promise<void>;
  readonly attempts: () => readonly WebhookAttempt[];
  /** Cancels what is under way. */
  readonly close: () => void;
}

const keptAttempts = 1000;
/** The waits before the second and the third attempt. */
const retryDelaysMs = [1_000, 5_000];
const timeoutMs = 5_000;

/** Sends session ends. */
export function createWebhooks(mood: Pick<Mood, 'current'>, log: (line: string) => void): Webhooks {
  const attempts: WebhookAttempt[] = [];
  const closing = new AbortController();

  async function attempt(url: string, body: unknown): Promise<boolean> {
    const status = await withinTime(timeoutMs, (signal) =>
      post(url, body, AbortSignal.any([closing.signal, signal])),
    );
    if (closing.signal.aborted) return true;
    attempts.push({ url, status, body });
    if (attempts.length > keptAttempts) attempts.shift();
    log(`webhook answered ${status ?? 'nothing'}`);
    return status !== null && status >= 200 && status < 300;
  }

  const waited = (delayMs: number) =>
    wait(delayMs, true, { signal: closing.signal, ref: false }).catch(() => false);

  return {
    async deliver(url, body) {
      const { drop = false, delayMs = 0 } = mood.current().webhooks ?? {};
      if (drop) {
        log('webhook dropped');
        return;
      }
      if (delayMs > 0 && !(await waited(delayMs))) return;
      if (await attempt(url, body)) return;
      for (const waitMs of retryDelaysMs) {
        if (!(await waited(waitMs)) || (await attempt(url, body))) return;
      }
    },
    attempts: () => [...attempts],
    close: () => closing.abort(),
  };
}

async function post(url: string, body: unknown, signal: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // A redirect could send the session's data anywhere.
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}
