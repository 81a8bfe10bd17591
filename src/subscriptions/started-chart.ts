import { z } from 'zod';
import type { StartedDay } from '../sessions/started-days.ts';
import { count } from '../messages/text.ts';

/** What the picture in the Home tab shows: sessions started from Slack, one bar per day. The labels are ours. */
export const StartedChart = z.object({
  days: z
    .array(z.object({ label: z.string().regex(/^\w{1,6}$/), sessions: z.int().nonnegative() }))
    .min(1)
    .max(14),
});
export type StartedChart = z.infer<typeof StartedChart>;

export const STARTED_TITLE = 'Sessions started from Slack';

/** Undefined if there is nothing to show. */
export function startedChart(days: readonly StartedDay[]): StartedChart | undefined {
  const chart = StartedChart.safeParse({ days });
  return chart.success && days.some(({ sessions }) => sessions > 0) ? chart.data : undefined;
}

/** The whole picture in words, for people who can't see it. */
export function startedChartInWords(days: readonly StartedDay[]): string {
  const words = days.map(({ name, sessions }) => `${name}: ${sessions.toLocaleString('en-US')}`);
  return `Bar chart of sessions started from Slack in the last ${count(days.length, 'day')}. ${words.join('; ')}.`;
}
