import { execFileSync } from 'node:child_process';
import { constants, openSync, closeSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerJson, startLocalService } from '../../cobrowse/local-service.ts';
import { aloneSettings, builtStart, startProcess } from '../../support/app-process.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** The app in a separate process that writes its log to this file. */
async function startLoggingTo(stdout: number) {
  const slack = await startLocalService((_, response) => answerJson(response, { ok: true }));
  onTestFinished(() => slack.close());
  const port = await freePort();
  const settings = {
    ...aloneSettings,
    SLACK_API_URL: `${slack.url}/api/`,
    PORT: String(port),
    LOG_LEVEL: 'trace',
  };
  const app = startProcess(settings, { program: await builtStart(), stdout });
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(30_000) });
    return { status: answer.status, text: await answer.text() };
  };
  await expect.poll(() => get('/healthz').catch(() => undefined)).toBeDefined();
  return {
    get,
    async stop() {
      app.signal('SIGTERM');
      return (await app.end()).code;
    },
  };
}

/** A pipe that is open for reading and full, but that nobody reads. */
async function fullPipe(): Promise<number> {
  const path = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Open for reading too: without a reader, writes would fail immediately.
  const ours = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(ours));
  try {
    for (;;) writeSync(ours, 'x'.repeat(4_096));
  } catch {
    // It's full.
  }
  const theirs = openSync(path, constants.O_RDWR);
  onTestFinished(() => closeSync(theirs));
  return theirs;
}

function fullDisk(): number {
  const file = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(file));
  return file;
}

describe('the app whose log can’t be written', () => {
  it('serves on a full disk, counts the lines it dropped, and stops at SIGTERM', async () => {
    const app = await startLoggingTo(fullDisk());
    expect((await app.get('/watch/nonsense')).status).toBe(404);
    const dropped = /^cobrowse_log_lines_dropped_total (\d+)$/m.exec((await app.get('/metrics')).text)?.[1];
    expect(Number(dropped)).toBeGreaterThan(0);
    expect(await app.stop()).toBe(0);
  });

  it('serves with a pipe that nobody reads, and stops at SIGTERM', async () => {
    const app = await startLoggingTo(await fullPipe());
    expect((await app.get('/watch/nonsense')).status).toBe(404);
    expect(await app.stop()).toBe(0);
  });
});
