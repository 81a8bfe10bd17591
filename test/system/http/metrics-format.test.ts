import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { createMetrics } from '../../../src/logging/metrics.ts';
import { keptLog } from '../../support/checked-sandbox.ts';
import { promtoolPath } from '../../support/machine.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** The complaints of Prometheus's check of metrics; empty if there are none. */
function promtoolSays(text: string): string {
  const { stdout, stderr, status, error } = spawnSync(promtoolPath ?? 'promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  });
  return `${error?.message ?? ''}${stdout}${stderr}${status === 0 ? '' : `status ${status}`}`;
}

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(promtoolPath === undefined)('promtool', () => {
  it('passes promtool, now and after anything has happened', async () => {
    const storeUrl = `sqlite:${join(await temporaryFolder(), 'store.db')}`;
    const sandbox = await startSandbox({ storeUrl, log: keptLog().log });
    onTestFinished(() => sandbox.close());
    expect(promtoolSays(await (await fetch(`${sandbox.publicUrl}/metrics`)).text())).toBe('');
    const metrics = createMetrics(() => 1);
    const { watches, sessionEnds, deliveries, webhooks, links, looks } = metrics;
    for (const counter of [watches, sessionEnds, deliveries, webhooks, links, looks])
      counter.inc({ outcome: 'outcome' });
    metrics.answers.inc({ name: 'command find', outcome: 'answered' });
    metrics.refusals.inc({ reason: 'unreadable' });
    metrics.acknowledgements.observe(0.005);
    metrics.pages.observe({ path: '/watch/:ticket', status: 302 }, 0.08);
    metrics.service.observe({ outcome: 'answered' }, 0.04);
    metrics.slack.observe({ method: 'chat.postMessage', outcome: 'ok' }, 0.04);
    metrics.database.observe({ what: 'read' }, 0.00002);
    expect(promtoolSays(await metrics.text())).toBe('');
  });
});
