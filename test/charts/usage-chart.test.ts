import { describe, expect, it } from 'vitest';
import { UsageChart, chartInWords, usageChart } from '../../src/charts/usage-chart.ts';
import { UsageSchema } from '../../src/cobrowse/schemas.ts';

const usage = (sessions: object | undefined, seconds: object | undefined) =>
  UsageSchema.parse({ session_counts: sessions, session_seconds: seconds });

describe('the numbers of the picture of usage', () => {
  it('are the last 24 hours beside a thirtieth of 30 days, and minutes likewise', () => {
    const both = usage({ today: 4, last_30_days: 200 }, { today: 3_630, last_30_days: 90_000 });
    expect(usageChart(both)).toEqual({
      sessions: { today: 4, usual: 6.7 },
      minutes: { today: 61, usual: 50 },
    });
  });

  it('are left out where the service tells only one side', () => {
    expect(usageChart(usage({ today: 4 }, { today: 60, last_30_days: 60 }))).toEqual({
      minutes: { today: 1, usual: 0 },
    });
    expect(usageChart(usage({ today: 4, last_30_days: 30 }, { last_30_days: 60 }))).toEqual({
      sessions: { today: 4, usual: 1 },
    });
  });

  it('are nothing where there is nothing to compare', () => {
    expect(usageChart(UsageSchema.parse({}))).toBeUndefined();
    expect(usageChart(usage({ now: 3, today: 4 }, { last_30_days: 60 }))).toBeUndefined();
  });

  it('are told in words, all of them', () => {
    const words = chartInWords({
      sessions: { today: 1_204, usual: 6.7 },
      minutes: { today: 61, usual: 50 },
    });
    expect(words).toBe(
      'Bar chart of the last 24 hours beside the average of 30 days. ' +
        'Sessions: 1,204 in the last 24 hours, 6.7 on an average day. ' +
        'Minutes in sessions: 61 in the last 24 hours, 50 on an average day.',
    );
    expect(chartInWords({ minutes: { today: 0, usual: 0 } })).not.toContain('Sessions:');
  });

  it.each([{ sessions: { today: -1, usual: 1 } }, { sessions: { today: 1 } }, { sessions: 'x' }, 5, null])(
    'are refused as %j',
    (value) => expect(UsageChart.safeParse(value).success).toBe(false),
  );
});
