import { z } from 'zod';
import { rowsOf, sql } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { hasCome } from '../database/row-times.ts';
import type { FanOut } from '../sessions/fan-out.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import type { Subscribers, SubscribedOutcome } from '../sessions/subscribers.ts';
import type { AskForSome } from './asking.ts';
import { LostTurnError, backoff } from './attempt.ts';
import type { Attempt } from './attempt.ts';
import {
  DELIVERIES_TOPIC,
  LEASE_MS,
  LONGEST_WAIT_MS,
  clearClaims,
  firstLeaseEnd,
  renewClaim,
  wakeForgotten,
} from './channels.ts';
import { earliest } from './claims.ts';
import type { Claims, Turn } from './claims.ts';
import { beginProbe, isOnHold, liftHold } from './holds.ts';
import { isNoLoss } from './outcome.ts';
import type { Outcome, RecordOutcome } from './outcome.ts';
import type { RecheckOne } from './rechecks.ts';
import type { Report } from './report.ts';
import { doubtUnposted } from './restored.ts';

/** Most turns under way, in all channels together. */
const MOST_TURNS = 50;
/** Most session ends waiting in memory to be fanned out; the rest are read again from the tables. */
const MOST_ARRIVED = 1_000;
const AT_ONCE = 50;
/** A session end that is this old and has no deliveries was left behind by another process, or by a failure. */
const LEFTOVER_AFTER_MS = 5_000;
/** Timers don't notice when the clock is put back, so a long sleep is split into naps. */
const LONGEST_NAP_MS = 60_000;
/** If several processes share the tables, what another one accepts is noticed within this time. */
const POLL_MS = 2_000;
const SWEEP_EVERY_MS = 60_000;

interface WorkerParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'toFanOut'>;
  readonly claims: Claims;
  readonly fanOut: FanOut;
  readonly attempt: Attempt;
  readonly recordOutcome: RecordOutcome;
  readonly askForSome: AskForSome;
  readonly recheckOne: RecheckOne;
  readonly subscribers: Pick<Subscribers, 'onOutcome'>;
  readonly report: Report;
  /** Whether this is the only process that serves these tables: then every claim at its start is left over. */
  readonly isAlone: boolean;
  readonly now: () => number;
  readonly firstWaitMs: number;
}

/** Delivers what waits in the tables: each once, in order, for as long as it takes. */
export interface Worker {
  start(): Promise<void>;
  /** Starts delivering a session end that is on disk. */
  arrived(end: SessionEnd): void;
  /** Starts nothing more and waits for the turns under way. */
  stop(): Promise<void>;
}

const Due = z.object({ what: z.enum(['channel', 'held', 'ask', 'recheck', 'fan-out']), at: z.number() });
type Due = z.infer<typeof Due>;

/** When there is something to do, of each kind. */
const dueTimes = (database: Pick<Database, 'steadyTime'>, time: number) => sql`
  SELECT 'channel' AS what, next_at AS at FROM (SELECT next_at FROM channels
    WHERE next_at IS NOT NULL AND claim IS NULL AND NOT ${isOnHold(sql`channels.workspace_id`)}
    ORDER BY next_at LIMIT 1) AS first_channel
  UNION ALL SELECT 'channel' AS what, ${time} + wait AS at FROM (${firstLeaseEnd(database)}) AS first_lease
  UNION ALL SELECT 'held' AS what, MIN(held_until) AS at FROM workspaces HAVING MIN(held_until) IS NOT NULL
  UNION ALL SELECT 'ask' AS what, at FROM (SELECT due_at AS at FROM deliveries WHERE state = 'asking'
    ORDER BY due_at LIMIT 1) AS first_asking
  UNION ALL SELECT 'recheck' AS what, at FROM (SELECT recheck_at AS at FROM deliveries WHERE recheck_at IS NOT NULL
      AND NOT ${isOnHold(sql`deliveries.workspace_id`)}
    ORDER BY recheck_at LIMIT 1) AS first_recheck
  UNION ALL SELECT 'fan-out' AS what, at FROM (SELECT received_at AS at FROM session_ends WHERE fanned_out_at IS NULL
    ORDER BY received_at LIMIT 1) AS first_left`;

const MAKES_WORK_DUE: ReadonlySet<Outcome['is']> = new Set(['failed', 'moved', 'asking', 'held-workspace']);

/** Whether an outcome makes something due outside the channel's task queue. */
const makesWorkDue = (outcome: Outcome): boolean =>
  MAKES_WORK_DUE.has(outcome.is) || (outcome.is === 'posted' && outcome.isForLeaver === true);

const WorkspaceId = z.object({ id: z.string() });

function outcomeForSubscribers(outcome: Outcome): SubscribedOutcome | undefined {
  switch (outcome.is) {
    case 'posted':
      return { outcome: 'posted' };
    case 'failed':
    case 'skipped':
      return { outcome: outcome.is, reason: outcome.reason };
    case 'asking':
      return { outcome: 'skipped', reason: outcome.reason };
    case 'later':
      return outcome.reason === undefined ? undefined : { outcome: 'later', reason: outcome.reason };
    case 'held-channel':
    case 'held-workspace':
      return { outcome: 'later', reason: outcome.reason };
    case 'moved':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

export function createWorker(parts: WorkerParts): Worker {
  const { database, sessionEnds, claims, fanOut, attempt, recordOutcome, askForSome, recheckOne } = parts;
  const { subscribers, report, isAlone, now, firstWaitMs } = parts;
  const arrived: SessionEnd[] = [];
  /** Ids of the session ends that wait in memory or are being fanned out. */
  const inHand = new Set<string>();
  /** While leftovers are read: these, and those that were in hand at any time since the read began. */
  let inHandSinceRead: Set<string> | undefined;
  let leftoversDoneAt = -Infinity;
  /** Until what was left before the start is on its way: what arrives meanwhile waits, so that it overtakes nothing. */
  let isCatchingUp = false;
  const underWay = new Set<Promise<unknown>>();
  let freeTurns = MOST_TURNS;
  let isLooking = false;
  let isFanningOut = false;
  /** When to look next for what is due, milliseconds since 1970. */
  let lookAt = Infinity;
  let sweptAt = -Infinity;
  let startedAt = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = true;
  const { promise: stopping, resolve: signalStop } = Promise.withResolvers<void>();
  const hasStopped = () => isStopped;

  /** Runs work that a stop waits for. Never rejects. */
  function inBackground(what: string, work: () => Promise<unknown>): void {
    const task = work()
      .catch((error: unknown) => {
        report('broken', { id: what, error });
        wakeBy(now() + firstWaitMs);
      })
      .finally(() => underWay.delete(task));
    underWay.add(task);
  }

  /** Makes sure to look by then for what is due. */
  function wakeBy(time: number | undefined): void {
    if (time === undefined || isStopped) return;
    const from = now();
    // The time has passed but its timer is still running: the clock was put forward.
    const isOverdue = lookAt <= from;
    if (!isOverdue && time >= lookAt) return;
    lookAt = isOverdue || time > from + LONGEST_WAIT_MS ? from : time;
    // The look in progress does this when it ends.
    if (isLooking) return;
    clearTimeout(timer);
    timer = setTimeout(look, Math.min(Math.max(0, lookAt - from), LONGEST_NAP_MS));
  }

  /** Waits, unless the app stops first. @returns whether it stopped */
  async function pause(ms: number): Promise<boolean> {
    let nap: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (nap = setTimeout(resolve, ms)));
    await Promise.race([over, stopping]);
    clearTimeout(nap);
    return isStopped;
  }

  /** Retries until the outcome is recorded: posting something that isn't recorded would post it twice. */
  async function untilRecorded(turn: Turn, outcome: Outcome): Promise<number | undefined | 'lost'> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await recordOutcome(turn, outcome);
      } catch (error) {
        report('broken', { id: turn.delivery.id, error });
        if (
          !(error instanceof DatabaseError) ||
          (await pause(Math.min(LEASE_MS / 3, backoff(tries, firstWaitMs))))
        )
          throw error;
      }
    }
  }

  async function reportOutcome({ delivery }: Turn, outcome: Outcome): Promise<void> {
    const { id, workspaceId, kind, end } = delivery;
    const result = outcomeForSubscribers(outcome);
    const subscriptions =
      outcome.is === 'asking' ? delivery.subscriptions.slice(0, 1) : delivery.subscriptions;
    const about = { id, kind, session: end?.sessionId, subscriptions };
    const error = outcome.is === 'later' ? outcome.error : undefined;
    if (result === undefined) {
      if (error !== undefined) report('broken', { ...about, error });
      return;
    }
    const wasThere = outcome.is === 'posted' && outcome.wasThere === true ? { wasThere: true as const } : {};
    const reason = 'reason' in result ? { reason: result.reason } : {};
    // The outcome as it's recorded.
    const ended = result.outcome === 'failed' && isNoLoss(delivery) ? 'skipped' : result.outcome;
    report(ended, { ...about, ...reason, ...wasThere, error });
    if (subscriptions.length === 0) return;
    try {
      await subscribers.onOutcome(workspaceId, subscriptions, result);
    } catch (failure) {
      // The delivery itself arrived, so trying again would double it.
      report('broken', { ...about, error: failure });
    }
  }

  async function attemptAndRecord(turn: Turn): Promise<void> {
    let outcome: Outcome;
    try {
      outcome = await attempt(turn);
    } catch (error) {
      if (error instanceof LostTurnError) return;
      const at = now() + backoff(turn.delivery.attempts, firstWaitMs);
      outcome = { is: 'later', at, isUnclear: turn.delivery.attemptedAt !== turn.claimedAt, error };
    }
    const nextAt = await untilRecorded(turn, outcome);
    if (nextAt === 'lost') return;
    wakeBy(nextAt);
    if (makesWorkDue(outcome) || turn.isProbe !== undefined) wakeBy(now());
    await reportOutcome(turn, outcome);
  }

  /** Uses one of the free turns, and gives it back when the turn is over. */
  function take(turn: Turn): void {
    inBackground(turn.delivery.id, async () => {
      // A slow turn keeps its claim; if the process is gone, the claim expires.
      const renewing = setInterval(() => {
        if (!isStopped) database.write(renewClaim(database, turn.channel, turn.token)).catch(() => undefined);
      }, LEASE_MS / 3);
      try {
        await attemptAndRecord(turn);
      } finally {
        clearInterval(renewing);
        freeTurns += 1;
        // Something may have waited for a free turn.
        if (freeTurns === 1) wakeBy(now());
      }
    });
  }

  function takeInHand({ id }: SessionEnd): void {
    inHand.add(id);
    inHandSinceRead?.add(id);
  }

  async function fanOutOne(end: SessionEnd): Promise<void> {
    takeInHand(end);
    const mayClaim = freeTurns > 0;
    if (mayClaim) freeTurns -= 1;
    let turn: Turn | undefined;
    try {
      const made = await fanOut(end, mayClaim);
      turn = made?.turn;
      wakeBy(made?.nextAt);
    } catch (error) {
      // It's on disk, and will be found there.
      report('broken', { id: end.id, session: end.sessionId, error });
      wakeBy(now() + LEFTOVER_AFTER_MS);
    } finally {
      inHand.delete(end.id);
    }
    if (turn !== undefined) take(turn);
    else if (mayClaim) freeTurns += 1;
  }

  function fanOutArrived(): void {
    if (isFanningOut || isCatchingUp || isStopped || arrived.length === 0) return;
    isFanningOut = true;
    inBackground('session ends', async () => {
      try {
        while (arrived.length > 0 && !hasStopped())
          await Promise.all(arrived.splice(0, AT_ONCE).map((end) => fanOutOne(end)));
      } finally {
        isFanningOut = false;
      }
    });
  }

  const leftoversUntil = () => Math.max(startedAt, now() - LEFTOVER_AFTER_MS);

  /** Picks up what an earlier process left, what another accepted, and what a failure cut off. */
  async function fanOutAllLeft(): Promise<void> {
    const until = leftoversUntil();
    let page: readonly SessionEnd[] = [];
    do {
      // One that is in hand now can still be read as left behind, though it's fanned out before the answer is here.
      const known = new Set(inHand);
      inHandSinceRead = known;
      try {
        page = await sessionEnds.toFanOut(until, AT_ONCE, page.at(-1));
      } finally {
        inHandSinceRead = undefined;
      }
      await Promise.all(page.filter(({ id }) => !known.has(id)).map((end) => fanOutOne(end)));
    } while (page.length === AT_ONCE && !hasStopped());
    leftoversDoneAt = now();
    isCatchingUp = false;
    fanOutArrived();
  }

  function fanOutLeftovers(): void {
    // What failed is still there, and is due all the time.
    const next = leftoversDoneAt + LEFTOVER_AFTER_MS;
    if (!hasCome(next, now(), LEFTOVER_AFTER_MS)) wakeBy(next);
    else startJob('leftovers', fanOutAllLeft);
  }

  /** Tries one delivery of a workspace on hold, to see whether Slack accepts its token again. */
  async function probe(): Promise<void> {
    const [written] = await database.write(beginProbe(now()));
    for (const { id } of rowsOf(written, WorkspaceId)) {
      const { turns } = await claims.take(1, id);
      const [turn] = turns;
      if (turn === undefined) {
        await database.write(liftHold(id));
        wakeBy(now());
      } else {
        freeTurns -= 1;
        take(turn);
      }
    }
  }

  async function takeTurns(): Promise<void> {
    const wanted = freeTurns;
    if (wanted <= 0) return;
    // Reserved, so that no one else takes them while we ask.
    freeTurns -= wanted;
    let taken = 0;
    try {
      const { turns, isMore } = await claims.take(wanted);
      for (const turn of turns) take(turn);
      taken = turns.length;
      if (isMore) wakeBy(now());
    } finally {
      freeTurns += wanted - taken;
    }
  }

  async function sweep(): Promise<void> {
    if (!hasCome(sweptAt + SWEEP_EVERY_MS, now(), SWEEP_EVERY_MS)) return;
    sweptAt = now();
    await database.write(wakeForgotten(now()));
  }

  const jobs = new Set<string>();
  /** One of a kind at a time, without holding up anything else. */
  function startJob(name: string, work: () => Promise<void>): void {
    if (jobs.has(name) || isStopped) return;
    jobs.add(name);
    inBackground(name, async () => {
      try {
        await work();
      } finally {
        jobs.delete(name);
      }
      wakeBy(now());
    });
  }

  function ask(): void {
    startJob('asking', askForSome);
  }

  function recheck(): void {
    startJob('rechecks', async () => {
      // One after the other: Slack lets us read a history about once a second.
      while (!hasStopped() && (await recheckOne()));
    });
  }

  async function lookOnce(): Promise<void> {
    await sweep();
    const time = now();
    const due = await database.read(dueTimes(database, time), Due);
    const isDue = (what: Due['what'], until = time) =>
      due.some((one) => one.what === what && hasCome(one.at, until, LONGEST_WAIT_MS));
    if (isCatchingUp || isDue('fan-out', leftoversUntil())) fanOutLeftovers();
    if (isDue('held')) await probe();
    if (isDue('channel')) await takeTurns();
    if (isDue('ask')) ask();
    if (isDue('recheck')) recheck();
    const later = due
      .map(({ what, at }) => (what === 'fan-out' ? at + LEFTOVER_AFTER_MS : at))
      .filter((at) => at > time);
    wakeBy(earliest([...later, time + (isAlone ? LONGEST_NAP_MS : POLL_MS)]));
  }

  function look(): void {
    if (isStopped) return;
    isLooking = true;
    lookAt = Infinity;
    inBackground('what is due', async () => {
      try {
        await lookOnce();
      } finally {
        isLooking = false;
        const next = lookAt;
        lookAt = Infinity;
        wakeBy(next);
      }
    });
  }

  let stopListening: (() => void) | undefined;

  return {
    async start() {
      isStopped = false;
      if (isAlone) {
        await database.write(
          clearClaims,
          sql`UPDATE deliveries SET due_at = ${now()}
          WHERE state = 'asking' AND claim IS NOT NULL`,
        );
      }
      await doubtUnposted(database);
      startedAt = now();
      isCatchingUp = true;
      fanOutLeftovers();
      stopListening = database.listen(DELIVERIES_TOPIC, () => wakeBy(now()));
      wakeBy(now());
    },
    arrived(end) {
      if (isStopped) return;
      if (arrived.length < MOST_ARRIVED) {
        takeInHand(end);
        arrived.push(end);
      } else wakeBy(now() + LEFTOVER_AFTER_MS);
      fanOutArrived();
    },
    async stop() {
      isStopped = true;
      stopListening?.();
      clearTimeout(timer);
      signalStop();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
