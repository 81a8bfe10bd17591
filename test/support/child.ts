import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** Runs a script with this Node, by way of `wrapper` if there is one; killed when the test ends. */
export function startChild(script: URL, args: readonly string[], wrapper: readonly string[] = []) {
  const all = [...wrapper, process.execPath, fileURLToPath(script), ...args];
  const [command = '', ...rest] = all;
  const child = spawn(command, rest);
  const closed = once(child, 'close');
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  /** The whole lines printed so far. */
  const lines = (): readonly string[] => output.split('\n').slice(0, -1);
  return {
    process: child,
    lines,
    /** Resolves when that many lines are there; rejects when the process ends before. */
    async printed(count: number): Promise<void> {
      while (lines().length < count) {
        if (child.exitCode !== null) throw new Error(`${script.pathname} ended: ${complaints}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
    /** Resolves when the process has ended and all it printed is read. */
    async ended(): Promise<void> {
      await closed;
    },
  };
}
