import { startOwnPostgres } from '../support/own-postgres.ts';
import type { Measured, Settings } from './child.ts';
import { APP, type Surroundings } from './surroundings.ts';

/** What works on one database. */
export interface Beside {
  readonly processes: readonly Measured[];
  /** What all processes of the database server have used of the processor so far, microseconds. */
  readonly serverUs: () => number;
}

/** Starts so many processes on one PostgreSQL server of their own, and stops all of it after the work. */
export async function processesBeside<Value>(
  { measuring }: Pick<Surroundings, 'measuring'>,
  count: number,
  work: (beside: Beside) => Promise<Value>,
  {
    program = APP,
    fill,
    settings = {},
  }: {
    readonly program?: URL;
    readonly fill?: (url: string) => Promise<void>;
    readonly settings?: Settings;
  } = {},
): Promise<Value> {
  const server = await startOwnPostgres();
  const start = (processes: readonly Measured[]): Promise<Value> =>
    processes.length === count
      ? work({ processes, serverUs: () => server.cpuUs() })
      : measuring(program, (one) => start([...processes, one]), {
          settings: { ...settings, STORE_URL: server.url },
        });
  try {
    await fill?.(server.url);
    return await start([]);
  } finally {
    await server.close();
  }
}
