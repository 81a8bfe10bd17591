import pg from 'pg';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const Counted = z.object({ count: z.number() });
const Waiting = z.array(z.object({ pid: z.number() }).transform(({ pid }) => pid));

/**
 * Locks a table in PostgreSQL until it's released, so that statements of others are under way at the same time.
 *
 * @param mode what others may still do: by `SHARE` everything but write, otherwise nothing
 */
export async function holdTable(
  url: string,
  table: string,
  mode: 'ACCESS EXCLUSIVE' | 'SHARE' = 'ACCESS EXCLUSIVE',
) {
  const [holder, watcher] = [
    new pg.Client({ connectionString: url }),
    new pg.Client({ connectionString: url }),
  ];
  await Promise.all([holder.connect(), watcher.connect()]);
  onTestFinished(async () => void (await Promise.all([holder.end(), watcher.end()])));
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  return {
    /** How many statements wait for a lock; only those that begin so. */
    waiting: async (beginning = '') => {
      const { rows } = await watcher.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
        [`${beginning}%`],
      );
      return Counted.parse(rows[0]).count;
    },
    /** The server's processes that wait for a table, and not for what others do in it. */
    waitingForTable: async (): Promise<readonly number[]> => {
      const { rows } = await watcher.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'relation'`,
      );
      return Waiting.parse(rows);
    },
    release: () => holder.query('COMMIT'),
  };
}
