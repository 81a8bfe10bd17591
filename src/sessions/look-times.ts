import type { EndSource } from '../messages/link-result.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** The wait between two look-ups, as a share of the link's age: older links are looked up less often. */
const SHARE_OF_AGE = 0.25;

/** How long the app waits before it asks the service about a link's session, and between two times. Milliseconds. */
export interface LookWaits {
  /** From the link to the first look-up. */
  readonly firstMs: number;
  /** No agent is looked up more often than this. */
  readonly leastGapMs: number;
  readonly mostGapMs: number;
  /** How long to wait for a webhook before relying on what the service lists. */
  readonly graceMs: number;
}

/** With webhooks, looking up is only for the ones that got lost; without them it's the only way to a summary. */
export function usualWaits(endSource: EndSource): LookWaits {
  const gaps = { leastGapMs: MINUTE_MS, mostGapMs: 60 * MINUTE_MS };
  return endSource === 'webhook'
    ? { ...gaps, firstMs: 10 * MINUTE_MS, graceMs: MINUTE_MS }
    : { ...gaps, firstMs: 2 * MINUTE_MS, graceMs: 0 };
}

/**
 * When to look for a link's session next.
 *
 * @param lookedAt when its agent was last looked up; undefined for never
 */
export function nextLook(issuedAt: number, lookedAt: number | undefined, waits: LookWaits): number {
  const { firstMs, leastGapMs, mostGapMs } = waits;
  const first = issuedAt + firstMs;
  if (lookedAt === undefined) return first;
  if (lookedAt < first) return Math.max(first, lookedAt + leastGapMs);
  // The tables take whole milliseconds only.
  const share = Math.round((lookedAt - issuedAt) * SHARE_OF_AGE);
  return lookedAt + Math.min(mostGapMs, Math.max(leastGapMs, share));
}

/** How long to leave the service, or one agent, alone after this many failures in a row; it doubles. */
export function waitAfterFailures(
  failures: number,
  mostMs: number,
  { leastGapMs }: Pick<LookWaits, 'leastGapMs'>,
): number {
  return Math.min(Math.max(mostMs, leastGapMs), leastGapMs * 2 ** Math.min(failures - 1, 20));
}

/** How far ahead a look-up is planned at most. */
export const longestLook = ({ firstMs, mostGapMs }: LookWaits): number => Math.max(firstMs, mostGapMs);
