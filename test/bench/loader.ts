import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextMessage, stopProcess, type Measured } from './child.ts';
import { LoadResult, type LoadJob } from './load-job.ts';

export type Load = Omit<LoadJob, 'origin'>;

/** How a load went, and what it cost the program that it was put on. */
export interface Loaded {
  readonly wallMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lastMs: number;
  /** Processor time of the measured process, a request. */
  readonly cpuUs: number;
}

export interface Loader {
  /** @param settled awaited before the processor time is read, for work that follows the answers */
  put(load: Load, on: Measured, settled?: () => Promise<void>): Promise<Loaded>;
  stop(): Promise<void>;
}

/** The process that sends requests to the measured one. */
export function startLoader(): Loader {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)));
  return {
    async put(load, on, settled) {
      const before = await on.usage();
      const answer = nextMessage(child);
      child.send({ ...load, origin: on.origin } satisfies LoadJob);
      const result = LoadResult.parse(await answer);
      if ('failure' in result) throw new Error(result.failure);
      await settled?.();
      const after = await on.usage();
      return { ...result, cpuUs: (after.cpuUs - before.cpuUs) / load.total };
    },
    stop: () => stopProcess(child),
  };
}
