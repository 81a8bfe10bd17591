import type { EndSource } from '../links/link-result.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** How much of a link's age lies between two looks: seldom for what is long past. */
const SHARE_OF_AGE = 0.25;

/** How long the app waits before it asks the service about a link's session, and between two times. Milliseconds. */
export interface LookWaits {
  /** From the link to the first look. */
  readonly firstMs: number;
  /** No agent is asked about more often than this. */
  readonly leastGapMs: number;
  readonly mostGapMs: number;
  /** How long the service has to tell of an end by itself before asking counts. */
  readonly graceMs: number;
}

/** Where the service tells of ends, asking is for what got lost; elsewhere it is the only way to a summary. */
export function usualWaits(news: EndSource): LookWaits {
  const gaps = { leastGapMs: MINUTE_MS, mostGapMs: 60 * MINUTE_MS };
  return news === 'told'
    ? { ...gaps, firstMs: 10 * MINUTE_MS, graceMs: MINUTE_MS }
    : { ...gaps, firstMs: 2 * MINUTE_MS, graceMs: 0 };
}

/**
 * When a link's session is to be looked for next.
 *
 * @param lookedAt when its agent was last asked about; undefined for never
 */
export function nextLook(issuedAt: number, lookedAt: number | undefined, waits: LookWaits): number {
  const { firstMs, leastGapMs, mostGapMs } = waits;
  const first = issuedAt + firstMs;
  if (lookedAt === undefined) return first;
  if (lookedAt < first) return Math.max(first, lookedAt + leastGapMs);
  const share = (lookedAt - issuedAt) * SHARE_OF_AGE;
  return lookedAt + Math.min(mostGapMs, Math.max(leastGapMs, share));
}

/** How long to leave the service, or one agent, alone after so many failures in a row; it doubles. */
export function waitAfterFailures(
  failures: number,
  mostMs: number,
  { leastGapMs }: Pick<LookWaits, 'leastGapMs'>,
): number {
  return Math.min(Math.max(mostMs, leastGapMs), leastGapMs * 2 ** Math.min(failures - 1, 20));
}

/** How far ahead a look is planned at most. */
export const longestLook = ({ firstMs, mostGapMs }: LookWaits): number => Math.max(firstMs, mostGapMs);
