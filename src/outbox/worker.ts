import { z } from 'zod';
import { join, sql, type Database, type Sql } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { createAlarm } from '../lifecycle/repeating.ts';
import { DEATHS_BY_ERROR, outcomeUnknown, type Attempt } from './attempt.ts';
import {
  DELIVERIES_TOPIC,
  backoff,
  LEASE_MS,
  LostTurnError,
  RENEW_AFTER_MS,
  claimTurns,
  clearClaims,
  firstChannelDue,
  renewTurn,
  type Turn,
} from './channels.ts';
import type { Outcome, Telling, createRecordOutcome } from './outcome.ts';
import { markUnposted } from './retention.ts';

/** Most turns under way, in all channels together. */
const MOST_TURNS = 100;
/** Most of one workspace: where Slack is slow for one, the others' posts still go out. */
const MOST_OF_ONE = 50;
/** Turns taken together: they may all be one workspace's. */
const MOST_TAKEN = 10;
/** If several processes share the tables, what another one accepts is noticed within this time. */
const POLL_MS = 2_000;
const LONGEST_SLEEP_MS = 60_000;
const REST_AFTER_FAILURE_MS = 1_000;

/** What is done beside the turns, one of a name at a time. */
export interface Job {
  readonly name: string;
  /**
   * A query for when it's due, as `at`, milliseconds since 1970; no row if it isn't. It can join `clock`, one row with the
   * `time` of day and the `steady` time that claims go by.
   */
  readonly nextRun: () => Sql;
  /** Does what is due. */
  readonly run: (isStopped: () => boolean) => Promise<void>;
  /** Takes over what an earlier process had claimed, for the only one that serves the database. */
  readonly recoverStale?: (time: number) => Sql;
}

const SETTLED: ReadonlySet<Outcome['is']> = new Set(['posted', 'failed', 'skipped']);

const Due = z.object({ what: z.string(), at: z.number() });
const CHANNELS = 'channels';

/**
 * Delivers what waits in the tables: each once, in order, for as long as it takes. One loop: it asks the tables what is due,
 * takes what there is room for, and sleeps until the next thing is due or somebody says that there is something.
 */
export function createWorker({
  database,
  jobs,
  attempt,
  recordOutcome,
  telling,
  singleProcess,
  now,
}: {
  readonly database: Database;
  /** Complete when it starts. */
  readonly jobs: readonly Job[];
  readonly attempt: Attempt;
  readonly recordOutcome: ReturnType<typeof createRecordOutcome>;
  readonly telling: Telling;
  /** Whether this is the only process that serves the database. */
  readonly singleProcess: boolean;
  readonly now: () => number;
}) {
  const { report } = telling;
  const alarm = createAlarm(now);
  /** Whatever a stop waits for. */
  const underWay = new Set<Promise<void>>();
  const running = new Set<string>();
  const turns = new Set<Turn>();
  let isStopped = true;
  let hasCrashed = false;
  const hasStopped = () => isStopped;
  let stopListening: (() => void) | undefined;

  /** Runs work that a stop waits for. Never rejects. */
  function inBackground(what: string, begin: () => Promise<unknown>): void {
    const task = begin()
      .catch((error: unknown) => report('broken', { id: what }, { error }))
      .then(() => void underWay.delete(task));
    underWay.add(task);
  }

  /** Retries until the outcome is recorded: posting something that isn't recorded would post it twice. @returns as it does */
  async function untilRecorded(turn: Turn, outcome: Outcome): Promise<boolean> {
    let mayBeRecorded = false;
    for (let tries = 1; ; tries += 1) {
      try {
        // Otherwise by the write whose answer was lost.
        return (await recordOutcome(turn, outcome)) || mayBeRecorded;
      } catch (error) {
        mayBeRecorded ||= error instanceof DatabaseError && error.kind === 'unknown';
        report('broken', turn.delivery, { error });
        if (!(error instanceof DatabaseError)) throw error;
        await alarm.pause(Math.min(LEASE_MS / 3, backoff(tries)));
        if (isStopped) throw error;
      }
    }
  }

  async function attempted(turn: Turn): Promise<Outcome | undefined> {
    try {
      return await attempt(turn);
    } catch (error) {
      if (error instanceof LostTurnError) return undefined;
      const at = now() + backoff(turn.delivery.attempts);
      return { is: 'later', at, isUnclear: outcomeUnknown(turn), error };
    }
  }

  async function work(turn: Turn): Promise<void> {
    // A slow turn keeps its claim; if the process is gone, the claim expires.
    const renewing = setInterval(() => {
      if (!isStopped) renewTurn(database, turn).catch(() => undefined);
    }, RENEW_AFTER_MS);
    turns.add(turn);
    try {
      const outcome = await attempted(turn);
      // After a crash it may be what ended the process, so it keeps counting as under way.
      if (outcome === undefined || (hasCrashed && !SETTLED.has(outcome.is))) return;
      if (await untilRecorded(turn, outcome)) await telling.tellOutcome(turn.delivery, outcome);
    } finally {
      clearInterval(renewing);
      turns.delete(turn);
      // More may be due in its channel, or have waited for room.
      alarm.by();
    }
  }

  /** The workspaces that may have no more turns. */
  const full = (): readonly string[] =>
    [...Map.groupBy(turns, ({ channel }) => channel.workspaceId)].flatMap(([workspaceId, its]) =>
      its.length > MOST_OF_ONE - MOST_TAKEN ? [workspaceId] : [],
    );

  /** @returns when to look again, milliseconds since 1970: whatever ends makes room, too */
  async function takeTurns(): Promise<number> {
    const limit = Math.min(MOST_TAKEN, MOST_TURNS - turns.size);
    if (limit <= 0) return Infinity;
    const claimed = await claimTurns(database, { limit, full: full(), time: now() });
    for (const turn of claimed.turns) inBackground(turn.delivery.id, () => work(turn));
    return claimed.count > 0 ? now() : now() + REST_AFTER_FAILURE_MS;
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

  /** Asks for the first of everything at once. */
  const whatIsDue = (): Sql => {
    const clock = sql`SELECT CAST(${now()} AS BIGINT) AS time, CAST(${database.steadyTime()} AS BIGINT) AS steady`;
    const all = [{ name: CHANNELS, nextRun: () => firstChannelDue(database, full()) }, ...jobs];
    const each = all.map(({ name, nextRun }) => sql`SELECT ${name} AS what, at FROM (${nextRun()}) AS one`);
    return sql`WITH clock AS (${clock}) ${join(each, ' UNION ALL ')}`;
  };

  /** @returns when to look again */
  async function look(): Promise<number> {
    const due = await database.read(whatIsDue(), Due);
    const time = now();
    if (hasStopped()) return time;
    const isDue = (name: string) => due.some(({ what, at }) => what === name && at <= time);
    for (const job of jobs) if (isDue(job.name)) start(job);
    const later = due.map(({ at }) => at).filter((at) => at > time);
    if (isDue(CHANNELS)) later.push(await takeTurns());
    return Math.min(time + (singleProcess ? LONGEST_SLEEP_MS : POLL_MS), ...later);
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

  return {
    inBackground,
    /** Makes the loop look for what is due. */
    wake: () => alarm.by(),
    start: async (): Promise<void> => {
      isStopped = false;
      if (singleProcess)
        await database.write(clearClaims, ...jobs.flatMap(({ recoverStale }) => recoverStale?.(now()) ?? []));
      await markUnposted(database);
      stopListening = database.listen(DELIVERIES_TOPIC, () => alarm.by());
      // What an earlier process left.
      for (const job of jobs) start(job);
      inBackground('deliveries', loop);
    },
    /** Starts nothing more, and takes whatever isn't settled yet for what ended the process. Rejects with a DatabaseError. */
    crashed: async (): Promise<void> => {
      hasCrashed = isStopped = true;
      const claims = Array.from(turns, ({ token }) => token);
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
