import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import { list as listed, rowsOf, sql } from '../database/database.ts';
import type { Database, Sql, Written } from '../database/database.ts';
import { Subscription } from './subscription.ts';
import type { UnreadableSubscription } from './subscription.ts';

const PAGE = 500;
/** Workspaces whose subscriptions stay in memory: each has 500 at most. */
const MOST_KNOWN = 100;
/** How often a change is retried if another one was faster. */
const MOST_TRIES = 10;

/** What a subscription is set up with. */
export type NewSubscription = Omit<Subscription, 'id' | 'paused' | 'noticeDue' | 'notice'>;

/** The audit entry of a change, if it has one: written together with it, and reported once that is durable. */
export type EntryOf = (changed: Subscription) => PreparedEntry | undefined;

/** A digest that is due. */
export interface DueDigest {
  readonly subscription: Subscription;
  readonly nextAt: number;
  /** How many came before it. No two digests share a number, whatever the clocks say. */
  readonly number: number;
}

/** The subscriptions of all workspaces, in the database. */
export interface SubscriptionRepository {
  /** In the order in which they were set up. */
  of(workspaceId: string): Promise<readonly Subscription[]>;
  /** The same with those that can't be read, perhaps since a newer version of the app wrote them. */
  withUnreadable(workspaceId: string): Promise<readonly (Subscription | UnreadableSubscription)[]>;
  /** The same without reading them again while none was changed; of digests it may be an old `doneUntil`. */
  known(workspaceId: string): Promise<readonly Subscription[]>;
  /** Every subscription there is, read page by page. */
  all(): AsyncGenerator<Subscription>;
  /** Those whose channel doesn't accept posts, the longest paused first. */
  paused(limit: number): Promise<readonly Subscription[]>;
  /** Those with a notice that hasn't been sent. */
  withNoticeDue(limit: number): Promise<readonly Subscription[]>;
  one(workspaceId: string, id: string): Promise<Subscription | undefined>;
  /**
   * Gives it a number that was never used before. A digest replaces its channel's. Undefined if the same one, or the most
   * that a workspace can have, exist by now.
   *
   * @param nextAt when a digest comes first, milliseconds since 1970
   */
  add(
    content: NewSubscription,
    most: number,
    nextAt?: number,
    entryOf?: EntryOf,
  ): Promise<Subscription | undefined>;
  /**
   * Changes a subscription's channel, pause and notices. If another change comes in between, starts over from the new
   * state. Undefined if the subscription no longer exists.
   */
  change(
    workspaceId: string,
    id: string,
    change: (now: Subscription) => Subscription,
    entryOf?: EntryOf,
  ): Promise<Subscription | undefined>;
  /** One that is about to be edited, with its version, which any change raises. */
  forEdit(
    workspaceId: string,
    id: string,
  ): Promise<{ readonly subscription: Subscription; readonly version: number } | undefined>;
  /**
   * Gives it another channel and content, if it still has that version and no other one is the same by then; a digest only
   * if the channel has no other. Undefined if it wasn't changed.
   *
   * @param nextAt when a digest comes next, milliseconds since 1970; undefined leaves its time as it is
   */
  edit(
    before: { readonly workspaceId: string; readonly id: string; readonly version: number },
    content: Pick<Subscription, 'channelId' | 'filters' | 'form' | 'schedule'>,
    nextAt?: number,
    entryOf?: EntryOf,
  ): Promise<Subscription | undefined>;
  /**
   * Pauses these, all in one write, so that whoever set up several hears of them at once. One that is paused already gets
   * the reason, unless it says less. Those whose pause begins.
   */
  pause(
    workspaceId: string,
    ids: readonly string[],
    paused: NonNullable<Subscription['paused']>,
    entryOf: (changed: Subscription) => PreparedEntry,
  ): Promise<readonly Subscription[]>;
  /** Ends the pauses of these, likewise. Whoever never heard of a pause needn't hear that it ended. */
  resume(
    workspaceId: string,
    ids: readonly string[],
    entryOf: (changed: Subscription) => PreparedEntry,
  ): Promise<readonly Subscription[]>;
  /** Moves all of a channel's to its new id. */
  moveChannel(workspaceId: string, from: string, to: string): Promise<void>;
  /** What was removed; undefined if someone else removed it. */
  remove(workspaceId: string, id: string, entryOf?: EntryOf): Promise<Subscription | undefined>;
  /** False if someone else removed it, or it can be read by now. */
  removeUnreadable(
    unreadable: UnreadableSubscription,
    entryOf: (gone: UnreadableSubscription) => PreparedEntry,
  ): Promise<boolean>;
  /**
   * Claims a notice for everything in the same channel of which its owner is due the same, and hasn't been told by someone
   * else. Empty if there is nothing.
   *
   * @param again whether a notice with this id was started before: then it's only what that one was about
   */
  claimNotice(
    subscription: Subscription,
    notice: NonNullable<Subscription['notice']>,
    time: number,
    again: boolean,
  ): Promise<readonly Subscription[]>;
  /** Digests that are due by then, the longest due first. */
  due(until: number, limit: number): Promise<readonly DueDigest[]>;
  /** Digests that a clock far ahead has sent: their period ends after `now`. */
  early(now: number, limit: number): Promise<readonly DueDigest[]>;
}

/**
 * Records that a digest is sent and when the next one is due. As the condition of a write, it lets only one of several
 * processes send it.
 */
export const advanceDigest = (
  { subscription: { workspaceId, id }, nextAt, number }: DueDigest,
  next: { readonly doneUntil: number | undefined; readonly nextAt: number },
): Sql =>
  sql`UPDATE subscriptions SET done_until = ${next.doneUntil ?? null}, next_at = ${next.nextAt}, digests = digests + 1
    WHERE workspace_id = ${workspaceId} AND number = ${Number(id)} AND next_at = ${nextAt} AND digests = ${number}`;

const columns = sql`workspace_id, number, channel_id, set_up_by, set_up_at, filter, form, schedule, next_at, done_until,
  digests, paused_reason, paused_since, notice_due, notice_about, notice_id, notice_since, notice_until, version`;

const Row = z.object({
  workspace_id: z.string(),
  number: z.number(),
  channel_id: z.string(),
  set_up_by: z.string(),
  set_up_at: z.number(),
  filter: z.string(),
  form: z.string(),
  schedule: z.string().nullable(),
  next_at: z.number().nullable(),
  done_until: z.number().nullable(),
  digests: z.number(),
  paused_reason: z.string().nullable(),
  paused_since: z.number().nullable(),
  notice_due: z.string().nullable(),
  notice_about: z.string().nullable(),
  notice_id: z.string().nullable(),
  notice_since: z.number().nullable(),
  notice_until: z.number().nullable(),
  version: z.number(),
});
type Row = z.infer<typeof Row>;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Numbers are never used again, and versions only grow: two different states of a workspace never look the same. */
const State = z
  .object({ subscriptions: z.number(), newest: z.number(), changes: z.number() })
  .transform((state) => JSON.stringify(state));

const noticeIn = (row: Row) => ({
  about: row.notice_about,
  id: row.notice_id,
  since: row.notice_since,
  until: row.notice_until,
});

const subscriptionIn = (row: Row) =>
  Subscription.safeParse({
    id: String(row.number),
    workspaceId: row.workspace_id,
    channelId: row.channel_id,
    filters: parseJson(row.filter),
    form: row.form,
    setUpBy: row.set_up_by,
    setUpAt: row.set_up_at,
    ...(row.schedule === null ? {} : { schedule: parseJson(row.schedule) }),
    ...(row.done_until === null ? {} : { doneUntil: row.done_until }),
    ...(row.paused_reason === null
      ? {}
      : { paused: { reason: row.paused_reason, since: row.paused_since ?? 0 } }),
    ...(row.notice_due === null ? {} : { noticeDue: row.notice_due }),
    ...(row.notice_about === null ? {} : { notice: noticeIn(row) }),
  });

const unreadableIn = (row: Row): UnreadableSubscription => ({
  id: String(row.number),
  workspaceId: row.workspace_id,
  channelId: row.channel_id,
  setUpBy: row.set_up_by,
  setUpAt: row.set_up_at,
  version: row.version,
});

const where = (workspaceId: string, id: string) =>
  sql`WHERE workspace_id = ${workspaceId} AND number = ${Number(id)}`;

const numbers = (ids: readonly string[]) => listed(ids.map((id) => sql`${Number(id)}`));

const text = (value: string | null) => sql`CAST(${value} AS TEXT)`;
const whole = (value: number | null) => sql`CAST(${value} AS BIGINT)`;

/** @param report called for a row that can't be read; the others still count */
export function createSubscriptionRepository(
  database: Pick<Database, 'read' | 'write' | 'writeThen' | 'writeIf'>,
  report: (error: unknown) => void,
): SubscriptionRepository {
  function parse(row: Row): readonly Subscription[] {
    const found = subscriptionIn(row);
    if (!found.success) report(found.error);
    return found.success ? [found.data] : [];
  }

  const knownOf = new LRUCache<string, { readonly state: string; readonly list: readonly Subscription[] }>({
    max: MOST_KNOWN,
  });

  const read = (rest: Sql) => database.read(sql`SELECT ${columns} FROM subscriptions ${rest}`, Row);
  const list = async (rest: Sql) => (await read(rest)).flatMap(parse);
  const digests = async (rest: Sql) =>
    (await read(rest)).flatMap((row) =>
      parse(row).map((subscription) => ({ subscription, nextAt: row.next_at ?? 0, number: row.digests })),
    );

  const of = (workspaceId: string) =>
    list(sql`WHERE workspace_id = ${workspaceId} ORDER BY number LIMIT ${PAGE}`);

  /** Writes a change whose last statement returns the subscription, if it is made. Otherwise nothing is written. */
  async function writeChange(
    statements: readonly Sql[],
    entryOf: EntryOf | undefined,
  ): Promise<Subscription | undefined> {
    let changed: Subscription | undefined;
    let entry: PreparedEntry | undefined;
    const written = await database.writeThen(statements, (returned) => {
      [changed] = rowsOf(returned.at(-1), Row).flatMap(parse);
      if (changed === undefined) return undefined;
      entry = entryOf?.(changed);
      return entry === undefined ? [] : [entry.statement];
    });
    if (written === undefined) return undefined;
    entry?.report();
    return changed;
  }

  /** Writes a change whose last statement returns those that it changed, which may be none. */
  async function writeChanges(
    statements: readonly Sql[],
    entryOf: (changed: Subscription) => PreparedEntry,
  ): Promise<readonly Subscription[]> {
    let changed: readonly Subscription[] = [];
    let entries: readonly PreparedEntry[] = [];
    await database.writeThen(statements, (returned) => {
      changed = inOrder(returned.at(-1));
      entries = changed.map((one) => entryOf(one));
      return entries.map(({ statement }) => statement);
    });
    for (const { report: tell } of entries) tell();
    return changed;
  }

  const inOrder = (written: Written | undefined) =>
    rowsOf(written, Row)
      .flatMap(parse)
      .toSorted((one, other) => Number(one.id) - Number(other.id));

  return {
    of,

    async known(workspaceId) {
      const [state = ''] = await database.read(
        sql`SELECT count(*) AS subscriptions, COALESCE(max(number), 0) AS newest,
            CAST(COALESCE(sum(version), 0) AS BIGINT) AS changes
          FROM subscriptions WHERE workspace_id = ${workspaceId}`,
        State,
      );
      const before = knownOf.get(workspaceId);
      if (before?.state === state) return before.list;
      // What is changed meanwhile is read here already, and once more the next time.
      const now = await of(workspaceId);
      knownOf.set(workspaceId, { state, list: now });
      return now;
    },

    async *all() {
      let [workspaceId, number] = ['', 0];
      for (;;) {
        const rows = await read(
          sql`WHERE (workspace_id, number) > (${workspaceId}, ${number}) ORDER BY workspace_id, number LIMIT ${PAGE}`,
        );
        yield* rows.flatMap(parse);
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE) return;
        [workspaceId, number] = [last.workspace_id, last.number];
      }
    },

    paused: (limit) => list(sql`WHERE paused_since IS NOT NULL ORDER BY paused_since LIMIT ${limit}`),
    withNoticeDue: (limit) =>
      list(sql`WHERE notice_due IS NOT NULL ORDER BY workspace_id, number LIMIT ${limit}`),
    one: async (workspaceId, id) => (await list(where(workspaceId, id)))[0],

    add(content, most, nextAt, entryOf) {
      const { workspaceId, channelId, schedule, form, setUpBy, setUpAt, doneUntil } = content;
      const filter = JSON.stringify(content.filters);
      const isIt = sql`workspace_id = ${workspaceId} AND channel_id = ${channelId}`;
      const replace = sql`DELETE FROM subscriptions WHERE ${isIt} AND schedule IS NOT NULL`;
      const statements = [
        // Anyone else who sets something up in the workspace waits here, and then sees it.
        sql`INSERT INTO subscription_numbers (workspace_id, last) VALUES (${workspaceId}, 1)
          ON CONFLICT (workspace_id) DO UPDATE SET last = subscription_numbers.last + 1`,
        ...(schedule === undefined ? [] : [replace]),
        sql`INSERT INTO subscriptions (workspace_id, number, channel_id, set_up_by, set_up_at, filter, form, schedule,
            next_at, done_until, digests, version)
          SELECT workspace_id, last, ${text(channelId)}, ${text(setUpBy)}, ${whole(setUpAt)}, ${text(filter)},
            ${text(form)}, ${text(schedule === undefined ? null : JSON.stringify(schedule))},
            ${whole(nextAt ?? null)}, ${whole(doneUntil ?? null)}, 0, 1
          FROM subscription_numbers
          WHERE workspace_id = ${workspaceId}
            AND (SELECT count(*) FROM subscriptions WHERE workspace_id = ${workspaceId}) < ${most}
            AND NOT EXISTS (SELECT 1 FROM subscriptions
              WHERE ${isIt} AND filter = ${filter} AND form = ${form} AND schedule IS NULL
                AND ${schedule === undefined ? sql`1 = 1` : sql`1 = 0`})
          RETURNING ${columns}`,
      ];
      return writeChange(statements, entryOf);
    },

    async change(workspaceId, id, change, entryOf) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [row] = await read(where(workspaceId, id));
        const [now] = row === undefined ? [] : parse(row);
        if (row === undefined || now === undefined) return undefined;
        const changed = change(now);
        if (changed === now) return now;
        const { channelId, paused, noticeDue, notice } = changed;
        const entry = entryOf?.(changed);
        const written = await database.writeIf(
          sql`UPDATE subscriptions SET channel_id = ${channelId}, paused_reason = ${paused?.reason ?? null},
              paused_since = ${paused?.since ?? null}, notice_due = ${noticeDue ?? null}, notice_about = ${notice?.about ?? null},
              notice_id = ${notice?.id ?? null}, notice_since = ${notice?.since ?? null},
              notice_until = ${notice?.until ?? null}, version = version + 1
            ${where(workspaceId, id)} AND version = ${row.version}`,
          ...(entry === undefined ? [] : [entry.statement]),
        );
        if (written === undefined) continue;
        entry?.report();
        return changed;
      }
      throw new Error(`Subscription ${id} is changed again and again.`);
    },

    async forEdit(workspaceId, id) {
      const [row] = await read(where(workspaceId, id));
      const [subscription] = row === undefined ? [] : parse(row);
      return row === undefined || subscription === undefined
        ? undefined
        : { subscription, version: row.version };
    },

    edit({ workspaceId, id, version }, { channelId, filters, form, schedule }, nextAt, entryOf) {
      const filter = JSON.stringify(filters);
      const isSame =
        schedule === undefined
          ? sql`filter = ${filter} AND form = ${form} AND schedule IS NULL`
          : sql`schedule IS NOT NULL`;
      const due =
        schedule === undefined
          ? sql`next_at = NULL, done_until = NULL,`
          : nextAt === undefined
            ? sql``
            : sql`next_at = ${nextAt}, done_until = NULL,`;
      const statements = [
        // Anyone else who sets something up in the workspace waits here, and then sees it.
        sql`UPDATE subscription_numbers SET last = last WHERE workspace_id = ${workspaceId}`,
        sql`UPDATE subscriptions SET channel_id = ${channelId}, filter = ${filter}, form = ${form},
            schedule = ${text(schedule === undefined ? null : JSON.stringify(schedule))}, ${due} version = version + 1
          ${where(workspaceId, id)} AND version = ${version}
            AND NOT EXISTS (SELECT 1 FROM subscriptions AS other
              WHERE other.workspace_id = ${workspaceId} AND other.channel_id = ${channelId}
                AND other.number <> ${Number(id)} AND ${isSame})
          RETURNING ${columns}`,
      ];
      return writeChange(statements, entryOf);
    },

    pause(workspaceId, ids, { reason, since }, entryOf) {
      const these = sql`workspace_id = ${workspaceId} AND number IN (${numbers(ids)})`;
      // Slack only says "not found" for a deleted channel.
      const isLess = sql`paused_reason = 'channel_deleted' AND ${reason} = 'channel_not_found'`;
      const statements = [
        sql`UPDATE subscriptions SET paused_reason = ${reason}, version = version + 1
          WHERE ${these} AND paused_reason <> ${reason} AND NOT (${isLess})`,
        sql`UPDATE subscriptions SET paused_reason = ${reason}, paused_since = ${since}, notice_due = 'paused',
            version = version + 1
          WHERE ${these} AND paused_reason IS NULL RETURNING ${columns}`,
      ];
      return writeChanges(statements, entryOf);
    },

    resume(workspaceId, ids, entryOf) {
      const isUnheard = sql`notice_due = 'paused' AND COALESCE(notice_about, '') <> 'paused'`;
      const statement = sql`UPDATE subscriptions SET paused_reason = NULL, paused_since = NULL,
          notice_due = CASE WHEN ${isUnheard} THEN NULL ELSE 'resumed' END, version = version + 1
        WHERE workspace_id = ${workspaceId} AND number IN (${numbers(ids)}) AND paused_reason IS NOT NULL
        RETURNING ${columns}`;
      return writeChanges([statement], entryOf);
    },

    async moveChannel(workspaceId, from, to) {
      await database.write(
        sql`UPDATE subscriptions SET channel_id = ${to}, version = version + 1
          WHERE workspace_id = ${workspaceId} AND channel_id = ${from}`,
      );
    },

    async withUnreadable(workspaceId) {
      const rows = await read(sql`WHERE workspace_id = ${workspaceId} ORDER BY number LIMIT ${PAGE}`);
      return rows.map((row) => subscriptionIn(row).data ?? unreadableIn(row));
    },

    async removeUnreadable(unreadable, entryOf) {
      const { workspaceId, id, version } = unreadable;
      const entry = entryOf(unreadable);
      const removed = await database.writeIf(
        sql`DELETE FROM subscriptions ${where(workspaceId, id)} AND version = ${version}`,
        entry.statement,
      );
      if (removed === undefined) return false;
      entry.report();
      return true;
    },

    async claimNotice({ workspaceId, channelId, setUpBy }, { about, id, since, until }, time, again) {
      const [claimed] = await database.write(
        sql`UPDATE subscriptions SET notice_about = ${about}, notice_id = ${id}, notice_since = ${since},
            notice_until = ${until}, version = version + 1
          WHERE workspace_id = ${workspaceId} AND channel_id = ${channelId} AND set_up_by = ${setUpBy}
            AND notice_due = ${about} AND COALESCE(notice_until, 0) <= ${time}
            AND ${again ? sql`notice_id = ${id}` : sql`COALESCE(notice_about, '') <> ${about}`}
          RETURNING ${columns}`,
      );
      return inOrder(claimed);
    },

    remove: (workspaceId, id, entryOf) =>
      writeChange([sql`DELETE FROM subscriptions ${where(workspaceId, id)} RETURNING ${columns}`], entryOf),

    due: (until, limit) => digests(sql`WHERE next_at <= ${until} ORDER BY next_at LIMIT ${limit}`),
    early: (now, limit) => digests(sql`WHERE done_until > ${now} ORDER BY done_until LIMIT ${limit}`),
  };
}
