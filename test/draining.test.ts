import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../src/run.ts';
import { overHttp } from './support/settings.ts';
import { pass } from './support/fake-time.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** The app's process, without the app. @param hasStarted or it ends as soon as it's told of the stop */
async function start(hasStarted = true) {
  const signals = new EventEmitter();
  const seen: string[] = [];
  let leaving: AbortSignal | undefined;
  const env = { ...overHttp, STORE_URL: 'memory:', LOG_LEVEL: 'silent' };
  const exit = (code: number) => void seen.push(`exit ${code}`);
  const fake = Object.assign(signals, { env, exit, stderr: process.stderr });
  const running = run(fake, async (_config, given) => {
    ({ leaving } = given);
    if (!hasStarted)
      await new Promise((_, reject) => leaving?.addEventListener('abort', () => reject(leaving?.reason)));
    return { port: 1, stop: async () => void seen.push('stopped') };
  });
  if (hasStarted) await running;
  return {
    seen,
    isLeaving: () => leaving?.aborted,
    async signal(name: NodeJS.Signals) {
      signals.emit(name, name);
      await pass(0);
    },
  };
}

const ENDED = ['stopped', 'exit 0'];

describe('the app asked to stop', () => {
  it('by SIGTERM serves on for DRAIN_SECONDS, and says meanwhile that it will stop', async () => {
    const app = await start();
    expect(app.isLeaving()).toBe(false);
    await app.signal('SIGTERM');
    expect(app.isLeaving()).toBe(true);
    await pass(4_999);
    expect(app.seen).toEqual([]);
    await pass(1);
    expect(app.seen).toEqual(ENDED);
  });

  it.each([['SIGINT'], ['SIGTERM', 'SIGTERM'], ['SIGTERM', 'SIGINT']] as const)(
    'by %s %s stops at once: on a terminal, somebody waits',
    async (...names) => {
      const app = await start();
      for (const name of names) {
        expect(app.seen).toEqual([]);
        await app.signal(name);
      }
      expect(app.isLeaving()).toBe(true);
      expect(app.seen).toEqual(ENDED);
    },
  );

  it('while it waits for its database ends at once', async () => {
    const app = await start(false);
    await app.signal('SIGTERM');
    expect(app.seen).toEqual(['exit 0']);
  });
});
