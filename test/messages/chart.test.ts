import { describe, expect, it } from 'vitest';
import { sessionsChart } from '../../src/messages/chart.ts';
import { problemsIn } from '../support/shown.ts';

const bars = (...labels: readonly string[]) => labels.map((label, index) => ({ label, sessions: index + 1 }));

describe('a chart of sessions', () => {
  it('has one value for each category, as Slack wants it', () => {
    const chart = sessionsChart('Sessions', bars('Mon', 'Tue'));
    expect(chart).toEqual({
      type: 'data_visualization',
      title: 'Sessions',
      chart: {
        type: 'bar',
        series: [
          {
            name: 'Sessions',
            data: [
              { label: 'Mon', value: 1 },
              { label: 'Tue', value: 2 },
            ],
          },
        ],
        axis_config: { categories: ['Mon', 'Tue'] },
      },
    });
    const payload = { text: 'Sessions', blocks: [chart] };
    expect(problemsIn({ surface: 'message', payload })).toEqual([]);
    expect(
      problemsIn({ surface: 'message', payload: { text: '', blocks: [chart, chart, chart] } }),
    ).not.toEqual([]);
  });

  it.each([
    ['no sessions', [{ label: 'Mon', sessions: 0 }]],
    ['nothing', []],
  ])('is left out where there are %s', (_what, given) => {
    expect(sessionsChart('Sessions', given)).toBeUndefined();
  });

  it.each([
    ['two of the same name', bars('Mon', 'Mon')],
    ['more than twenty', bars(...Array.from({ length: 21 }, (_, index) => String(index)))],
    ['a name that is too long', bars('M'.repeat(21))],
  ])('would be refused with %s', (_what, given) => {
    const payload = { text: 'Sessions', blocks: [sessionsChart('Sessions', given)] };
    expect(problemsIn({ surface: 'message', payload })).not.toEqual([]);
  });
});
