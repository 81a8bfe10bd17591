import { z } from 'zod';
import type { SignedPress } from '../commands/rights.ts';
import {
  AnyRow,
  hasChanged,
  isOver,
  keptUntil,
  rowOf,
  rowsOf,
  sql,
  steadyTimeIn,
  type Database,
  type Sql,
  type SteadyTime,
} from '../database/database.ts';
import type { ButtonKey } from '../messages/link-request.ts';
import type { App } from '../parts.ts';
import { PRESS_REFUSALS, type PressRefusal } from './pages.ts';

/** How long a page that comes after a press can claim it; `good_until` is how long Slack could send it again. */
const CLAIMABLE_MS = 10_000;
/** Slack's signature holds five minutes before and after its time; a minute more, so that no press is forgotten first. */
const SIGNED_MS = 11 * 60 * 1_000;
/** How long a page learns that another had its press: a press may come as late as can be claimed, and then the page waits. */
const TAKEN_MS = CLAIMABLE_MS + 5_000;
/** Slack reports a press within seconds; our clock may be a minute off. */
const LATE_AFTER_MS = 75_000;
/** Two presses of the same button within this time are one double click. */
const DOUBLE_MS = 1_000;
/** How often waiting pages look for presses whose hint from another process was lost. */
const LOOK_EVERY_MS = 1_000;
/** Beside the one that claims a press: four in all, one more than a person in a hurry opens. */
const MOST_WAITING_BESIDE = 3;

const TOPIC = 'press';

export interface ClaimedPress {
  /** Undefined where a ticket is proof enough. */
  readonly pressId: string | undefined;
  /** Of a double click. */
  readonly isSecond: boolean;
}

type Claimed = ClaimedPress | { readonly refused: PressRefusal };

/** `crowded`: more pages waited for the press than its owner opens, so any of them may have been opened by somebody else. */
export type Claim = Claimed | 'none' | 'crowded';

export type Presses = ReturnType<typeof createPresses>;

/** Whether somebody may have held it back for a page of their own. By our clock: a request held whole is signed when it's pressed. */
export const isLate = ({ pressedAt }: SignedPress, now: number): boolean => now - pressedAt > LATE_AFTER_MS;

/** By then, the same press can't be sent again either. */
export const removeOldPresses = (steady: SteadyTime, until: number, limit: number): Sql =>
  sql`DELETE FROM presses WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM presses WHERE ${isOver(steady, until)} LIMIT ${limit})`;

/** Those that no double click can belong to any more. */
export const removeOldLatestPresses = (steady: SteadyTime, limit: number): Sql =>
  sql`DELETE FROM press_acts WHERE (workspace_id, press_key) IN (
    SELECT workspace_id, press_key FROM press_acts WHERE expires_at <= ${steady.steadyTime()}
      OR expires_at > ${steadyTimeIn(steady, 2 * SIGNED_MS)} LIMIT ${limit})`;

const ClaimedRow = rowOf({
  id: z.string(),
  // An earlier program may have written another.
  refused: z.enum(PRESS_REFUSALS).catch('unchecked').optional(),
  doubleOf: z.string().optional(),
}).transform(({ id, refused, doubleOf }): Claimed =>
  refused === undefined ? { pressId: id, isSecond: doubleOf !== undefined } : { refused },
);

const thatButton = ({ workspaceId, key }: ButtonKey): Sql =>
  sql`workspace_id = ${workspaceId} AND press_key = ${key}`;

/** Steady time begins anew with the machine: what is from before that isn't of a moment ago. */
const cameWithin = (database: SteadyTime, ms: number): Sql =>
  sql`received_at BETWEEN ${steadyTimeIn(database, -ms)} AND ${database.steadyTime()}`;

const isThere = async ({ read }: Pick<Database, 'read'>, query: Sql) =>
  (await read(query, AnyRow)).length > 0;

/** The first of a double click is the button's latest press by Slack's own times, so the second finds it in any order. */
function recordLatest(database: SteadyTime, { workspaceId, key }: ButtonKey, { id, pressedAt }: SignedPress) {
  const isNew = sql`excluded.pressed_at >= press_acts.pressed_at + CAST(${DOUBLE_MS} AS BIGINT)`;
  return sql`INSERT INTO press_acts (workspace_id, press_key, press_id, pressed_at, expires_at)
    VALUES (${workspaceId}, ${key}, ${id}, ${pressedAt}, ${steadyTimeIn(database, SIGNED_MS)})
    ON CONFLICT (workspace_id, press_key) DO UPDATE SET
      press_id = CASE WHEN ${isNew} THEN excluded.press_id ELSE press_acts.press_id END,
      pressed_at = CASE WHEN ${isNew} THEN excluded.pressed_at ELSE press_acts.pressed_at END,
      expires_at = excluded.expires_at`;
}

/** A press sent again finds itself there, and stays as old as it is. @param isUsed whether it has its page, or answer */
function keep(
  database: SteadyTime,
  button: ButtonKey,
  { id, pressedAt }: SignedPress,
  {
    isUsed,
    refused,
    signedUntil,
  }: { readonly isUsed: boolean; readonly refused?: PressRefusal; readonly signedUntil: number },
): Sql {
  const first = sql`(SELECT press_id FROM press_acts WHERE ${thatButton(button)}
    AND press_id <> ${id} AND abs(pressed_at - CAST(${pressedAt} AS BIGINT)) < ${DOUBLE_MS})`;
  return sql`INSERT INTO presses (workspace_id, id, press_key, pressed_at, received_at, refused, spent_at, double_of,
      good_until, expires_at)
    SELECT ${button.workspaceId}, ${id}, ${button.key}, CAST(${pressedAt} AS BIGINT), ${database.steadyTime()},
      ${refused ?? null}, ${isUsed ? database.steadyTime() : sql`CAST(NULL AS BIGINT)`},
      ${refused === undefined ? first : sql`CAST(NULL AS TEXT)`},
      CAST(${signedUntil} AS BIGINT), ${keptUntil(database)}
    WHERE 1 = 1 ON CONFLICT DO NOTHING RETURNING id, refused, double_of`;
}

/** @param isExpected whether one was just recorded: then it's claimed without a look first */
async function claimKept(database: Database, button: ButtonKey, isExpected: boolean) {
  const isGood = sql`${thatButton(button)} AND spent_at IS NULL AND ${cameWithin(database, CLAIMABLE_MS)}`;
  // Other looks mostly find nothing, and then cost no write.
  if (!isExpected && !(await isThere(database, sql`SELECT id FROM presses WHERE ${isGood} LIMIT 1`)))
    return undefined;
  // A refusal, too, is for one page: the next press may be allowed.
  const [claimed] = await database.write(
    sql`WITH picked AS MATERIALIZED (
        SELECT id FROM presses WHERE ${isGood}
        ORDER BY CASE WHEN double_of IS NULL THEN 0 ELSE 1 END, pressed_at DESC LIMIT 1 ${database.skipLocked})
      UPDATE presses SET spent_at = ${database.steadyTime()}
      WHERE workspace_id = ${button.workspaceId} AND id IN (SELECT id FROM picked) AND spent_at IS NULL
      RETURNING id, refused, double_of`,
  );
  return rowsOf(claimed, ClaimedRow)[0];
}

function callAfter(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms).unref();
  return () => clearTimeout(timer);
}

interface WaitingPage {
  readonly hint: string;
  /** @param isPress whether one was just recorded */
  wake: (isPress: boolean) => void;
  /** Nobody waits for it any more. */
  isGone: boolean;
}

type OnGone = (listener: () => void) => void;

const hintOf = ({ workspaceId, key }: ButtonKey) => `${workspaceId} ${key}`;

/** What presses were used for. @param signedUntil until when a press of now could be sent again, milliseconds since 1970 */
function createPressMarks(database: Database, signedUntil: () => number) {
  return {
    /** By another page, a moment ago. */
    wasTaken: (button: ButtonKey): Promise<boolean> =>
      isThere(
        database,
        sql`SELECT id FROM presses WHERE ${thatButton(button)}
        AND spent_at IS NOT NULL AND ${cameWithin(database, TAKEN_MS)} LIMIT 1`,
      ),
    /** Whether Slack reported an allowed press of this button in the last minutes. Earlier programs wrote rows without one. */
    wasReported: (button: ButtonKey): Promise<boolean> =>
      isThere(
        database,
        sql`SELECT press_id FROM press_acts WHERE ${thatButton(button)}
        AND press_id <> '' AND expires_at > ${database.steadyTime()}`,
      ),
    /** For an id of a page's form, kept in the same table: true once for each, which expires at `goodUntil`, milliseconds since 1970: it's good for one link. */
    async useOnce(workspaceId: string, id: string, goodUntil: number): Promise<boolean> {
      const [used] = await database.write(
        sql`INSERT INTO presses (workspace_id, id, spent_at, good_until, expires_at)
          VALUES (${workspaceId}, ${id}, ${database.steadyTime()}, ${goodUntil}, ${keptUntil(database)})
          ON CONFLICT DO NOTHING`,
      );
      return hasChanged(used);
    },
    /** For a press answered in Slack; false also for the second of a double tap on one button. */
    async useFirst(button: ButtonKey, press: SignedPress): Promise<boolean> {
      const [, kept] = await database.write(
        recordLatest(database, button, press),
        keep(database, button, press, { isUsed: true, signedUntil: signedUntil() }),
      );
      const [used] = rowsOf(kept, ClaimedRow);
      return used !== undefined && 'isSecond' in used && !used.isSecond;
    },
  };
}

/** Where presses from Slack and pages from a browser meet, in any order. @param after calls once, and returns its cancellation */
export function createPresses(
  { database, now, elapsed }: Pick<App, 'database' | 'now' | 'elapsed'>,
  after: (ms: number, call: () => void) => () => void = callAfter,
) {
  const signedUntil = () => now() + SIGNED_MS;
  const waiting = new Set<WaitingPage>();
  const wakeAll = (hint: string) => {
    for (const page of waiting) if (page.hint === hint) page.wake(true);
  };
  const stopListening = database.listen(TOPIC, wakeAll);
  let stopped = false;

  async function lookUntil(until: number, button: ButtonKey, page: WaitingPage) {
    for (let isExpected = false; !page.isGone;) {
      // Both before the look: what comes meanwhile wakes the page, and what came just in time is found.
      const woken = new Promise<boolean>((resolve) => (page.wake = resolve));
      const leftMs = stopped ? 0 : until - elapsed();
      const disarm = leftMs > 0 ? after(Math.min(leftMs, LOOK_EVERY_MS), () => page.wake(false)) : undefined;
      try {
        const found = await claimKept(database, button, isExpected);
        if (found !== undefined || leftMs <= 0) return found;
        isExpected = await woken;
      } finally {
        disarm?.();
      }
    }
    return undefined;
  }

  async function claim(button: ButtonKey, patienceMs: number, onGone: OnGone): Promise<Claim> {
    const page: WaitingPage = { hint: hintOf(button), wake: () => undefined, isGone: false };
    onGone(() => {
      page.isGone = true;
      page.wake(false);
    });
    waiting.add(page);
    const claimed = await lookUntil(elapsed() + patienceMs, button, page).finally(() => waiting.delete(page));
    if (claimed === undefined || 'refused' in claimed) return claimed ?? 'none';
    const beside = [...waiting].filter(({ hint }) => hint === page.hint).length;
    if (beside <= MOST_WAITING_BESIDE) return claimed;
    return claimed.isSecond ? 'none' : 'crowded';
  }

  return {
    /** `refused` is why it opens no page, which shows that. */
    async record(button: ButtonKey, press: SignedPress, refused: PressRefusal | undefined): Promise<void> {
      const hint = hintOf(button);
      const latest = refused === undefined ? [recordLatest(database, button, press)] : [];
      await database.write(
        ...latest,
        keep(database, button, press, { isUsed: false, refused, signedUntil: signedUntil() }),
      );
      wakeAll(hint);
      database.notify(TOPIC, hint);
    },
    /** Waits up to `patienceMs`, or until nobody waits for the page any more. */
    claim,
    ...createPressMarks(database, signedUntil),
    stop(): void {
      stopped = true;
      stopListening();
      for (const page of waiting) page.wake(false);
    },
  };
}
