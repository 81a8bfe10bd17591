import { z } from 'zod';
import { hasChanged, rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { SignedPress } from '../links/link-press.ts';
import { PRESS_REFUSALS } from '../links/press-refusal.ts';
import type { PressRefusal } from '../links/press-refusal.ts';

/** How long a press is good for a page that comes after it. */
const GOOD_MS = 10_000;
/**
 * Slack's signature holds for five minutes before and after its time: so long the same press could be sent again, by
 * whoever kept it. A minute more, so that it is never forgotten first.
 */
const REMEMBERED_MS = 11 * 60 * 1_000;
/** Slack tells of a press within seconds; our clock may be a minute off. */
const LATE_AFTER_MS = 75_000;
/** Two presses of the same button within this time are one double click. */
const DOUBLE_MS = 1_000;
/** How long the second page of a double click waits to learn what came of the first. */
const OUTCOME_MS = 10_000;
/** How often pages that wait look for presses that another process took and whose hint was lost. */
const LOOK_EVERY_MS = 1_000;

const TOPIC = 'press';

/**
 * What a page finds: a press that it has paid with, the second press of a double click, which has not paid yet, why the
 * press was refused, or that none came.
 */
export type Meeting = 'pressed' | 'none' | { readonly refused: PressRefusal } | SecondPress;

/** The second press of a double click: its own id, and that of the first. */
export interface SecondPress {
  readonly id: string;
  readonly doubleOf: string;
}

/** What came of a press: a link, the question whether to join, or neither. */
const PressResult = z.enum(['opened', 'asked', 'failed']);
export type PressResult = z.infer<typeof PressResult>;

/** What is pressed for: the workspace, and what `pressKeyOf` says of the rest. */
export interface Wanted {
  readonly workspaceId: string;
  readonly key: string;
}

/** Has a page that waits say when nobody waits for it any more. */
type OnGone = (listener: () => void) => void;

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
  meet(wanted: Wanted, patienceMs: number, onGone: OnGone): Promise<Meeting>;
  /** Tells the second page of a double click what came of the first. */
  settle(wanted: Wanted, result: PressResult): Promise<void>;
  /** Whether Slack told of a press of this in the last minutes, and it was allowed. */
  wasTold(wanted: Wanted): Promise<boolean>;
  /** What came of the first press of a double click, once that is known; `unknown` where it takes too long. */
  resultOf(wanted: Wanted, second: SecondPress, onGone: OnGone): Promise<PressResult | 'unknown'>;
  /** Nothing waits any more, and nothing will. */
  stop(): void;
}

interface PressesParts {
  /**
   * What must be decided once, and need not survive: a database in memory where one process serves, else the one that all
   * processes share. With one in memory, a press signed before the process started proves nothing.
   */
  readonly database: Database;
  /** Whether other processes take presses, too: their hints can be lost. */
  readonly isShared: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls once after so long, unless the function it gives is called before. */
  readonly after?: (ms: number, call: () => void) => () => void;
}

/**
 * Why a press can't prove that whoever opens the page just pressed; undefined where it can. `late`: Slack's word of it comes
 * so late that somebody may have held it back, for a page of their own. That goes by our clock: the time in the signature is
 * as old as the press where a whole request is held. `restarted`: it may have been spent before the app was restarted.
 *
 * @param since no press before this counts: it may have been spent without a trace
 */
export function reasonAgainstTime(
  { pressedAt }: SignedPress,
  now: number,
  since: number,
): 'late' | 'restarted' | undefined {
  if (now - pressedAt > LATE_AFTER_MS) return 'late';
  return pressedAt < since ? 'restarted' : undefined;
}

/** Removes presses that are no longer good: by then the same press can't be sent again either. */
export const removeOldPresses = (until: number, limit: number): Sql =>
  sql`DELETE FROM presses WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM presses WHERE expires_at <= ${until} LIMIT ${limit})`;

/** Removes what no double click can be counted by any more. */
export const removeOldPressActs = (until: number, limit: number): Sql =>
  sql`DELETE FROM press_acts WHERE (workspace_id, press_key) IN (
    SELECT workspace_id, press_key FROM press_acts WHERE expires_at <= ${until} LIMIT ${limit})`;

const Met = z.object({
  id: z.string(),
  refused: z.enum(PRESS_REFUSALS).nullable(),
  double_of: z.string().nullable(),
});
const Act = z.object({ press_id: z.string(), outcome: PressResult.nullable() });

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

function callAfter(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
}

const hintFor = ({ workspaceId, key }: Wanted) => `${workspaceId} ${key}`;
const hintForResult = (wanted: Wanted) => `${hintFor(wanted)} settled`;

/** The first of a double click claims it, by Slack's own times: the second finds its claim, in whatever order they come. */
function claimAct(
  { workspaceId, key }: Wanted,
  { id, pressedAt }: SignedPress,
  expiresAt: number,
): readonly Sql[] {
  return [
    sql`INSERT INTO press_acts (workspace_id, press_key, press_id, pressed_at, expires_at)
      VALUES (${workspaceId}, ${key}, ${id}, ${pressedAt}, ${expiresAt})
      ON CONFLICT (workspace_id, press_key) DO UPDATE SET press_id = excluded.press_id,
        pressed_at = excluded.pressed_at, outcome = NULL, expires_at = excluded.expires_at
      WHERE abs(press_acts.pressed_at - excluded.pressed_at) >= ${DOUBLE_MS}`,
    sql`UPDATE presses SET double_of = press_acts.press_id FROM press_acts
      WHERE presses.workspace_id = ${workspaceId} AND presses.id = ${id}
        AND press_acts.workspace_id = ${workspaceId} AND press_acts.press_key = ${key}
        AND press_acts.press_id <> ${id}`,
  ];
}

export function createPresses(parts: PressesParts): Presses {
  const { database, isShared, now, after = callAfter } = parts;
  const lookEveryMs = isShared ? LOOK_EVERY_MS : Infinity;
  /** The pages that wait in this process, by what ends a wait of theirs, and for what. */
  const waiting = new Map<() => void, string>();
  const nudgeFor = (hint: string) => {
    for (const [nudge, wanted] of waiting) if (wanted === hint) nudge();
  };
  const stopListening = database.listen(TOPIC, nudgeFor);
  let stopped = false;

  const tell = (hint: string) => {
    nudgeFor(hint);
    database.notify(TOPIC, hint);
  };

  async function take({ workspaceId, key }: Wanted): Promise<Exclude<Meeting, 'none'> | undefined> {
    const fresh = sql`workspace_id = ${workspaceId} AND press_key = ${key} AND spent_at IS NULL
      AND told_at >= ${now() - GOOD_MS}`;
    // Most looks find nothing: a look costs no write.
    const found = await database.read(
      sql`SELECT id, refused, double_of FROM presses WHERE ${fresh} LIMIT 1`,
      Met,
    );
    if (found.length === 0) return undefined;
    // A refusal, too, is for one page: the next press may be allowed.
    const [taken] = await database.write(
      sql`WITH picked AS MATERIALIZED (
          SELECT id FROM presses WHERE ${fresh}
          ORDER BY CASE WHEN double_of IS NULL THEN 0 ELSE 1 END, pressed_at DESC LIMIT 1 ${database.skipLocked})
        UPDATE presses SET spent_at = ${now()}
        WHERE workspace_id = ${workspaceId} AND id IN (SELECT id FROM picked) AND spent_at IS NULL
        RETURNING id, refused, double_of`,
    );
    const [press] = rowsOf(taken, Met);
    if (press === undefined) return undefined;
    if (press.refused !== null) return { refused: press.refused };
    return press.double_of === null ? 'pressed' : { id: press.id, doubleOf: press.double_of };
  }

  /** Looks until there is something, the time is over or the page is gone. */
  async function lookUntil<Found>(
    look: () => Promise<Found | undefined>,
    { hint, patienceMs, onGone }: { hint: string; patienceMs: number; onGone: OnGone },
  ): Promise<Found | undefined> {
    const until = now() + patienceMs;
    const { nudge, next } = createNudge();
    let isGone = false;
    onGone(() => {
      isGone = true;
      nudge();
    });
    let disarm: (() => void) | undefined;
    waiting.set(nudge, hint);
    try {
      for (;;) {
        if (isGone) return undefined;
        // Asked before the look: what came just in time is found by it.
        const leftMs = stopped ? 0 : until - now();
        if (leftMs > 0) disarm = after(Math.min(leftMs, lookEveryMs), nudge);
        const found = await look();
        if (found !== undefined || leftMs <= 0) return found;
        await next();
        disarm?.();
      }
    } finally {
      disarm?.();
      waiting.delete(nudge);
    }
  }

  return {
    async spend(workspaceId, id) {
      const time = now();
      const [spent] = await database.write(
        sql`INSERT INTO presses (workspace_id, id, spent_at, expires_at)
          VALUES (${workspaceId}, ${id}, ${time}, ${time + REMEMBERED_MS})
          ON CONFLICT (workspace_id, id) DO UPDATE SET spent_at = excluded.spent_at WHERE presses.spent_at IS NULL`,
      );
      return hasChanged(spent);
    },
    async record(wanted, { id, pressedAt }, refused) {
      const { workspaceId, key } = wanted;
      const time = now();
      const expiresAt = time + REMEMBERED_MS;
      const kept = await database.writeIf(
        // The same press again finds itself there, and stays as old as it is.
        sql`INSERT INTO presses (workspace_id, id, press_key, pressed_at, told_at, refused, expires_at)
          VALUES (${workspaceId}, ${id}, ${key}, ${pressedAt}, ${time}, ${refused ?? null}, ${expiresAt})
          ON CONFLICT DO NOTHING`,
        ...(refused === undefined ? claimAct(wanted, { id, pressedAt }, expiresAt) : []),
      );
      if (kept !== undefined) tell(hintFor(wanted));
    },
    async meet(wanted, patienceMs, onGone) {
      const meeting = await lookUntil(() => take(wanted), { hint: hintFor(wanted), patienceMs, onGone });
      return meeting ?? 'none';
    },
    async settle(wanted, result) {
      const { workspaceId, key } = wanted;
      await database.write(
        sql`UPDATE press_acts SET outcome = ${result} WHERE workspace_id = ${workspaceId} AND press_key = ${key}`,
      );
      tell(hintForResult(wanted));
    },
    async wasTold({ workspaceId, key }) {
      const acts = await database.read(
        sql`SELECT press_id, outcome FROM press_acts
          WHERE workspace_id = ${workspaceId} AND press_key = ${key} AND expires_at > ${now()}`,
        Act,
      );
      return acts.length > 0;
    },
    async resultOf(wanted, { doubleOf }, onGone) {
      const { workspaceId, key } = wanted;
      async function look(): Promise<PressResult | 'unknown' | undefined> {
        const [act] = await database.read(
          sql`SELECT press_id, outcome FROM press_acts WHERE workspace_id = ${workspaceId} AND press_key = ${key}`,
          Act,
        );
        // A later press has taken its place.
        return act?.press_id === doubleOf ? (act.outcome ?? undefined) : 'unknown';
      }
      const hint = hintForResult(wanted);
      return (await lookUntil(look, { hint, patienceMs: OUTCOME_MS, onGone })) ?? 'unknown';
    },
    stop() {
      stopped = true;
      stopListening();
      for (const nudge of waiting.keys()) nudge();
    },
  };
}
