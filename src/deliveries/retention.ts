import type { Database } from '../database/database.ts';
import { hasChanged } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import { idsFrom } from './ids.ts';
import { FAILED_KEPT_MS } from './overview.ts';

/** A webhook that comes again this late is still a duplicate. */
const SESSION_ENDS_KEPT_MS = 90 * 24 * 60 * 60_000;
/** Longer than anybody asks what became of a summary. */
const DELIVERIES_KEPT_MS = FAILED_KEPT_MS;
/** A channel in which nothing was posted for so long is known by its next delivery again. */
const CHANNELS_KEPT_MS = 90 * 24 * 60 * 60_000;
const AT_ONCE = 500;
const EVERY_MS = 60 * 60_000;
/** Between two steps, so that whoever waits for the database comes first. */
const REST_MS = 20;

const few = (query: Sql) => sql`(${query} LIMIT ${AT_ONCE})`;

/** The statements that each remove a few of what's older than it's kept. */
function steps(time: number): readonly Sql[] {
  const ends = idsFrom(time - SESSION_ENDS_KEPT_MS);
  const deliveries = idsFrom(time - DELIVERIES_KEPT_MS);
  return [
    sql`DELETE FROM deliveries WHERE id IN ${few(sql`SELECT id FROM deliveries
      WHERE id < ${deliveries} AND settled_at <= ${time - DELIVERIES_KEPT_MS}`)}`,
    sql`DELETE FROM session_ends WHERE id IN ${few(sql`SELECT id FROM session_ends
      WHERE id < ${ends} AND fanned_out_at IS NOT NULL`)}`,
    sql`DELETE FROM link_cards WHERE card_id IN ${few(sql`SELECT card_id FROM link_cards
      WHERE card_id < ${deliveries}`)}`,
    sql`DELETE FROM channels WHERE (workspace_id, channel_id) IN ${few(sql`SELECT workspace_id, channel_id FROM channels
      WHERE next_at IS NULL AND claim IS NULL AND open_at <= ${time - CHANNELS_KEPT_MS} AND moved_to IS NULL`)}`,
  ];
}

interface RetentionParts {
  readonly database: Pick<Database, 'write'>;
  readonly now: () => number;
  readonly broken: (error: unknown) => void;
}

/** Removes what is older than it's kept, in small steps. */
export interface Retention {
  start(): void;
  stop(): Promise<void>;
}

async function rest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
}

export function createRetention({ database, now, broken }: RetentionParts): Retention {
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let isStopped = false;
  /** By the earlier of two times: what is removed is gone, and a clock may be far ahead for a moment. */
  let before = Infinity;

  async function round(): Promise<void> {
    const time = Math.min(before, now());
    before = now();
    for (const step of steps(time)) {
      for (;;) {
        const [removed] = await database.write(step);
        if (isStopped || !hasChanged(removed) || (removed?.changed ?? 0) < AT_ONCE) break;
        await rest();
      }
    }
  }

  function plan(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      underWay = round().catch(broken).finally(plan);
    }, EVERY_MS);
    timer.unref();
  }

  return {
    start: plan,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
