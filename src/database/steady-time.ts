import type { Database } from './database.ts';
import { sql } from './sql.ts';
import type { Sql } from './sql.ts';

export type SteadyTime = Pick<Database, 'steadyTime'>;

/** The steady time so many milliseconds from now; before now where they're negative. */
export const steadyTimeIn = ({ steadyTime }: SteadyTime, ms: number): Sql =>
  sql`${steadyTime()} + CAST(${ms} AS BIGINT)`;
