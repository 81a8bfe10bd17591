import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

interface Run {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly node?: string;
}

/** Runs Node with these words in the project's folder, with this environment alone, while this process can answer it. */
export async function runNode(
  words: readonly string[],
  { env = {}, cwd = ROOT, node = process.execPath }: Run = {},
) {
  return promisify(execFile)(node, [...words], { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}
