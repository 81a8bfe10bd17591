import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql, type Database } from './database.ts';

const EVERY_MS = 15_000;
/** A process that said nothing for so long is gone. */
const GONE_AFTER_MS = 60_000;

/** What can't be said is said the next time. */
const says = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

/**
 * Says in a database that processes share that this one serves, so that a restore beside it is refused: the server knows
 * only its connections, and behind a pooler not even these.
 *
 * @returns a function that says that it stopped. Neither rejects
 */
export function startHeartbeat(database: Database): () => Promise<void> {
  const id = randomUUID();
  let saying: Promise<unknown> = Promise.resolve();
  function beat(): void {
    saying = says(
      database.write(
        sql`INSERT INTO serving (id, seen_at) VALUES (${id}, ${database.steadyTime()})
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
        sql`DELETE FROM serving WHERE seen_at < ${database.steadyTime()} - CAST(${GONE_AFTER_MS} AS BIGINT)`,
      ),
    );
  }
  beat();
  const timer = setInterval(beat, EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await saying;
    await says(database.write(sql`DELETE FROM serving WHERE id = ${id}`));
  };
}

/** How many processes serve the database, or did within the last minute and were killed. */
export async function countServing(database: Database): Promise<number> {
  const since = sql`${database.steadyTime()} - CAST(${GONE_AFTER_MS} AS BIGINT)`;
  const rows = await database.read(
    sql`SELECT id FROM serving WHERE seen_at >= ${since}`,
    z.object({ id: z.string() }),
  );
  return rows.length;
}
