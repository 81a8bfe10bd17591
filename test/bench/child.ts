import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Longer than any phase of load: past it a program hangs. */
const TIME_LIMIT_MS = 120_000;
const PROBE = fileURLToPath(new URL('probe.cjs', import.meta.url));

const Listening = z.object({ port: z.number() });
const Used = z.object({
  cpu: z.object({ user: z.number(), system: z.number() }),
  rss: z.number(),
  longestStallMs: z.number(),
  statements: z.number(),
  commits: z.number(),
});

export type Settings = Readonly<Record<string, string>>;

/** What a process has used: processor time of all its threads since it began, memory now. */
interface Usage {
  readonly cpuUs: number;
  readonly rssKib: number;
  /** The longest time in which its event loop stood still since it listened or was asked last; where it's watched. */
  readonly longestStallMs: number;
  /** Of SQLite, since it began; where they are watched. */
  readonly statements: number;
  readonly commits: number;
  /** What it had the disk write since it began. */
  readonly writtenKib: number;
}

/** A program in a process of its own. */
export interface Measured {
  readonly origin: string;
  /** From its start until it listened. */
  readonly startMs: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

/** The next message of a child. Rejects where the child ends first, or is silent for too long. */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => () => reject(new Error(`${child.spawnargs.at(-1)} ${what}`));
    const ended = fail('ended before it answered');
    const timer = setTimeout(fail('is silent'), TIME_LIMIT_MS);
    child.once('exit', ended);
    child.once('message', (message) => {
      clearTimeout(timer);
      child.off('exit', ended);
      resolve(message);
    });
  });
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const stopped = once(child, 'exit');
  const killer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  child.kill('SIGTERM');
  await stopped;
  clearTimeout(killer);
}

/** Source: man proc_pid_io. Zero where the system has no such file. */
async function writtenKib({ pid }: ChildProcess): Promise<number> {
  const counts = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  return Number(/^write_bytes: (\d+)$/m.exec(counts)?.[1] ?? 0) / 1_024;
}

/** Starts a program of this repository that serves HTTP, with these settings as its whole environment. */
export async function startMeasured(program: URL, settings: Settings): Promise<Measured> {
  const startedAt = performance.now();
  const child = fork(fileURLToPath(program), [], {
    execArgv: ['--require', PROBE],
    env: { ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const { port } = Listening.parse(await nextMessage(child));
    const startMs = performance.now() - startedAt;
    return {
      origin: `http://127.0.0.1:${port}`,
      startMs,
      async usage() {
        const answer = nextMessage(child);
        child.send('usage');
        const { cpu, rss, ...counted } = Used.parse(await answer);
        return {
          ...counted,
          cpuUs: cpu.user + cpu.system,
          rssKib: rss / 1_024,
          writtenKib: await writtenKib(child),
        };
      },
      stop: () => stopProcess(child),
    };
  } catch (error) {
    await stopProcess(child);
    throw error;
  }
}
