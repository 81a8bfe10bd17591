const LATE_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 5_000;

/** `in-turn`: each is only waiting for its turn at Slack's pace. `held`: something keeps the oldest from its channel. */
export type Lateness = 'none' | 'in-turn' | 'held';

interface LatenessParts {
  /** The summary that waits longest; `since` in ms since 1970. */
  readonly oldest: () =>
    | { readonly id: string; readonly since: number; readonly isInTurn: boolean }
    | undefined;
  /** Told when it begins, when it becomes another, and when it is over. */
  readonly report: (
    lateness: Lateness,
    oldest: { readonly id: string; readonly seconds: number } | undefined,
  ) => void;
  readonly now: () => number;
}

/** Notices when the oldest waiting summary is over a minute old. One timer, however many wait. */
export interface LatenessWatch {
  start(): void;
  stop(): void;
}

export function createLatenessWatch({ oldest, report, now }: LatenessParts): LatenessWatch {
  let known: Lateness = 'none';
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const found = oldest();
    const isLate = found !== undefined && now() - found.since > LATE_AFTER_MS;
    const lateness = isLate ? (found.isInTurn ? 'in-turn' : 'held') : 'none';
    if (lateness === known) return;
    known = lateness;
    report(lateness, found && { id: found.id, seconds: secondsSince(found.since, now()) });
  }

  return {
    start() {
      timer = setInterval(look, LOOK_EVERY_MS);
    },
    stop: () => clearInterval(timer),
  };
}

/** How long ago that was; a clock that was set back makes nothing younger than new. */
export function secondsSince(since: number, time: number): number {
  return Math.max(0, Math.round((time - since) / 1_000));
}
