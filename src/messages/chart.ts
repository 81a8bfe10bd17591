import { z } from 'zod';

const Category = z.string().min(1).max(20);
const Series = z.strictObject({
  name: z.string().min(1),
  data: z.array(z.strictObject({ label: Category, value: z.number() })),
});

/**
 * A bar chart that Slack draws, in messages (at most two) and in the Home tab.
 * Source: docs.slack.dev/reference/block-kit/blocks/data-visualization-block (June 2026), which @slack/types 3.2.0 doesn't have.
 */
export const ChartBlock = z
  .strictObject({
    type: z.literal('data_visualization'),
    block_id: z.string().min(1).max(255).optional(),
    title: z.string().min(1).max(50),
    chart: z.strictObject({
      type: z.literal('bar'),
      series: z.array(Series).min(1).max(6),
      axis_config: z.strictObject({ categories: z.array(Category).min(1).max(20) }),
    }),
  })
  .refine(
    ({ chart: { series, axis_config: axis } }) => {
      const { categories } = axis;
      return (
        new Set(categories).size === categories.length &&
        series.every(({ data }) => data.map(({ label }) => label).join('\n') === categories.join('\n'))
      );
    },
    { error: 'each series needs one value for each category, and categories differ' },
  );
export type ChartBlock = z.infer<typeof ChartBlock>;

interface Bar {
  readonly label: string;
  readonly sessions: number;
}

/** Undefined where there are none, or Slack would refuse it. The words beside it say the same. */
export function sessionsChart(title: string, bars: readonly Bar[]): ChartBlock | undefined {
  if (bars.every(({ sessions }) => sessions === 0)) return undefined;
  return ChartBlock.safeParse({
    type: 'data_visualization',
    title,
    chart: {
      type: 'bar',
      series: [{ name: 'Sessions', data: bars.map(({ label, sessions: value }) => ({ label, value })) }],
      axis_config: { categories: bars.map(({ label }) => label) },
    },
  }).data;
}
