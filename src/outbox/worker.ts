import { z } from 'zod';
import { sql, hasCome, join, type Database, type Written, type Sql } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { createAlarm } from './alarm.ts';
import { DEATHS_BY_ERROR, isUnclear, type Attempt } from './attempt.ts';
import {
  LEASE_MS,
  LONGEST_WAIT_MS,
  backoff,
  clearClaims,
  firstLeaseEnd,
  forgetEmpty,
  renewClaim,
  wakeForgotten,
  type IsKnown,
  type Places,
} from './channels.ts';
import type { createAfterLostTurn } from './lost-turn.ts';
import type { Outcome, Telling, createRecordOutcome } from './outcome.ts';
import { doubtUnposted } from './restored.ts';
import { EARLIER_MS, LostTurnError, type Turn, type createTurns } from './turns.ts';

/** Most turns under way, in all channels together. */
const MOST_TURNS = 100;
/** Most of one workspace: where Slack is slow for one, the others' posts still go out. */
const MOST_OF_ONE = 50;
/** Turns taken together: they may all be one workspace's. */
const MOST_TAKEN = 10;
/** @param taken by one workspace */
const isFull = (taken: number) => taken > MOST_OF_ONE - MOST_TAKEN;
/** If several processes share the tables, what another one accepts is noticed within this time. */
const POLL_MS = 2_000;
const LONGEST_SLEEP_MS = 60_000;
const SWEEP_EVERY_MS = 60_000;
const REST_AFTER_FAILURE_MS = 1_000;
/** What is accepted and has to wait is looked for within this time: once for all of a burst. */
const SOON_MS = 50;

/** What is done beside the turns, one of a name at a time. */
export interface Job {
  readonly name: string;
  /**
   * A query for when it's due, as `at`, milliseconds since 1970; no row if it isn't. It can join `clock`, one row with the
   * `time` of day and the `steady` time that claims go by. Called once, at the start.
   */
  readonly due: () => Sql;
  /** How far ahead of its time it's known when it's due, milliseconds; a quarter of an hour if not given. */
  readonly longestMs?: number;
  /** Does what is due. */
  readonly run: (isStopped: () => boolean) => Promise<void>;
  /** Takes over what an earlier process had claimed, for one that serves alone. */
  readonly takeOver?: (time: number) => Sql;
}

const SETTLED: ReadonlySet<Outcome['is']> = new Set(['posted', 'failed', 'skipped']);

const Due = z.object({ what: z.string(), at: z.number() });

/**
 * Delivers what waits in the tables: each once, in order, for as long as it takes. One loop: it asks the tables what is due,
 * takes what there is room for, and sleeps until the next thing is due or somebody says that there is something.
 */
export function createWorker({
  database,
  isKnown,
  places,
  topic,
  jobs,
  turns,
  attempt,
  recordOutcome,
  afterLostTurn,
  telling,
  isAlone,
  takesOver,
  now,
}: {
  readonly database: Database;
  readonly isKnown: IsKnown;
  readonly places: Pick<Places, 'firstDue'>;
  /** Tells workers something may be due. */
  readonly topic: string;
  readonly jobs: readonly Job[];
  readonly turns: ReturnType<typeof createTurns>;
  readonly attempt: Attempt;
  readonly recordOutcome: ReturnType<typeof createRecordOutcome>;
  readonly afterLostTurn: ReturnType<typeof createAfterLostTurn>;
  readonly telling: Telling;
  /** Whether this is the only process that serves these tables. */
  readonly isAlone: boolean;
  /** Whether nothing that works on these tables has started before: then every claim is left over where it's alone. */
  readonly takesOver: boolean;
  readonly now: () => number;
}) {
  const { report } = telling;
  const alarm = createAlarm(now);
  /** Whatever a stop waits for. */
  const underWay = new Set<Promise<void>>();
  const running = new Set<string>();
  const attempted = new Set<Turn>();
  let turnsTaken = 0;
  /** Turns under way, by workspace. */
  const turnsOf = new Map<string, number>();
  let sweptAt = -Infinity;
  let whatIsDue = sql``;
  let isStopped = true;
  let hasCrashed = false;
  const hasStopped = () => isStopped;
  let stopListening: (() => void) | undefined;

  /** Runs work that a stop waits for. Never rejects. */
  function inBackground(what: string, work: () => Promise<unknown>): void {
    const task = work()
      .catch((error: unknown) => report('broken', { id: what }, { error }))
      .then(() => void underWay.delete(task));
    underWay.add(task);
  }

  /** Retries until the outcome is recorded: posting something that isn't recorded would post it twice. */
  async function untilRecorded(turn: Turn, outcome: Outcome) {
    let mayBeRecorded = false;
    for (let tries = 1; ; tries += 1) {
      try {
        const recorded = await recordOutcome(turn, outcome, mayGoOn(turn));
        // By the write whose answer was lost.
        return recorded === 'lost' && mayBeRecorded
          ? ({ nextAt: undefined, isKept: false, isMore: true } as const)
          : recorded;
      } catch (error) {
        mayBeRecorded ||= error instanceof DatabaseError && error.kind === 'unknown';
        report('broken', turn.delivery, { error });
        if (!(error instanceof DatabaseError)) throw error;
        await alarm.pause(Math.min(LEASE_MS / 3, backoff(tries)));
        if (isStopped) throw error;
      }
    }
  }

  /** @returns when Slack accepts the next post there, if the turn was kept for it */
  async function attemptAndRecord(turn: Turn): Promise<number | undefined> {
    let outcome: Outcome;
    try {
      outcome = await attempt(turn);
    } catch (error) {
      if (error instanceof LostTurnError) return undefined;
      outcome = {
        is: 'later',
        at: now() + backoff(turn.delivery.attempts),
        isUnclear: isUnclear(turn),
        error,
      };
    }
    // It may be what ended the process, so it keeps counting as under way.
    if (hasCrashed && !SETTLED.has(outcome.is)) return undefined;
    const recorded = await untilRecorded(turn, outcome);
    if (recorded === 'lost') {
      // Where the other one hasn't settled it yet, it looks for this post by itself.
      if (outcome.is === 'posted') await afterLostTurn(turn.delivery);
      alarm.by();
      return undefined;
    }
    const { nextAt = Infinity, isKept, isMore } = recorded;
    if (isMore || !isKept) alarm.by(isMore ? now() : nextAt);
    await telling.tellOutcome(turn.delivery, outcome);
    return isKept ? nextAt : undefined;
  }

  /** Where others wait for room, whoever has waited longest is next. */
  const mayGoOn = ({ channel: { workspaceId } }: Turn) =>
    !isStopped && turnsTaken <= MOST_TURNS / 2 && !isFull(turnsOf.get(workspaceId) ?? 0);

  const full = () => [...turnsOf].filter(([, taken]) => isFull(taken)).map(([workspaceId]) => workspaceId);

  function count(workspaceId: string, change: 1 | -1): number {
    const taken = (turnsOf.get(workspaceId) ?? 0) + change;
    if (taken === 0) turnsOf.delete(workspaceId);
    else turnsOf.set(workspaceId, taken);
    return taken;
  }

  function leaveRoom(workspaceId: string): void {
    turnsTaken -= 1;
    const left = count(workspaceId, -1);
    // Something may have waited for room.
    if (turnsTaken === MOST_TURNS - 1 || (isFull(left + 1) && !isFull(left))) alarm.by();
  }

  /** Uses the room that was kept for a turn until it's over. @returns as {@link attemptAndRecord} */
  async function inRoom(turn: Turn): Promise<number | undefined> {
    // A slow turn keeps its claim; if the process is gone, the claim expires.
    const renewing = setInterval(() => {
      if (!isStopped) database.write(renewClaim(database, turn.channel, turn.token)).catch(() => undefined);
    }, LEASE_MS / 3);
    attempted.add(turn);
    try {
      return await attemptAndRecord(turn);
    } finally {
      attempted.delete(turn);
      clearInterval(renewing);
      leaveRoom(turn.channel.workspaceId);
    }
  }

  /** What is next in a channel whose turn was kept, once its time has almost come. Room is kept for it. */
  async function nextThere(turn: Turn, opensAt: number): Promise<Turn | undefined> {
    const { workspaceId } = turn.channel;
    await alarm.pause(Math.max(0, opensAt - now() - EARLIER_MS));
    if (isStopped || !mayGoOn(turn)) {
      await turns.giveBack(turn, opensAt);
      alarm.by();
      return undefined;
    }
    turnsTaken += 1;
    count(workspaceId, 1);
    let next: Turn | undefined;
    try {
      next = await turns.next(turn, opensAt);
      return next;
    } finally {
      if (next === undefined) {
        leaveRoom(workspaceId);
        alarm.by();
      }
    }
  }

  /** Uses the room that was kept for a turn, and goes on in its channel for as long as something is due there. */
  function take(first: Turn): void {
    count(first.channel.workspaceId, 1);
    inBackground(first.delivery.id, async () => {
      for (let turn: Turn | undefined = first; turn !== undefined;) {
        const opensAt = await inRoom(turn);
        turn = opensAt === undefined ? undefined : await nextThere(turn, opensAt);
      }
    });
  }

  async function takeTurns(): Promise<void> {
    const room = Math.min(MOST_TAKEN, MOST_TURNS - turnsTaken);
    if (room <= 0) return;
    // Kept, so that no one else takes it while we ask.
    turnsTaken += room;
    let taken = 0;
    try {
      const claimed = await turns.take(room, full());
      taken = claimed.turns.length;
      for (const turn of claimed.turns) take(turn);
      if (claimed.isMore) alarm.by();
      // Due by its time, but what is due there is another program's.
      else if (taken === 0) alarm.by(now() + REST_AFTER_FAILURE_MS);
    } finally {
      turnsTaken -= room - taken;
    }
  }

  function start({ name, run }: Job): void {
    if (running.has(name)) return;
    running.add(name);
    inBackground(name, async () => {
      try {
        await run(hasStopped);
      } catch (error) {
        // What failed is still due.
        report('broken', { id: name }, { error });
        await alarm.pause(REST_AFTER_FAILURE_MS);
      } finally {
        running.delete(name);
        alarm.by();
      }
    });
  }

  const CHANNEL = 'channel';

  /** Asks for the first of everything at once. The jobs are known when the loop starts. */
  const askForAll = (): Sql =>
    [
      ...places.firstDue(isKnown).map((due) => ({ name: CHANNEL, due: () => due })),
      { name: CHANNEL, due: () => firstLeaseEnd },
      ...jobs,
    ]
      .map(({ name, due }) => sql`SELECT ${name} AS what, at FROM (${due()}) AS one`)
      .reduce((before, next) => sql`${before} UNION ALL ${next}`);

  /** @returns when to look again */
  async function look(): Promise<number> {
    const time = now();
    if (hasCome(sweptAt + SWEEP_EVERY_MS, time, SWEEP_EVERY_MS)) {
      sweptAt = time;
      await database.write(forgetEmpty(time), wakeForgotten(time));
    }
    const due = await database.read(
      sql`WITH clock AS (SELECT CAST(${time} AS BIGINT) AS time, CAST(${database.steadyTime()} AS BIGINT) AS steady)
        ${whatIsDue}`,
      Due,
    );
    if (hasStopped()) return time;
    const isDue = (name: string, longestMs = LONGEST_WAIT_MS) =>
      due.some(({ what, at }) => what === name && hasCome(at, time, longestMs));
    for (const job of jobs) if (isDue(job.name, job.longestMs)) start(job);
    if (isDue(CHANNEL)) await takeTurns();
    const later = due.map(({ at }) => at).filter((at) => at > time);
    return Math.min(time + (isAlone ? LONGEST_SLEEP_MS : POLL_MS), ...later);
  }

  async function loop(): Promise<void> {
    while (!hasStopped()) {
      let next = now() + REST_AFTER_FAILURE_MS;
      try {
        next = await look();
      } catch (error) {
        report('broken', { id: 'what is due' }, { error });
      }
      await alarm.sleep(next);
    }
  }

  const wakeSoon = () => alarm.by(now() + SOON_MS);

  return {
    inBackground,
    /** Makes the loop look for what is due. */
    wake: () => alarm.by(),
    /** The same once for all of a burst: for what is hardly ever due. */
    wakeSoon,
    /**
     * Runs a write that accepts deliveries, and begins the turn of the first one in the same commit where there's room for a
     * turn and its channel is due and free.
     *
     * @param write ends with the statements that it's given
     */
    accept: async <Result extends readonly Written[] | undefined>(
      [first = '', ...others]: readonly string[],
      write: (begin: readonly Sql[]) => Promise<Result>,
    ): Promise<Result> => {
      if (isStopped || turnsTaken >= MOST_TURNS) return write([]).finally(wakeSoon);
      turnsTaken += 1;
      let turn: Turn | undefined;
      try {
        const { statements, turnIn } = turns.begin(first, full());
        const written = await write(statements);
        turn = turnIn(written);
        return written;
      } finally {
        if (turn === undefined) turnsTaken -= 1;
        else take(turn);
        if (others.length > 0) alarm.by();
        else if (turn === undefined) wakeSoon();
      }
    },
    start: async (): Promise<void> => {
      isStopped = false;
      whatIsDue = askForAll();
      if (isAlone && takesOver)
        await database.write(clearClaims, ...jobs.flatMap(({ takeOver }) => takeOver?.(now()) ?? []));
      if (takesOver) await doubtUnposted(database);
      stopListening = database.listen(topic, () => alarm.by());
      // What an earlier process left.
      for (const job of jobs) start(job);
      inBackground('deliveries', loop);
    },
    /** Starts nothing more, and takes whatever isn't settled yet for what ended the process. Rejects with a DatabaseError. */
    crashed: async (): Promise<void> => {
      hasCrashed = isStopped = true;
      const claims = Array.from(attempted, ({ token }) => token);
      if (claims.length > 0)
        await database.write(
          sql`UPDATE deliveries SET deaths = deaths + ${DEATHS_BY_ERROR} WHERE state = 'sending' AND claim IN (${join(claims)})`,
        );
    },
    /** Starts nothing more and waits for what is under way. */
    stop: async (): Promise<void> => {
      isStopped = true;
      stopListening?.();
      alarm.end();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
