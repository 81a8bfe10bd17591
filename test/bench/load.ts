import { Pool } from 'undici';
import type { z } from 'zod';
import { LoadJob, type LoadRequest, type LoadResult } from './load-job.ts';

/* The load generator, in a process of its own: a job comes as a message, its figures go back as one. */

const LONGEST_ANSWER_MS = 30_000;

/** Resolves with the status. */
function send(pool: Pool, request: LoadRequest, number: number): Promise<number> {
  const { method, path, headers } = request;
  const body = request.body?.replace('{n}', String(number)) ?? null;
  return new Promise((resolve, reject) => {
    let status = 0;
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode) => void (status = statusCode),
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function run({ origin, requests, total, atOnce, status, from }: z.output<typeof LoadJob>) {
  const pool = new Pool(origin, {
    connections: atOnce,
    headersTimeout: LONGEST_ANSWER_MS,
    bodyTimeout: LONGEST_ANSWER_MS,
  });
  const latencies: number[] = [];
  let next = 0;

  async function sendInTurn(): Promise<void> {
    while (next < total) {
      const number = next++;
      const request = requests[number % requests.length];
      if (request === undefined) return;
      const startedAt = performance.now();
      const answered = await send(pool, request, from + number);
      if (answered !== status) throw new Error(`${request.path} answered ${answered}, not ${status}`);
      latencies.push(performance.now() - startedAt);
    }
  }

  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, sendInTurn));
  const wallMs = performance.now() - startedAt;
  await pool.close();
  const sorted = latencies.toSorted((a, b) => a - b);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { wallMs, p50Ms: rank(0.5), p99Ms: rank(0.99), lastMs: rank(1) };
}

const report = (result: LoadResult) => void process.send?.(result);

process.on('message', (message) => {
  run(LoadJob.parse(message)).then(report, (error: unknown) => report({ failure: String(error) }));
});
process.on('disconnect', () => process.exit());
