import { repeat } from '../lifecycle/repeating.ts';
import type { Overview } from './overview.ts';

const LATE_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 30_000;

/**
 * `in-turn`: all are only waiting for their turn at Slack's pace. `held`: something keeps the oldest from its channel.
 */
export type Lateness = 'none' | 'in-turn' | 'held';

/** Called when it starts, when it changes, and when it's over. */
export type ReportLateness = (
  lateness: Lateness,
  oldest: { readonly id: string; readonly seconds: number } | undefined,
) => void;

/** Notices when the oldest waiting delivery is over a minute old. */
export function createLatenessWatch({
  overview,
  report,
  now,
}: {
  readonly overview: Pick<Overview, 'oldest'>;
  readonly report: ReportLateness;
  readonly now: () => number;
}) {
  let known: Lateness = 'none';

  async function look(): Promise<void> {
    // If the database doesn't answer there's nothing new to know, and other parts report that.
    const found = await overview.oldest().catch(() => null);
    if (found === null) return;
    const isLate = found !== undefined && now() - found.since > LATE_AFTER_MS;
    const lateness = isLate ? (found.isInTurn ? 'in-turn' : 'held') : 'none';
    if (lateness === known) return;
    known = lateness;
    report(lateness, found && { id: found.id, seconds: secondsSince(found.since, now()) });
  }

  return repeat(look, LOOK_EVERY_MS, LOOK_EVERY_MS / 3);
}

/** How many seconds ago that was; zero at least, if the clock was set back. */
function secondsSince(since: number, time: number): number {
  return Math.max(0, Math.round((time - since) / 1_000));
}
