import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startApp, type RunningApp } from '../../src/app.ts';
import type { Catalog } from '../../src/commands/catalog.ts';
import { createLog } from '../../src/logging/log.ts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { problemsIn, shownBy } from './shown.ts';
import { straightQuotesIn } from './typography.ts';

/** A log that is kept in memory, a line of JSON each. */
export function keptLog() {
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    secrets: [],
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines };
}

/** Ids of buttons and menus that nothing answers: one is written where it's drawn and where it's answered. */
function deadEnds(shown: unknown, { press }: Pick<Catalog, 'press'>): readonly string[] {
  const ids = JSON.stringify(shown, (key, value: unknown) =>
    key === 'element' ? undefined : value,
  ).matchAll(/"action_id":"(\w+)"/g);
  return Array.from(ids, ([, id = '']) => id).filter((id) => press(id) === undefined);
}

/** Fails the test if the app sent Slack anything invalid. @param from the first call to check */
export function expectSound({ slack, app }: Pick<Sandbox, 'slack' | 'app'>, from = 0): void {
  const calls = slack.calls.slice(from);
  expect(calls.flatMap(shownBy).flatMap(problemsIn)).toEqual([]);
  expect(deadEnds(calls.flatMap(shownBy), app.catalog)).toEqual([]);
  // A file is for programs.
  const read = calls.filter(({ method }) => method !== 'upload').flatMap(shownBy);
  expect(read.flatMap(({ payload }) => straightQuotesIn(payload))).toEqual([]);
}

export type Options = NonNullable<Parameters<typeof startSandbox>[0]>;

/** On a busy machine a press may arrive long after its page; a test that wants none says so. */
export const PATIENT_MS = 10_000;

/** A sandbox for a file's tests. After each test everything that the app sent must be sound. */
export function checkedSandbox(options: Options | (() => Options) = {}) {
  let started: Sandbox | undefined;
  const kept = keptLog();
  const sandbox = () => {
    if (started === undefined) throw new Error('The sandbox has not started.');
    return started;
  };
  beforeAll(async () => {
    started = await startSandbox({
      paceMs: 0,
      pageWaitMs: PATIENT_MS,
      log: kept.log,
      ...(typeof options === 'function' ? options() : options),
    });
  });
  let checked = 0;
  afterEach(() => {
    const from = checked;
    checked = sandbox().slack.calls.length;
    expectSound(sandbox(), from);
  });
  afterAll(() => started?.close());
  return { sandbox, logLines: kept.lines };
}

/** One more app in the same Slack, before another service; the newest gets what Slack sends. */
export async function appBefore(
  { config, slack }: Sandbox,
  serviceUrl: string,
  log = keptLog().log,
): Promise<RunningApp> {
  const { wireNames, cloud } = config.cobrowse;
  const cobrowse = {
    wireNames,
    cloud: { baseUrl: serviceUrl, apiKey: cloud?.apiKey ?? 'none' },
    onPremise: undefined,
  };
  const app = await startApp({ ...config, port: 0, cobrowse }, { log, paceMs: 0 });
  slack.setRequestUrl(`http://127.0.0.1:${app.port}/slack/events`);
  return app;
}
