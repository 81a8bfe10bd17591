import { z } from 'zod';
import { DatabaseError, join, sql, type Sql } from '../database/database.ts';
import { createBackground, type Background } from '../lifecycle/concurrency.ts';
import { createAlarm, type Alarm } from '../lifecycle/repeating.ts';
import { attempt, type AttemptParts } from './attempt.ts';
import {
  DELIVERIES_TOPIC,
  LEASE_MS,
  backoff,
  claimTurns,
  clearClaims,
  firstChannelDue,
  renewTurn,
  type Turn,
} from './channels.ts';
import { recordOutcome, type Outcome } from './outcome.ts';
import { markUnposted } from './retention.ts';

/** Turns under way, in all channels together. */
const MOST_TURNS = 100;
/** Where Slack is slow for one workspace, the others' posts still go out. */
const MOST_OF_ONE = 50;
/** In one look, and they may all be one workspace's. */
const MOST_TAKEN = 10;
/** When another process's deliveries are noticed at the latest. */
const POLL_MS = 2_000;
const LONGEST_SLEEP_MS = 60_000;
const REST_AFTER_FAILURE_MS = 1_000;

/** One of a name runs at a time. */
export interface Job {
  readonly name: string;
  /**
   * A query for when it's due, as `at`, milliseconds since 1970; no row if it isn't. It can join `clock`, one row with the
   * `time` of day and the `steady` time that claims go by.
   */
  readonly nextRun: Sql;
  /** False where it left something undone: then it rests for a second. */
  readonly run: (isStopped: () => boolean) => Promise<unknown>;
  /** Takes over what an earlier process had claimed, for the only one that serves the database. */
  readonly recoverStale?: Sql;
}

interface WorkerParts extends AttemptParts {
  /** Rooms add theirs until it starts. */
  readonly jobs: readonly Job[];
  readonly singleProcess: boolean;
}

type Running = 'no' | 'yes' | 'crashed';

const SETTLED: ReadonlySet<Outcome['is']> = new Set(['posted', 'failed', 'skipped']);

/** @param isRunning whether more may begin */
function createTurns(parts: WorkerParts, alarm: Alarm, isRunning: () => Running) {
  const { database, telling, now } = parts;
  const turns = new Set<Turn>();

  /** Retries until the outcome is recorded: posting what isn't recorded would post it twice. False where the turn was lost. */
  async function untilRecorded(turn: Turn, outcome: Outcome): Promise<boolean> {
    let mayBeRecorded = false;
    for (let tries = 1; ; tries += 1) {
      try {
        // Else by the write whose answer was lost.
        return (await recordOutcome(parts, turn, outcome)) || mayBeRecorded;
      } catch (error) {
        mayBeRecorded ||= error instanceof DatabaseError && error.kind === 'unknown';
        telling.report('broken', turn.delivery, { error });
        if (!(error instanceof DatabaseError)) return false;
        await alarm.pause(Math.min(LEASE_MS / 3, backoff(tries)));
        if (isRunning() !== 'yes') return false;
      }
    }
  }

  const full = (): readonly string[] =>
    [...Map.groupBy(turns, ({ delivery }) => delivery.workspaceId)].flatMap(([workspaceId, its]) =>
      its.length > MOST_OF_ONE - MOST_TAKEN ? [workspaceId] : [],
    );

  async function work(turn: Turn): Promise<void> {
    // A slow turn keeps its claim; if the process is gone, the claim expires.
    const renewing = setInterval(() => {
      if (isRunning() === 'yes') renewTurn(database, turn).catch(() => undefined);
    }, LEASE_MS / 3);
    turns.add(turn);
    try {
      const outcome = await attempt(parts, turn);
      // After a crash it keeps counting as under way, since it may be what ended the process.
      if (isRunning() === 'crashed' && !SETTLED.has(outcome.is)) return;
      if (await untilRecorded(turn, outcome)) await telling.notifyOutcome(turn.delivery, outcome);
    } finally {
      clearInterval(renewing);
      turns.delete(turn);
      alarm.wake();
    }
  }

  return {
    full,
    /** @returns when to look again, milliseconds since 1970 */
    async take(underWay: Background): Promise<number> {
      const limit = Math.min(MOST_TAKEN, MOST_TURNS - turns.size);
      if (limit <= 0) return Infinity;
      const claimed = await claimTurns(database, limit, full(), now());
      if (isRunning() === 'crashed') return Infinity;
      for (const turn of claimed.turns) underWay.start(() => work(turn));
      // Nothing was claimed: another process was faster.
      return claimed.count > 0 ? now() : now() + REST_AFTER_FAILURE_MS;
    },
  };
}

const Due = z.object({ what: z.string(), at: z.number() });
const CHANNELS = 'channels';

function nextRuns({ database, jobs, now }: WorkerParts, full: readonly string[]): Sql {
  const steadyTime = database.steadyTime();
  const clock = sql`SELECT CAST(${now()} AS BIGINT) AS time, CAST(${steadyTime} AS BIGINT) AS steady`;
  const all = [{ name: CHANNELS, nextRun: firstChannelDue(steadyTime, full) }, ...jobs];
  const each = all.map(({ name, nextRun }) => sql`SELECT ${name} AS what, at FROM (${nextRun}) AS one`);
  return sql`WITH clock AS (${clock}) ${join(each, ' UNION ALL ')}`;
}

/** Delivers what waits in the tables, each once and in order. */
export function createWorker(parts: WorkerParts) {
  const { database, jobs, telling, singleProcess, now } = parts;
  const { report } = telling;
  const alarm = createAlarm(now);
  const underWay = createBackground((error) => report('broken', { id: 'deliveries' }, { error }));
  const runningJobs = new Set<string>();
  let running: Running = 'no';
  const hasStopped = () => running !== 'yes';
  const turns = createTurns(parts, alarm, () => running);
  let stopListening: (() => void) | undefined;

  function start({ name, run }: Job): void {
    if (runningJobs.has(name)) return;
    runningJobs.add(name);
    underWay.start(async () => {
      try {
        if ((await run(hasStopped)) === false) await alarm.pause(REST_AFTER_FAILURE_MS);
      } catch (error) {
        report('broken', { id: name }, { error });
        await alarm.pause(REST_AFTER_FAILURE_MS);
      } finally {
        runningJobs.delete(name);
        alarm.wake();
      }
    });
  }

  async function look(): Promise<number> {
    const due = await database.read(nextRuns(parts, turns.full()), Due);
    const time = now();
    if (hasStopped()) return time;
    const isDue = (name: string) => due.some(({ what, at }) => what === name && at <= time);
    for (const job of jobs) if (isDue(job.name)) start(job);
    const later = due.map(({ at }) => at).filter((at) => at > time);
    if (isDue(CHANNELS)) later.push(await turns.take(underWay));
    return Math.min(time + (singleProcess ? LONGEST_SLEEP_MS : POLL_MS), ...later);
  }

  async function loop(): Promise<void> {
    while (!hasStopped()) {
      const next = await look().catch((error: unknown) => {
        report('broken', { id: 'what is due' }, { error });
        return now() + REST_AFTER_FAILURE_MS;
      });
      await alarm.sleep(next);
    }
  }

  return {
    wake: (): void => alarm.wake(),
    start: async (): Promise<void> => {
      running = 'yes';
      if (singleProcess)
        await database.write(clearClaims, ...jobs.flatMap(({ recoverStale }) => recoverStale ?? []));
      await markUnposted(database);
      stopListening = database.listen(DELIVERIES_TOPIC, () => alarm.wake());
      // What an earlier process left.
      for (const job of jobs) start(job);
      underWay.start(loop);
    },
    /** Starts nothing more, and takes what isn't settled for what ended the process. */
    crashed: () => void (running = 'crashed'),
    /** Starts nothing more and waits for what is under way. */
    stop: async (): Promise<void> => {
      if (running === 'yes') running = 'no';
      stopListening?.();
      alarm.end();
      await underWay.idle();
    },
  };
}
