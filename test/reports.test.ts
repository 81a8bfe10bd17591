import { expect, it } from 'vitest';
import { createLog } from '../src/log.ts';
import { createMetrics } from '../src/metrics.ts';
import { createReports } from '../src/reports.ts';

it('that posts can’t be looked for is logged once for each workspace and scope', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'warn', secrets: [], destination });
  const { blind } = createReports(log, createMetrics()).deliveries;
  for (const workspaceId of ['T1', 'T2', 'T1'])
    for (const scope of ['channels:history', 'groups:history']) blind(workspaceId, 'missing_scope', scope);
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { workspaceId: 'T1', neededScope: 'channels:history' },
    { workspaceId: 'T1', neededScope: 'groups:history' },
    { workspaceId: 'T2', neededScope: 'channels:history' },
    { workspaceId: 'T2', neededScope: 'groups:history' },
  ]);
});

it('links given in Slack’s answer are logged as issued, and counted apart from redirects', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const metrics = createMetrics();
  const { report } = createReports(createLog({ level: 'info', secrets: [], destination }), metrics).watch;
  const order = { workspaceId: 'T1', userId: 'U1', visitorId: 'jane4821', access: 'view' } as const;
  for (const outcome of ['redirected', 'answered', 'answered', 'looked-at'] as const) report(outcome, order);
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { msg: 'watch link issued' },
    { msg: 'watch link issued' },
    { msg: 'watch link issued' },
    { msg: 'watch address opened without a link' },
  ]);
  const text = await metrics.text();
  expect(text).toContain('cobrowse_watch_openings_total{outcome="redirected"} 1');
  expect(text).toContain('cobrowse_watch_openings_total{outcome="answered"} 2');
});
