import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHealthRoutes } from '../../src/http/health.ts';
import { createMetrics } from '../../src/logging/metrics.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { keptLog } from '../support/checked-sandbox.ts';
import { ALEX, personIn } from '../support/person.ts';
import { posted } from '../support/signed.ts';

async function sandboxOverFile() {
  const path = join(await temporaryFolder(), 'store.db');
  const { log, lines } = keptLog();
  const sandbox = await startSandbox({ storeUrl: `sqlite:${path}`, log });
  onTestFinished(() => sandbox.close());
  return { sandbox, path, lines, get: (route: string) => fetch(`${sandbox.publicUrl}${route}`) };
}

it('/healthz and /readyz tell the live app from one whose database can’t be written to, and why to the log alone', async () => {
  const { path, lines, get } = await sandboxOverFile();
  for (const route of ['/healthz', '/readyz']) {
    const answer = await get(route);
    expect([answer.status, await answer.text()]).toEqual([200, 'ok\n']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  const other = new DatabaseSync(path);
  other.exec('DROP TABLE schema_version');
  other.close();
  const ready = await get('/readyz');
  expect([ready.status, await ready.text()]).toEqual([503, 'not ready: can’t write to the database\n']);
  expect((await get('/healthz')).status).toBe(200);
  // Anybody may ask, however often.
  for (let time = 0; time < 5; time += 1) await get('/readyz');
  expect(lines.filter((line) => line.includes('"msg":"not ready"'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('no such table: schema_version'))).not.toEqual([]);
});

it.each([
  [0, 200, 'ok\n'],
  [60_000, 200, 'ok\n'],
  [60_001, 503, 'not ready: no connection to Slack\n'],
])('/readyz in Socket Mode, after %i ms without a connection: %i', async (ms, status, body) => {
  const metrics = createMetrics();
  const disconnectedMs = () => ms;
  metrics.watchSocket({ disconnectedMs });
  const database = { check: async () => undefined };
  const parts = { database, report: () => undefined, disconnectedMs, metrics };
  const ready = createHealthRoutes(parts).find(({ path }) => path === '/readyz');
  const request = { ...posted({}, Buffer.of()), method: 'GET' };
  expect(await ready?.handle(request)).toMatchObject({ status, body });
  expect(await metrics.text()).toContain(
    `\ncobrowse_socket_disconnected_seconds ${Math.floor(ms / 1_000)}\n`,
  );
});

describe('GET /metrics', () => {
  it('counts commands, presses and refusals, in Prometheus’s text format, and names nobody', async () => {
    const { sandbox, get } = await sandboxOverFile();
    const alex = personIn(sandbox);
    const list = await alex.type('/cobrowse find jane@acme.com');
    await alex.watch(list);
    await alex.type('/cobrowse omar@initech.example');
    await alex.type('/cobrowse visitor jane4821');
    await fetch(`${sandbox.publicUrl}/watch/nonsense`);
    await fetch(`${sandbox.publicUrl}/slack/events`, { method: 'POST', body: 'a=b' });
    const answer = await get('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await answer.text();
    expect(text).toContain('cobrowse_answers_total{name="command find",outcome="answered"} 2');
    expect(text).toContain('cobrowse_watch_openings_total{outcome="redirected"} 1');
    expect(text).toContain('cobrowse_watch_openings_total{outcome="bad-ticket"} 1');
    expect(text).toContain('cobrowse_slack_requests_refused_total{reason="missing"} 1');
    expect(text).toContain('cobrowse_summaries_waiting 0');
    expect(text).toMatch(/^cobrowse_build_info\{version="\d+\.\d+\.\d+",node="2\d\.[\d.]+"\} 1$/m);
    expect(text).toContain('\ncobrowse_socket_disconnected_seconds 0\n');
    expect(text).toContain('process_cpu_seconds_total');
    for (const personal of ['jane', 'omar', ALEX, 'acme', 'xoxb-']) {
      expect(text).not.toContain(personal);
    }
  });

  it('works without numbers that the database can’t give, and with them once it can', async () => {
    const world = { isDown: true, time: 5_400 };
    const metrics = createMetrics();
    const read = async <Value>(value: Value) => {
      if (world.isDown) throw new Error('down');
      return value;
    };
    metrics.watch(
      {
        waiting: () => read(3),
        oldest: () => read({ id: 'd1', since: 400, isInTurn: true }),
        inTrouble: () => read({ waiting: 1, failed: 2 }),
        refusedTokens: () => read(4),
      },
      { storeUrl: 'memory:', now: () => world.time },
    );
    const numbers = async () =>
      (await metrics.text()).match(/^cobrowse_(?:summaries|workspaces)_.*$/gm)?.toSorted() ?? [];
    expect(await numbers()).toEqual([]);
    expect(await metrics.text()).toContain('cobrowse_answers_total');
    world.isDown = false;
    expect(await numbers()).toEqual([
      'cobrowse_summaries_in_trouble{state="failed"} 2',
      'cobrowse_summaries_in_trouble{state="waiting"} 1',
      'cobrowse_summaries_oldest_waiting_seconds 5',
      'cobrowse_summaries_waiting 3',
      'cobrowse_workspaces_refused 4',
    ]);
    world.isDown = true;
    expect(await numbers()).toEqual([]);
  });
});
