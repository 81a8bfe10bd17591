import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { endedSession } from '../../sessions/ended-session.ts';
import { webhooksOf } from '../../sessions/webhook-stage.ts';
import { startSandbox } from '../../../sandbox/sandbox.ts';
import { keptLog } from '../../support/checked-sandbox.ts';
import { freePort } from '../../support/free-port.ts';
import { prometheusPath, promtoolPath } from '../../support/machine.ts';
import { personIn } from '../../support/person.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const RULES = 'deploy/prometheus/cobrowse.rules.yaml';
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});
const Answer = z.object({ status: z.string(), data: z.object({ result: z.array(z.unknown()) }) });
const isHere = promtoolPath !== undefined && prometheusPath !== undefined;

/** An app that has done a bit of everything, on a SQLite file. */
async function startBusyApp() {
  const storeUrl = `sqlite:${join(await temporaryFolder(), 'store.db')}`;
  const sandbox = await startSandbox({ storeUrl, log: keptLog().log, paceMs: 0 });
  onTestFinished(() => sandbox.close());
  const alex = personIn(sandbox);
  await alex.watch(await alex.type('/cobrowse find jane@acme.com'));
  const { send, summaryOf } = webhooksOf(sandbox);
  await send(endedSession('measured'));
  await summaryOf('measured');
  return sandbox;
}

/** Prometheus, scraping this address each second. */
async function startPrometheus(publicUrl: string) {
  const folder = await temporaryFolder();
  const config = join(folder, 'prometheus.yaml');
  const { host } = new URL(publicUrl);
  await writeFile(
    config,
    `global: { scrape_interval: 1s }
scrape_configs: [{ job_name: app, static_configs: [{ targets: ['${host}'] }] }]`,
  );
  const port = await freePort();
  const prometheus = spawn(
    prometheusPath ?? 'prometheus',
    [`--config.file=${config}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  );
  onTestFinished(async () => {
    prometheus.kill('SIGKILL');
    await once(prometheus, 'close');
  });
  return async function query(expr: string): Promise<readonly unknown[]> {
    const address = `http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query: expr }).toString()}`;
    const answer = await fetch(address).catch(() => undefined);
    return answer?.status === 200 ? Answer.parse(await answer.json()).data.result : [];
  };
}

function promtool(typed: string, input = '') {
  const options = { input, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(promtoolPath ?? 'promtool', typed.split(' '), options);
  return { status, says: stdout + stderr };
}

// If it's skipped, the run says so: see test/support/machine.ts.
describe.skipIf(!isHere)('what watches the app', () => {
  it('are rules that fire when they should, and only then', () => {
    for (const typed of [`check rules ${RULES}`, 'test rules deploy/prometheus/cobrowse.test.yaml'])
      expect(promtool(typed)).toEqual({ status: 0, says: expect.stringContaining('SUCCESS') });
  });

  it('reads numbers that promtool has nothing to say of', async () => {
    const { publicUrl } = await startBusyApp();
    const metrics = await (await fetch(`${publicUrl}/metrics`)).text();
    expect(promtool('check metrics', metrics)).toEqual({ status: 0, says: '' });
  });

  it('is a dashboard with something to show in every panel, and rules about what there is', async () => {
    const { panels } = Dashboard.parse(JSON.parse(await readFile('deploy/grafana/cobrowse.json', 'utf8')));
    const sandbox = await startBusyApp();
    const query = await startPrometheus(sandbox.publicUrl);
    // A rate needs two samples.
    await expect.poll(() => query('count_over_time(cobrowse_summaries_waiting[1m]) >= 2')).toHaveLength(1);
    const shown = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
    expect(shown.length).toBeGreaterThan(15);
    const empty: string[] = [];
    for (const { title, expr } of shown) {
      const found = await query(expr.replaceAll('$__rate_interval', '1m'));
      if (found.length === 0) empty.push(title);
    }
    expect(empty).toEqual([]);
    const rules = await readFile(RULES, 'utf8');
    const named = new Set(rules.match(/\b(?:cobrowse|nodejs|process)_\w+/gu));
    const missing: string[] = [];
    for (const name of named) if ((await query(name)).length === 0) missing.push(name);
    expect(missing).toEqual([]);
  });
});

it('is all named in docs/operations.md, with what to do at each alert', async () => {
  const docs = await readFile('docs/operations.md', 'utf8');
  const sandbox = await startBusyApp();
  const text = await (await fetch(`${sandbox.publicUrl}/metrics`)).text();
  const metrics = text.split('\n').flatMap((line) => /^# TYPE (\w+)/u.exec(line)?.[1] ?? []);
  const ours = metrics.filter((name) => name.startsWith('cobrowse_'));
  expect(ours.length).toBeGreaterThan(15);
  expect(ours.filter((name) => !docs.includes(`| \`${name}\` |`))).toEqual([]);
  expect(metrics.filter((name) => !/^(?:cobrowse|nodejs|process)_/u.test(name))).toEqual([]);
  const alerts = [...(await readFile(RULES, 'utf8')).matchAll(/alert: (\w+)/gu)].map(([, name]) => name);
  expect(alerts.filter((name) => !docs.includes(`| ${name} |`))).toEqual([]);
});
