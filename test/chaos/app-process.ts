import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';

const START = fileURLToPath(new URL('../../src/start.js', import.meta.url));
const CLOCK = new URL('processes/steered-clock.ts', import.meta.url).href;

/** The app as one would run it: a process that is started again whenever it has ended. */
export interface AppProcess {
  /** Milliseconds since 1970, as the app's clock has it. */
  readonly now: () => number;
  /** Lets time pass for the app. */
  leap(ms: number): void;
  /** Puts its clock wrong by so much; 0 puts it right. */
  skew(ms: number): void;
  /** Ends it as a power cut does. It is started again by itself. */
  kill(): Promise<void>;
  /** Stops it where it is, as a machine that sleeps. @returns what lets it go on */
  pause(): () => void;
  /** Asks it to stop; it is started again by itself. Resolves when it answers again. */
  restart(): Promise<void>;
  readonly pid: () => number | undefined;
  /** How often it was started. */
  readonly starts: () => number;
  /** Resolves when it answers. */
  ready(): Promise<void>;
  /** Asks it to stop, and leaves it so. */
  stop(): Promise<void>;
  /** How it ended when it was asked to stop, each time that this wasn't with 0; null where it had to be killed. */
  readonly badEnds: () => readonly (number | null)[];
}

interface AppOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** The app's address on loopback. */
  readonly url: string;
  /** What is loaded before it, besides its clock. */
  readonly preloads: readonly string[];
  /** Gets all that it writes. */
  readonly logPath: string;
  /** Milliseconds since 1970: when its clock begins. */
  readonly beginAt: number;
}

const COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

/** The processes reckon from the machine's clock, whatever the clock of a test says. */
const machineNow = () => Math.round(performance.timeOrigin + performance.now());
const ANSWER_WITHIN_MS = 2_000;
const STOP_WITHIN_MS = 60_000;

function steer(to: ChildProcess, message: { readonly leapMs?: number; readonly skewMs?: number }): void {
  if (to.connected) to.send(message, () => {});
}

/** Whether requests can be sent there. */
export async function answers(url: string, patienceMs: number = ANSWER_WITHIN_MS): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(patienceMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

export function startAppProcess({ settings, url, preloads, logPath, beginAt }: AppOptions): AppProcess {
  const log = createWriteStream(logPath, { flags: 'a' });
  let offsetMs = beginAt - machineNow();
  let skewMs = 0;
  let starts = 0;
  let kept = true;
  const badEnds: (number | null)[] = [];
  let child = launch();

  function launch(): ChildProcess {
    starts += 1;
    const launched = spawn(
      process.execPath,
      [...[CLOCK, ...preloads].flatMap((one) => ['--import', one]), START],
      {
        // Away from any .env of this project.
        cwd: tmpdir(),
        // What is preloaded comes before the app's own cache, and one that is killed never writes it.
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...settings, CLOCK_OFFSET_MS: String(offsetMs) },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    launched.stdout?.pipe(log, { end: false });
    launched.stderr?.pipe(log, { end: false });
    // A message to a process that is just ending has nobody to read it.
    launched.on('error', () => {});
    launched.once('exit', () => {
      if (kept) child = launch();
    });
    steer(launched, { skewMs });
    return launched;
  }

  async function kill(): Promise<void> {
    const killed = child;
    const exited = once(killed, 'exit');
    if (killed.kill('SIGKILL')) await exited;
  }

  /** Asks it to stop, and waits until it has. */
  async function end(): Promise<void> {
    const asked = child;
    if (asked.exitCode !== null || asked.signalCode !== null) return;
    const exited = once(asked, 'exit');
    asked.kill('SIGTERM');
    let isStuck = false;
    const limit = setTimeout(() => {
      isStuck = true;
      asked.kill('SIGKILL');
    }, STOP_WITHIN_MS);
    await exited;
    clearTimeout(limit);
    // Ended by a signal, it was killed meanwhile, or hadn't begun.
    if (isStuck || (asked.signalCode === null && asked.exitCode !== 0)) badEnds.push(asked.exitCode);
  }

  async function ready(): Promise<void> {
    while (!(await answers(url))) await pause(20);
  }

  return {
    now: () => machineNow() + offsetMs,
    leap(ms) {
      offsetMs += ms;
      steer(child, { leapMs: ms });
    },
    skew(ms) {
      skewMs = ms;
      steer(child, { skewMs });
    },
    kill,
    pause() {
      const paused = child;
      paused.kill('SIGSTOP');
      return () => void paused.kill('SIGCONT');
    },
    async restart() {
      await end();
      await ready();
    },
    pid: () => child.pid,
    starts: () => starts,
    ready,
    async stop() {
      kept = false;
      await end();
      log.end();
    },
    badEnds: () => badEnds,
  };
}
