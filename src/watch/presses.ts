import { z } from 'zod';
import { hasChanged, rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import { steadyTimeIn } from '../database/steady-time.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import type { SignedPress } from '../messages/link-press.ts';
import { PRESS_REFUSALS } from './press-refusals.ts';
import type { PressRefusal } from './press-refusals.ts';
import { isOver, keptUntil } from './spent-marks.ts';

/** How long a press is good for a page that comes after it. */
const GOOD_MS = 10_000;
/**
 * Slack's signature holds for five minutes before and after its time, so whoever kept a press could send it again for that
 * long. A minute more, so that a press is never forgotten first.
 */
const SIGNED_MS = 11 * 60 * 1_000;
/** Slack reports a press within seconds; our clock may be a minute off. */
const LATE_AFTER_MS = 75_000;
/** Two presses of the same button within this time are one double click. */
const DOUBLE_MS = 1_000;
/** How long the second page of a double click waits to learn what came of the first. */
const OUTCOME_MS = 10_000;
/** How often waiting pages look for presses that another process took and whose hint was lost. */
const LOOK_EVERY_MS = 1_000;
/** Longer than a press may take to reach us. */
const GIVEN_UP_MS = 2 * 60 * 1_000;
/** Longer than a button's address works. */
const GIVEN_UP_FOR_GOOD_MS = 60 * 60 * 1_000;
/** Beside the one that takes a press; a person in a hurry opens three in all. */
const MOST_WAITING_BESIDE = 3;

const TOPIC = 'press';

export interface PaidPress {
  /** The id of the press that a page has paid with; undefined where a ticket is proof enough. */
  readonly paidWith: string | undefined;
}

/** The second press of a double click: its own id, and that of the first. */
export interface SecondPress {
  readonly id: string;
  readonly doubleOf: string;
}

type Taken = PaidPress | SecondPress | { readonly refused: PressRefusal };

/**
 * What a page finds: a press that it has paid with, the second press of a double click, which has not paid yet, why the
 * press was refused, or that none came. `crowded`: a press came, and it is spent, but more pages waited for it than its
 * owner opens, so it says nothing about who opened this one.
 */
export type Meeting = Taken | 'none' | 'crowded';

/** What came of a press: a link, the question whether to join, or neither. */
const PressResult = z.enum(['opened', 'asked', 'failed']);
export type PressResult = z.infer<typeof PressResult>;

/** What is pressed for: the workspace, and what `pressKeyOf` says of the rest. */
export interface Wanted {
  readonly workspaceId: string;
  readonly key: string;
}

/** Calls back when nobody waits for the page any more. */
type OnGone = (listener: () => void) => void;

/** How a page waits. */
interface Patience {
  readonly patienceMs: number;
  readonly onGone: OnGone;
}

/** What a press met. */
interface Recorded {
  /** Whether a page that waited here has it. */
  readonly isTaken: boolean;
  /** Whether a page of its button has stopped waiting, so that it may find none. */
  readonly isGivenUp: boolean;
}

/** Where presses, which come from Slack, and pages, which come from a browser, meet: in a table. */
export interface Presses {
  /**
   * Keeps a press for the page it belongs to, or gives it to the page that waits for it here.
   *
   * @param judged why it pays for no page, which shows that; undefined where it pays
   */
  record(
    wanted: Wanted,
    press: SignedPress,
    judged: { readonly refused: PressRefusal | undefined },
  ): Promise<Recorded>;
  /**
   * True once for each press, or other id: it pays for one link.
   *
   * @param goodUntil when what has the id expires, milliseconds since 1970; by default as a press
   */
  spend(workspaceId: string, id: string, goodUntil?: number): Promise<boolean>;
  /** The same for a press that is answered in Slack; false also where it is the second of a double tap on one button. */
  spendFirst(wanted: Wanted, press: SignedPress): Promise<boolean>;
  /** Lets the next press be an act of its own, however soon it comes: this one has its answer. */
  endAct(wanted: Wanted, press: SignedPress): Promise<void>;
  /** Takes a press for this, and waits for one up to `patienceMs`, or until the page is gone. */
  meet(wanted: Wanted, patience: Patience): Promise<Meeting>;
  /** No page of this button takes its press any more: for good, or because the page waited long enough. */
  giveUp(wanted: Wanted, forGood: boolean): Promise<void>;
  /**
   * Lets the second page of a double click know what came of the first, by its id. A press that was slow says nothing about
   * one that has taken its place.
   */
  recordResult(wanted: Wanted, pressId: string, result: PressResult): Promise<void>;
  /** The same where a link is on record for the press. */
  linkRecorded(wanted: Wanted): void;
  /** Whether Slack reported a press of this in the last minutes, and it was allowed. */
  wasReported(wanted: Wanted): Promise<boolean>;
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
  /** Whether a link was made for a press, by its id. */
  readonly hasLink: (workspaceId: string, pressId: string) => Promise<boolean>;
  /** Milliseconds since 1970, the clock that signatures are checked by. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
  /** Calls once after so long, unless the function it gives is called before. */
  readonly after?: (ms: number, call: () => void) => () => void;
}

/**
 * Why a press can't prove that whoever opens the page just pressed; undefined where it can. `late`: Slack reports it so late
 * that somebody may have held it back, for a page of their own. That goes by our clock: the time in the signature is
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
export const removeOldPresses = (steady: SteadyTime, until: number, limit: number): Sql =>
  sql`DELETE FROM presses WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM presses WHERE ${isOver(steady, until)} LIMIT ${limit})`;

/** Removes acts that no double click can belong to any more. */
export const removeOldPressActs = ({ steadyTime }: SteadyTime, limit: number): Sql =>
  sql`DELETE FROM press_acts WHERE (workspace_id, press_key) IN (
    SELECT workspace_id, press_key FROM press_acts WHERE expires_at <= ${steadyTime()} LIMIT ${limit})`;

const Found = z.object({ id: z.string() });
const TakenRow = z.object({
  id: z.string(),
  refused: z.enum(PRESS_REFUSALS).nullable(),
  double_of: z.string().nullable(),
});
const GivenUp = z.object({ is_given_up: z.number() });
const Act = z.object({ press_id: z.string(), outcome: PressResult.nullable() });

function takenFrom({ id, refused, double_of: doubleOf }: z.infer<typeof TakenRow>): Taken {
  if (refused !== null) return { refused };
  return doubleOf === null ? { paidWith: id } : { id, doubleOf };
}

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

/** A page that waits in this process. */
interface WaitingPage {
  readonly hint: string;
  readonly nudge: () => void;
  /** Whether it could be given a press: it isn't just looking for one itself. */
  isIdle: boolean;
  /** The press that is being written down for it; undefined where that came to nothing. */
  promised: Promise<Taken | undefined> | undefined;
}

const hintFor = ({ workspaceId, key }: Wanted) => `${workspaceId} ${key}`;
const hintForResult = (wanted: Wanted) => `${hintFor(wanted)} result`;

export function createPresses(parts: PressesParts): Presses {
  const { database, isShared, hasLink, now, elapsed, after = callAfter } = parts;
  const lookEveryMs = isShared ? LOOK_EVERY_MS : Infinity;
  const waiting = new Set<WaitingPage>();
  const nudgeFor = (hint: string) => {
    for (const page of waiting) if (page.hint === hint) page.nudge();
  };
  const stopListening = database.listen(TOPIC, nudgeFor);
  let stopped = false;

  const announce = (hint: string) => {
    nudgeFor(hint);
    database.notify(TOPIC, hint);
  };

  /**
   * The first of a double click claims the act, by Slack's own times: the second finds its claim, in whatever order they
   * come. Whoever gives up writes the same row, so that a press either sees that or is found by the last look.
   */
  const claimAct = ({ workspaceId, key }: Wanted, { id, pressedAt }: SignedPress) => {
    const isNew = sql`excluded.pressed_at >= press_acts.pressed_at + CAST(${DOUBLE_MS} AS BIGINT)`;
    return sql`INSERT INTO press_acts (workspace_id, press_key, press_id, pressed_at, expires_at)
      VALUES (${workspaceId}, ${key}, ${id}, ${pressedAt}, ${steadyTimeIn(database, SIGNED_MS)})
      ON CONFLICT (workspace_id, press_key) DO UPDATE SET
        press_id = CASE WHEN ${isNew} THEN excluded.press_id ELSE press_acts.press_id END,
        pressed_at = CASE WHEN ${isNew} THEN excluded.pressed_at ELSE press_acts.pressed_at END,
        outcome = CASE WHEN ${isNew} THEN NULL ELSE press_acts.outcome END,
        expires_at = CASE WHEN press_acts.expires_at > excluded.expires_at THEN press_acts.expires_at
          ELSE excluded.expires_at END
      RETURNING CASE WHEN given_up_until > ${database.steadyTime()} THEN 1 ELSE 0 END AS is_given_up`;
  };

  /** The same press again finds itself there, and stays as old as it is. */
  const keep = (
    { workspaceId, key }: Wanted,
    { id, pressedAt }: SignedPress,
    refused: PressRefusal | undefined,
    isSpent: boolean,
  ) =>
    sql`INSERT INTO presses (workspace_id, id, press_key, pressed_at, received_at, refused, spent_at, double_of,
        good_until, expires_at)
      SELECT ${workspaceId}, ${id}, ${key}, CAST(${pressedAt} AS BIGINT), ${database.steadyTime()}, ${refused ?? null},
        ${isSpent ? database.steadyTime() : sql`CAST(NULL AS BIGINT)`},
        ${
          refused === undefined
            ? sql`(SELECT press_id FROM press_acts WHERE workspace_id = ${workspaceId}
            AND press_key = ${key} AND press_id <> ${id} AND abs(pressed_at - CAST(${pressedAt} AS BIGINT)) < ${DOUBLE_MS})`
            : sql`CAST(NULL AS TEXT)`
        },
        CAST(${now() + SIGNED_MS} AS BIGINT), ${keptUntil(database)}
      WHERE 1 = 1 ON CONFLICT DO NOTHING RETURNING id, refused, double_of`;

  async function take({ workspaceId, key }: Wanted): Promise<Taken | undefined> {
    const fresh = sql`workspace_id = ${workspaceId} AND press_key = ${key} AND spent_at IS NULL
      AND received_at >= ${steadyTimeIn(database, -GOOD_MS)}`;
    // Most looks find nothing: a look costs no write.
    const found = await database.read(sql`SELECT id FROM presses WHERE ${fresh} LIMIT 1`, Found);
    if (found.length === 0) return undefined;
    // A refusal, too, is for one page: the next press may be allowed.
    const [taken] = await database.write(
      sql`WITH picked AS MATERIALIZED (
          SELECT id FROM presses WHERE ${fresh}
          ORDER BY CASE WHEN double_of IS NULL THEN 0 ELSE 1 END, pressed_at DESC LIMIT 1 ${database.skipLocked})
        UPDATE presses SET spent_at = ${database.steadyTime()}
        WHERE workspace_id = ${workspaceId} AND id IN (SELECT id FROM picked) AND spent_at IS NULL
        RETURNING id, refused, double_of`,
    );
    const [press] = rowsOf(taken, TakenRow);
    return press && takenFrom(press);
  }

  /** Looks until there is something, the time is over or the page is gone. */
  async function lookUntil<Other>(
    look: () => Promise<Other | undefined>,
    { hint, patienceMs, onGone }: { hint: string } & Pick<Patience, 'patienceMs' | 'onGone'>,
  ): Promise<Other | Taken | undefined> {
    const until = elapsed() + patienceMs;
    const { nudge, next } = createNudge();
    const page: WaitingPage = { hint, nudge, isIdle: false, promised: undefined };
    let isGone = false;
    onGone(() => {
      isGone = true;
      nudge();
    });
    let disarm: (() => void) | undefined;
    waiting.add(page);
    try {
      for (;;) {
        if (isGone) return undefined;
        if (page.promised !== undefined) {
          const given = await page.promised;
          if (given !== undefined) return given;
          page.promised = undefined;
        }
        // Asked before the look: what came just in time is found by it.
        const leftMs = stopped ? 0 : until - elapsed();
        if (leftMs > 0) disarm = after(Math.min(leftMs, lookEveryMs), nudge);
        const found = await look();
        if (found !== undefined || leftMs <= 0) return found;
        page.isIdle = true;
        await next();
        page.isIdle = false;
        disarm?.();
      }
    } finally {
      disarm?.();
      waiting.delete(page);
    }
  }

  return {
    async spend(workspaceId, id, goodUntil = now() + SIGNED_MS) {
      const [spent] = await database.write(
        sql`INSERT INTO presses (workspace_id, id, spent_at, good_until, expires_at)
          VALUES (${workspaceId}, ${id}, ${database.steadyTime()}, ${goodUntil}, ${keptUntil(database)})
          ON CONFLICT (workspace_id, id) DO UPDATE SET spent_at = excluded.spent_at WHERE presses.spent_at IS NULL`,
      );
      return hasChanged(spent);
    },
    async spendFirst(wanted, press) {
      const [, spent] = await database.write(claimAct(wanted, press), keep(wanted, press, undefined, true));
      const [kept] = rowsOf(spent, TakenRow);
      return kept !== undefined && kept.double_of === null;
    },
    async endAct({ workspaceId, key }, { id }) {
      await database.write(
        sql`UPDATE press_acts SET pressed_at = 0
          WHERE workspace_id = ${workspaceId} AND press_key = ${key} AND press_id = ${id}`,
      );
    },
    async record(wanted, press, { refused }) {
      const hint = hintFor(wanted);
      const page = [...waiting].find((one) => one.hint === hint && one.isIdle && one.promised === undefined);
      const { promise, resolve } = Promise.withResolvers<Taken | undefined>();
      if (page !== undefined) page.promised = promise;
      let taken: Taken | undefined;
      try {
        const statements = [
          ...(refused === undefined ? [claimAct(wanted, press)] : []),
          keep(wanted, press, refused, page !== undefined),
        ];
        const written = await database.write(...statements);
        const [kept] = rowsOf(written.at(-1), TakenRow);
        taken = kept && takenFrom(kept);
        const [act] = refused === undefined ? rowsOf(written[0], GivenUp) : [];
        return { isTaken: page !== undefined && taken !== undefined, isGivenUp: act?.is_given_up === 1 };
      } finally {
        resolve(taken);
        page?.nudge();
        if (page === undefined && taken !== undefined) announce(hint);
      }
    },
    async meet(wanted, { patienceMs, onGone }) {
      const hint = hintFor(wanted);
      const taken = await lookUntil(() => take(wanted), { hint, patienceMs, onGone });
      if (taken === undefined || 'refused' in taken) return taken ?? 'none';
      const beside = [...waiting].filter((page) => page.hint === hint).length;
      if (beside <= MOST_WAITING_BESIDE) return taken;
      return 'paidWith' in taken ? 'crowded' : 'none';
    },
    async giveUp({ workspaceId, key }, forGood) {
      const until = steadyTimeIn(database, forGood ? GIVEN_UP_FOR_GOOD_MS : GIVEN_UP_MS);
      await database.write(
        // What is for good stays so.
        sql`INSERT INTO press_acts (workspace_id, press_key, press_id, pressed_at, given_up_until, expires_at)
          VALUES (${workspaceId}, ${key}, '', 0, ${until}, ${until})
          ON CONFLICT (workspace_id, press_key) DO UPDATE SET
            given_up_until = CASE WHEN press_acts.given_up_until > excluded.given_up_until
              THEN press_acts.given_up_until ELSE excluded.given_up_until END,
            expires_at = CASE WHEN press_acts.expires_at > excluded.expires_at THEN press_acts.expires_at
              ELSE excluded.expires_at END`,
      );
    },
    async recordResult(wanted, pressId, result) {
      const { workspaceId, key } = wanted;
      await database.write(
        sql`UPDATE press_acts SET outcome = ${result}
          WHERE workspace_id = ${workspaceId} AND press_key = ${key} AND press_id = ${pressId}`,
      );
      announce(hintForResult(wanted));
    },
    linkRecorded: (wanted) => announce(hintForResult(wanted)),
    async wasReported({ workspaceId, key }) {
      const acts = await database.read(
        sql`SELECT press_id, outcome FROM press_acts WHERE workspace_id = ${workspaceId} AND press_key = ${key}
          AND press_id <> '' AND expires_at > ${database.steadyTime()}`,
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
        if (act?.press_id !== doubleOf) return 'unknown';
        return act.outcome ?? ((await hasLink(workspaceId, doubleOf)) ? 'opened' : undefined);
      }
      const found = await lookUntil(look, { hint: hintForResult(wanted), patienceMs: OUTCOME_MS, onGone });
      return typeof found === 'string' ? found : 'unknown';
    },
    stop() {
      stopped = true;
      stopListening();
      for (const { nudge } of waiting) nudge();
    },
  };
}
