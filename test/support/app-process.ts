import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { buildInto } from './built.ts';

export const START = fileURLToPath(new URL('../../src/start.js', import.meta.url));

let building: Promise<string> | undefined;

async function build(): Promise<string> {
  const folder = join(inject('folderOfRun'), 'app');
  const start = join(folder, 'start.js');
  if (existsSync(start)) return start;
  const own = `${folder}-${process.pid}`;
  await buildInto(own);
  // The first of several processes wins, so that what Node compiles of it is found by the starts of all.
  await rename(own, folder).catch(() => undefined);
  return start;
}

/** The same as `npm run build` makes it, which starts in half the time. */
export const builtStart = () => (building ??= build());

export const BOT_TOKEN = ['xoxb', 'of', 'these', 'tests'].join('-');
export const NOWHERE = 'http://127.0.0.1:1/';

/** Settings of an app that reaches nobody. */
export const aloneSettings = {
  SLACK_BOT_TOKEN: BOT_TOKEN,
  SLACK_SIGNING_SECRET: 'signing-secret-of-these-tests',
  SLACK_API_URL: NOWHERE,
  COBROWSE_BASE_URL: NOWHERE,
  COBROWSE_API_KEY: 'api-key-of-these-tests',
  PUBLIC_URL: 'https://cobrowse.example.com',
  PORT: '0',
  // Nobody sends these requests through a balancer.
  DRAIN_SECONDS: '0',
  STORE_URL: 'memory:',
  SECRET_KEYS: 'a sealing key of these tests that is long',
};

/**
 * The app in a separate process, with these settings and no others; killed when the test ends.
 *
 * @param stdout where its log goes: a file that is open, or kept to be read
 */
export function startProcess(
  environment: Readonly<Record<string, string>>,
  { program = START, stdout = 'pipe' }: { program?: string; stdout?: number | 'pipe' } = {},
) {
  const child = spawn(process.execPath, [program], {
    // Away from any .env of this project.
    cwd: tmpdir(),
    env: { ...environment },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return {
    printed,
    hasEnded: () => child.exitCode !== null,
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** How it ended by itself or by a signal. */
    async end() {
      await closed;
      return { code: child.exitCode, ...printed };
    },
  };
}
