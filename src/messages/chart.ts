/**
 * A bar chart that Slack draws, in messages (at most two) and in the Home tab.
 * Source: docs.slack.dev/reference/block-kit/blocks/data-visualization-block (June 2026), which @slack/types 3.2.0 doesn't have.
 */
export interface ChartBlock {
  readonly type: 'data_visualization';
  readonly block_id?: string;
  readonly title: string;
  readonly chart: {
    readonly type: 'bar';
    readonly series: readonly {
      readonly name: string;
      readonly data: readonly { readonly label: string; readonly value: number }[];
    }[];
    readonly axis_config: { readonly categories: readonly string[] };
  };
}

/** Undefined where there are none. The words beside it say the same. @param bars at most 20, of different days */
export const sessionsChart = (
  title: string,
  bars: readonly { readonly label: string; readonly sessions: number }[],
): ChartBlock | undefined =>
  bars.every(({ sessions }) => sessions === 0)
    ? undefined
    : {
        type: 'data_visualization',
        title,
        chart: {
          type: 'bar',
          series: [{ name: 'Sessions', data: bars.map(({ label, sessions: value }) => ({ label, value })) }],
          axis_config: { categories: bars.map(({ label }) => label) },
        },
      };
