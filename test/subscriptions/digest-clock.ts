import { expect } from 'vitest';
import { RANDOM, openStage } from './stage.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Amsterdam, the zone of everybody at Acme, is an hour ahead of UTC then. */
const MORNING = Date.parse('2026-11-20T07:00:00Z');

const isOfDigest = (line: string) => line.includes('"kind":"digest"');

/** A stage whose app looks often at a clock that the test sets. */
export async function openClock(options: Parameters<typeof openStage>[0] = {}) {
  let time = MORNING;
  const stage = await openStage({
    now: () => time,
    schedulerMs: 20,
    ...options,
    slack: { now: () => time, ...options.slack },
    service: { now: () => new Date(time), sessionLimit: 50, ...options.service },
  });
  const digests = (channel: string = RANDOM) =>
    stage.posts(channel).filter(({ text }) => /^(?:Daily|Weekly) co-browsing digest/.test(text));
  return {
    ...stage,
    digests,
    /** Until the app has heard of the end: what it hears of later is of another day. */
    watchToReport: async (...watching: Parameters<typeof stage.watchAndEnd>): Promise<void> => {
      const id = await stage.watchAndEnd(...watching);
      const hasHeard = () =>
        stage.sandbox.service
          .webhooks()
          .some(({ status, body }) => status === 200 && JSON.stringify(body).includes(id));
      await expect.poll(hasHeard).toBe(true);
    },
    /** How the latest digest ended, as the log has it. */
    settledDigest: async (): Promise<string> => {
      await expect.poll(() => stage.logLines.some(isOfDigest)).toBe(true);
      return stage.logLines.findLast(isOfDigest) ?? '';
    },
    now: () => time,
    pass: (ms: number) => void (time += ms),
    /** So long that the scheduler has looked at least once more. */
    looked: () => new Promise((resolve) => setTimeout(resolve, 120)),
  };
}
