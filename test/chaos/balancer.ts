import { setTimeout as pause } from 'node:timers/promises';
import { answers } from './app-process.ts';

const ASK_EVERY_MS = 200;

/** Which of several addresses requests go to: those whose `/healthz` says yes, or all where none does. */
export function startBalancer(urls: readonly string[]) {
  let up = urls;
  const over = new AbortController();

  async function ask(): Promise<void> {
    while (!over.signal.aborted) {
      const asked = await Promise.all(urls.map(async (url) => ((await answers(url)) ? [url] : [])));
      const well = asked.flat();
      up = well.length === 0 ? urls : well;
      await pause(ASK_EVERY_MS);
    }
  }
  const asking = ask();

  return {
    targets: () => up,
    async close() {
      over.abort();
      await asking;
    },
  };
}
