import { expect, it } from 'vitest';
import { createLog } from '../src/logging/log.ts';
import { createMetrics } from '../src/logging/metrics.ts';
import { createReports } from '../src/reports.ts';

/** What is reported, the lines of it in the log, and its numbers. */
function openReports() {
  const lines: unknown[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const metrics = createMetrics();
  return {
    ...createReports(createLog({ level: 'info', secrets: [], destination }), metrics),
    metrics,
    lines,
  };
}

it('that posts can’t be looked for is logged once for each workspace and scope', () => {
  const { deliveries, lines } = openReports();
  for (const workspaceId of ['T1', 'T2', 'T1'])
    for (const scope of ['channels:history', 'groups:history'])
      deliveries.blind(workspaceId, 'missing_scope', scope);
  expect(lines).toMatchObject([
    { workspaceId: 'T1', neededScope: 'channels:history' },
    { workspaceId: 'T1', neededScope: 'groups:history' },
    { workspaceId: 'T2', neededScope: 'channels:history' },
    { workspaceId: 'T2', neededScope: 'groups:history' },
  ]);
});

it('what anybody can ask for, however often, is counted and makes no line', async () => {
  const { watch, sessions, lines, metrics } = openReports();
  for (const outcome of ['looked-at', 'expired', 'bad-ticket'] as const) watch.report(outcome, undefined);
  sessions.webhook('bad-ticket');
  expect(lines).toEqual([]);
  const text = await metrics.text();
  for (const outcome of ['looked-at', 'expired', 'bad-ticket'])
    expect(text).toContain(`cobrowse_watch_openings_total{outcome="${outcome}"} 1`);
  expect(text).toContain('{outcome="bad-ticket"} 1');
});

it('links given in Slack’s answer are logged as issued, and counted apart from redirects', async () => {
  const { watch, lines, metrics } = openReports();
  const order = { workspaceId: 'T1', userId: 'U1', visitorId: 'jane4821', access: 'view' } as const;
  for (const outcome of ['redirected', 'answered', 'answered', 'looked-at'] as const)
    watch.report(outcome, order);
  expect(lines).toMatchObject([
    { msg: 'watch link issued' },
    { msg: 'watch link issued' },
    { msg: 'watch link issued' },
    { msg: 'watch address opened without a link' },
  ]);
  const text = await metrics.text();
  expect(text).toContain('cobrowse_watch_openings_total{outcome="redirected"} 1');
  expect(text).toContain('cobrowse_watch_openings_total{outcome="answered"} 2');
});
