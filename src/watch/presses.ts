import { z } from 'zod';
import { hasChanged, rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { SignedPress } from '../grants/link-press.ts';
import { PRESS_REFUSALS } from '../grants/press-refusal.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';

/** How long a press is good for a page that comes after it. */
const GOOD_MS = 10_000;
/**
 * Slack's signature holds for five minutes before and after its time: so long the same press could be sent again, by
 * whoever kept it. A minute more, so that it is never forgotten first.
 */
const REMEMBERED_MS = 11 * 60 * 1_000;
/** Slack tells of a press within seconds; our clock may be a minute off. */
const LATE_AFTER_MS = 75_000;
/** How often pages that wait look for presses of which the hint was lost. */
const LOOK_EVERY_MS = 200;
/** How many rows that count no more are removed with each new one. */
const REMOVED_AT_ONCE = 100;

const TOPIC = 'press';

/** What a page finds: a press that it has paid with, why the press was refused, or that none came. */
export type Meeting = 'pressed' | 'none' | { readonly refused: PressRefusal };

/** What is pressed for: the workspace, and what `pressKeyOf` says of the rest. */
export interface Wanted {
  readonly workspaceId: string;
  readonly key: string;
}

/** Where presses, which come from Slack, and pages, which come from a browser, meet: in a table. */
export interface Presses {
  /**
   * Keeps a press for the page it belongs to.
   *
   * @param refused why it pays for no page; the page is told
   */
  record(wanted: Wanted, press: SignedPress, refused?: PressRefusal): Promise<void>;
  /** True once for each press, or other id: it pays for one link. */
  spend(workspaceId: string, id: string): Promise<boolean>;
  /** Takes a press for this, and waits for one up to `patienceMs`, or until the page is gone. */
  meet(wanted: Wanted, patienceMs: number, onGone: (listener: () => void) => void): Promise<Meeting>;
  /** Nothing waits any more, and nothing will. */
  stop(): void;
}

interface PressesParts {
  /**
   * What must be decided once, and need not survive: a database in memory where one process serves, else the one that all
   * processes share. With one in memory, a press signed before the process started is late, whatever its time.
   */
  readonly database: Database;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls again and again until the function it gives is called. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
}

/**
 * Whether Slack's word of a press comes so late that somebody may have held it back, for a page of their own. By our
 * clock: the time in the signature is as old as the press where a whole request is held.
 *
 * @param since no press before this counts: it may have been spent without a trace
 */
export const isLate = ({ pressedAt }: SignedPress, now: number, since: number): boolean =>
  now - pressedAt > LATE_AFTER_MS || pressedAt < since;

const Met = z.object({ refused: z.enum(PRESS_REFUSALS).nullable() });

/** Waits to be nudged; a nudge that comes while nobody waits is kept. */
function createNudge() {
  let kept = false;
  let resolve: (() => void) | undefined;
  return {
    nudge: (): void => {
      kept = true;
      resolve?.();
    },
    next: async (): Promise<void> => {
      if (!kept) {
        await new Promise<void>((nudged) => {
          resolve = nudged;
        });
      }
      kept = false;
    },
  };
}

function repeat(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs).unref();
  return () => clearInterval(timer);
}

/** The pages that wait in this process, and one timer for all of them, while there are any. */
function createWaitingRoom(every: NonNullable<PressesParts['every']>) {
  const waiting = new Map<() => void, string>();
  let endTimer: (() => void) | undefined;
  const nudgeAll = () => {
    for (const nudge of waiting.keys()) nudge();
  };
  return {
    nudgeAll,
    nudge(wanted: string): void {
      for (const [nudge, key] of waiting) if (key === wanted) nudge();
    },
    enter(key: string, nudge: () => void): void {
      waiting.set(nudge, key);
      endTimer ??= every(LOOK_EVERY_MS, nudgeAll);
    },
    leave(nudge: () => void): void {
      waiting.delete(nudge);
      if (waiting.size > 0) return;
      endTimer?.();
      endTimer = undefined;
    },
  };
}

const hintFor = ({ workspaceId, key }: Wanted) => `${workspaceId} ${key}`;

export function createPresses({ database, now, every = repeat }: PressesParts): Presses {
  const room = createWaitingRoom(every);
  const stopListening = database.listen(TOPIC, (hint) => room.nudge(hint));
  let stopped = false;

  /** Once it is no longer good, the same press could not be sent again either. */
  const forget = () => sql`DELETE FROM presses WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM presses WHERE expires_at <= ${now()} LIMIT ${REMOVED_AT_ONCE} ${database.skipLocked})`;

  async function take({ workspaceId, key }: Wanted): Promise<Meeting> {
    const fresh = sql`workspace_id = ${workspaceId} AND press_key = ${key} AND spent_at IS NULL
      AND told_at >= ${now() - GOOD_MS}`;
    // Most looks find nothing: a look costs no write.
    const found = await database.read(sql`SELECT refused FROM presses WHERE ${fresh} LIMIT 1`, Met);
    if (found.length === 0) return 'none';
    // A refusal, too, is for one page: the next press may be allowed.
    const [taken] = await database.write(
      sql`WITH picked AS MATERIALIZED (
          SELECT id FROM presses WHERE ${fresh} ORDER BY pressed_at DESC LIMIT 1 ${database.skipLocked})
        UPDATE presses SET spent_at = ${now()}
        WHERE workspace_id = ${workspaceId} AND id IN (SELECT id FROM picked) AND spent_at IS NULL RETURNING refused`,
    );
    const [press] = rowsOf(taken, Met);
    if (press === undefined) return 'none';
    return press.refused === null ? 'pressed' : { refused: press.refused };
  }

  return {
    async spend(workspaceId, id) {
      const time = now();
      const [spent] = await database.write(
        sql`INSERT INTO presses (workspace_id, id, spent_at, expires_at)
          VALUES (${workspaceId}, ${id}, ${time}, ${time + REMEMBERED_MS})
          ON CONFLICT (workspace_id, id) DO UPDATE SET spent_at = excluded.spent_at WHERE presses.spent_at IS NULL`,
        forget(),
      );
      return hasChanged(spent);
    },
    async record(wanted, { id, pressedAt }, refused) {
      const { workspaceId, key } = wanted;
      const time = now();
      // The same press again finds itself there, and stays as old as it is.
      const [kept] = await database.write(
        sql`INSERT INTO presses (workspace_id, id, press_key, pressed_at, told_at, refused, expires_at)
          VALUES (${workspaceId}, ${id}, ${key}, ${pressedAt}, ${time}, ${refused ?? null}, ${time + REMEMBERED_MS})
          ON CONFLICT DO NOTHING`,
        forget(),
      );
      if (!hasChanged(kept)) return;
      room.nudge(hintFor(wanted));
      database.notify(TOPIC, hintFor(wanted));
    },
    async meet(wanted, patienceMs, onGone) {
      const until = now() + patienceMs;
      const { nudge, next } = createNudge();
      let isGone = false;
      onGone(() => {
        isGone = true;
        nudge();
      });
      room.enter(hintFor(wanted), nudge);
      try {
        for (;;) {
          if (isGone) return 'none';
          // Asked before the look: what came just in time is found by it.
          const isLast = stopped || now() >= until;
          const meeting = await take(wanted);
          if (meeting !== 'none' || isLast) return meeting;
          await next();
        }
      } finally {
        room.leave(nudge);
      }
    },
    stop() {
      stopped = true;
      stopListening();
      room.nudgeAll();
    },
  };
}
