import { runWithConfig } from './store-program.ts';

/** An app that is alive answers within milliseconds. */
const PATIENCE_MS = 5_000;

/** An app that listens at all addresses is asked at one. */
const ALL_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** What an app that is about to stop answers. */
const LEAVING = 503;

async function whyNotAlive(url: string): Promise<string | undefined> {
  try {
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (ok) return undefined;
    return status === LEAVING ? 'it’s about to stop' : `the answer is ${status}`;
  } catch (error) {
    const { cause, message } = error instanceof Error ? error : new Error(String(error));
    return cause instanceof Error ? cause.message : message;
  }
}

/** `npm run healthcheck`. */
export const run = (): Promise<never> =>
  runWithConfig(async ({ host, port }) => {
    const asked = ALL_ADDRESSES[host] ?? host;
    const url = `http://${asked.includes(':') ? `[${asked}]` : asked}:${port}/healthz`;
    const why = await whyNotAlive(url);
    if (why === undefined) return { says: `The app is alive at ${url}.`, code: 0 };
    return { says: `No app is alive at ${url}: ${why}. Does it run with these HOST and PORT?`, code: 1 };
  });
