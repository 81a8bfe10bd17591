import { ConfigError, readConfig } from '../config/config.ts';

/** An app that listens at all addresses is asked at one. */
const ALL_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

async function examine(env: NodeJS.ProcessEnv) {
  try {
    const { host, port } = readConfig(env);
    const asked = ALL_ADDRESSES[host] ?? host;
    const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}/healthz`;
    // An app that is alive answers within milliseconds.
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.ok) return { says: `The app is alive at ${url}.`, code: 0 };
    const said = answer === undefined ? 'no answer' : `the answer is ${answer.status}`;
    const says = `No app is alive at ${url} (${said}), or it’s about to stop. Does it run with these HOST and PORT?`;
    return { says, code: 1 };
  } catch (error) {
    if (error instanceof ConfigError) return { says: error.message, code: 1 };
    throw error;
  }
}

/** `npm run healthcheck`. By itself, since it runs every few seconds: what other programs share loads the database. */
export async function run(process: Pick<NodeJS.Process, 'env' | 'stdout' | 'exit'>): Promise<never> {
  const { says, code } = await examine(process.env);
  process.stdout.write(`${says}\n`);
  return process.exit(code);
}
