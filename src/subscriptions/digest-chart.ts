import { z } from 'zod';
import { count } from '../messages/text.ts';
import type { Digest } from './digest-numbers.ts';

/** What the picture of a digest shows: sessions over its time. The labels are ours: times, or days. */
export const DigestChart = z.object({
  bars: z
    .array(z.object({ label: z.string().regex(/^[\w:]{1,6}$/), sessions: z.int().nonnegative() }))
    .min(1)
    .max(10),
});
export type DigestChart = z.infer<typeof DigestChart>;

/** Undefined if there is nothing to show. */
export function digestChart({ bars, sessions }: Digest): DigestChart | undefined {
  const chart = DigestChart.safeParse({ bars });
  return sessions > 0 && chart.success ? chart.data : undefined;
}

/** The whole picture in words, for people who can't see it. */
export function digestChartInWords({ bars }: DigestChart, { isWeekly }: Pick<Digest, 'isWeekly'>): string {
  const words = bars.map(({ label, sessions }) =>
    isWeekly ? `${label}: ${sessions}` : `from ${label}: ${sessions}`,
  );
  return `Bar chart of sessions over the ${isWeekly ? 'week' : 'day'}, ${count(bars.length, 'bar')}. ${words.join('; ')}.`;
}
