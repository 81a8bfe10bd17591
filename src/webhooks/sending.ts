import { hasChanged, rowsOf, sql, steadyTimeIn, type Database, type Sql } from '../database/database.ts';
import { backoff } from '../outbox/channels.ts';
import { createAlarm, repeat } from '../lifecycle/repeating.ts';
import { isOnHold } from '../workspaces/holds.ts';
import { AddressDue, addressColumns, isNamed, isPaused, type WebhookAddress } from './addresses.ts';
import { attempt, type AttemptParts, type WebhookOutcome } from './attempt.ts';
import { MessageRow, isStillClaimed, messageColumns, type WebhookMessage } from './queue.ts';

/** Messages under way to an address at once, of all processes together; one where it's paused. */
const MOST_AT_ONCE = 5;
/** Messages under way at once from this process. */
const MOST_UNDER_WAY = 200;
/** Longer than asking about a message and sending it take. */
const LEASE_MS = 60_000;
/** What is due and can't be sent yet, behind another of its link or other processes', is looked for again after this. */
const AGAIN_MS = 1_000;
/** If several processes share the tables, what another one queues is noticed within this time. */
const POLL_MS = 2_000;
const SET_ASIDE_EVERY_MS = 60_000;
/** What has waited for longer is set aside. */
const LONGEST_WAITING_MS = 7 * 24 * 60 * 60_000;
/** How long a message is kept that was sent, set aside or dropped. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** Tells senders in all processes that something may be due. */
const TOPIC = 'webhooks';

export const removeOldMessages = (until: number, limit: number): Sql =>
  sql`DELETE FROM webhook_messages WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM webhook_messages
    WHERE settled_at <= ${until - KEPT_MS} LIMIT ${limit})`;

/** Called with the outcome of every attempt, for log and metrics; `broken` is the database's failure, or a bug of ours. */
export type ReportWebhook = (
  outcome: WebhookOutcome['is'] | 'broken',
  about: { readonly id: string } & Partial<Pick<WebhookMessage, 'workspaceId' | 'addressId'>>,
  detail: { readonly host?: string; readonly reason?: string; readonly error?: unknown },
) => void;

export interface SendingParts extends AttemptParts {
  readonly wakeSlack: () => void;
  readonly singleProcess: boolean;
  readonly report: ReportWebhook;
}

const roomAt = (address: WebhookAddress, time: number): number =>
  isPaused(address, time) ? 1 : MOST_AT_ONCE;

const isFree = (database: Database): Sql =>
  sql`state = 'waiting' AND (claimed_until IS NULL OR claimed_until <= ${database.steadyTime()})`;

/** As many as there's room for, one per link. If paused, never-tried ones first: one bad message can't keep it paused. */
async function claim(database: Database, address: WebhookAddress, time: number) {
  const isIts = sql`workspace_id = ${address.workspaceId} AND address_id = ${address.id}`;
  const room = roomAt(address, time);
  const [, claimed] = await database.write(
    // One process after the other: the next statement sees what the one before it has claimed.
    sql`UPDATE webhook_addresses SET version = version WHERE ${isNamed(address)}`,
    sql`UPDATE webhook_messages SET claimed_until = ${steadyTimeIn(database, LEASE_MS)}, attempts = attempts + 1,
        deaths = CASE WHEN claimed_until IS NULL THEN deaths ELSE deaths + 1 END
      WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM webhook_messages AS first
        WHERE ${isIts} AND ${isFree(database)} AND due_at <= ${time}
          AND NOT EXISTS (SELECT 1 FROM webhook_messages AS earlier WHERE earlier.workspace_id = first.workspace_id
            AND earlier.address_id = first.address_id AND earlier.link_id = first.link_id
            AND earlier.number < first.number AND earlier.state = 'waiting')
        ORDER BY ${room === 1 ? sql`attempts, due_at` : sql`due_at, number`}
        LIMIT (SELECT CASE WHEN COUNT(*) < ${room} THEN ${room} - COUNT(*) ELSE 0 END FROM webhook_messages
          WHERE ${isIts} AND state = 'waiting' AND claimed_until > ${database.steadyTime()}))
      RETURNING ${messageColumns}`,
  );
  return rowsOf(claimed, MessageRow);
}

/** Writes what came of a message, unless its claim is another process's by now. */
async function record(database: Database, message: WebhookMessage, outcome: WebhookOutcome, time: number) {
  const { is, reason, also = [] } = outcome;
  const change =
    is === 'later'
      ? sql`due_at = ${time + backoff(message.attempts)}`
      : sql`state = ${is}, settled_at = ${time}`;
  const written = await database.writeIf(
    sql`UPDATE webhook_messages SET ${change}, reason = ${reason ?? null}, deaths = 0, claimed_until = NULL
      WHERE ${isStillClaimed(message)}`,
    ...also,
  );
  return written?.some(hasChanged) === true;
}

/** Where something waits that nobody is sending, and when it can be sent. */
function addressesDue(database: Database) {
  const isHere = sql`message.workspace_id = webhook_addresses.workspace_id
    AND message.address_id = webhook_addresses.id AND ${isFree(database)}`;
  return database.read(
    sql`SELECT * FROM (SELECT ${addressColumns}, (SELECT MIN(due_at) FROM webhook_messages AS message WHERE ${isHere}) AS due_at
        FROM webhook_addresses WHERE off_at IS NULL AND NOT ${isOnHold(sql`webhook_addresses.workspace_id`)}) AS found
      WHERE due_at IS NOT NULL ORDER BY due_at`,
    AddressDue,
  );
}

/** Sets aside what waited too long, with why it wasn't taken, if it was tried. */
const setAsideOld = (time: number): Sql =>
  sql`UPDATE webhook_messages SET state = 'failed', reason = COALESCE(reason, 'waited_too_long'), settled_at = ${time}, claimed_until = NULL
    WHERE state = 'waiting' AND queued_at <= ${time - LONGEST_WAITING_MS} RETURNING ${messageColumns}`;

const triedAgain = (error: unknown): WebhookOutcome => ({ is: 'later', error });

/** Messages that this process is sending. @param wake called when one of them is done */
function createUnderWay(parts: SendingParts, wake: () => void) {
  const { database, wakeSlack, now, report } = parts;
  const underWay = new Map<WebhookMessage, Promise<void>>();
  let hasCrashed = false;

  async function work(message: WebhookMessage, { host }: WebhookAddress): Promise<void> {
    try {
      const outcome = await attempt(parts, message).catch(triedAgain);
      const { is, reason, error, tellsOwner = false } = outcome;
      // It may be what ended the process, so it keeps counting as under way.
      if (hasCrashed && is === 'later') return;
      if (!(await record(database, message, outcome, now()))) return;
      report(is === 'later' && reason === undefined ? 'broken' : is, message, { host, reason, error });
      if (tellsOwner) wakeSlack();
    } catch (error) {
      // It's tried again once its claim is over.
      report('broken', message, { host, error });
    } finally {
      underWay.delete(message);
      wake();
    }
  }

  return {
    /** Whether it can't be sent more: whatever ends next makes room, and the loop looks again. */
    isBusy: (address: WebhookAddress): boolean =>
      underWay.size >= MOST_UNDER_WAY ||
      [...underWay.keys()].filter(({ addressId }) => addressId === address.id).length >=
        roomAt(address, now()),
    begin: (message: WebhookMessage, address: WebhookAddress): void =>
      void underWay.set(message, work(message, address)),
    crashed: () => void (hasCrashed = true),
    end: () => Promise.all(underWay.values()),
  };
}

/** Sends what waits, at least once (a repeat has the same `webhook-id`): in order for a link, five at once to an address. */
export function createWebhookSending(parts: SendingParts) {
  const { singleProcess, now, report } = parts;
  const database = parts.database.inBackground();
  const alarm = createAlarm(now);
  const underWay = createUnderWay({ ...parts, database }, () => alarm.wake());
  let isStopped = false;
  const isRunning = () => !isStopped;
  let running: Promise<void> | undefined;
  let stopListening: (() => void) | undefined;

  /** Sends what can be sent. @returns when to look again */
  async function round(): Promise<number> {
    let next = Infinity;
    for (const { dueAt, ...address } of await addressesDue(database)) {
      const at = Math.max(dueAt, address.heldUntil ?? 0);
      if (at > now()) next = Math.min(next, at);
      else if (!underWay.isBusy(address) && isRunning()) {
        next = Math.min(next, now() + AGAIN_MS);
        for (const message of await claim(database, address, now())) underWay.begin(message, address);
      }
    }
    return next;
  }

  async function run(): Promise<void> {
    while (isRunning()) {
      const next = await round().catch((error: unknown) => {
        report('broken', { id: 'what is due' }, { error });
        return now() + AGAIN_MS;
      });
      await alarm.sleep(singleProcess ? next : Math.min(next, now() + POLL_MS));
    }
  }

  async function setAside(): Promise<void> {
    const [old] = await database.write(setAsideOld(now()));
    for (const message of rowsOf(old, MessageRow)) report('failed', message, { reason: 'waited_too_long' });
  }
  const notSetAside = (error: unknown) => report('broken', { id: 'what waited too long' }, { error });
  const settingAside = repeat(() => setAside().catch(notSetAside), SET_ASIDE_EVERY_MS);

  return {
    wake: () => alarm.wake(),
    /** Makes all processes look for what is due. */
    wakeAll: () => database.notify(TOPIC, ''),
    async start(): Promise<void> {
      // What the process before was sending: over, and counted as its death.
      if (singleProcess)
        await database.write(
          sql`UPDATE webhook_messages SET claimed_until = 0 WHERE claimed_until IS NOT NULL`,
        );
      stopListening = database.listen(TOPIC, () => alarm.wake());
      running = run();
      settingAside.start();
    },
    /** Starts nothing more, and takes whatever isn't settled yet for what ended the process. */
    crashed(): void {
      isStopped = true;
      underWay.crashed();
    },
    async stop(): Promise<void> {
      isStopped = true;
      stopListening?.();
      alarm.end();
      await settingAside.stop();
      await running;
      await underWay.end();
    },
  };
}
