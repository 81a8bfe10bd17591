import type { PreparedEntry } from '../audit/audit.ts';
import { AnyRow, sql, type Database, type Sql } from '../database/database.ts';
import { isOnHold } from '../workspaces/holds.ts';
import {
  kindOf,
  SubscriptionRow,
  type Content,
  type NewSubscription,
  type Subscription,
} from './subscription.ts';

/** The audit entry of a change, if it has one: written together with it, and reported once that is durable. */
type EntryOf = (changed: Subscription) => PreparedEntry | undefined;

/** Records that a digest is sent and when the next is due. As a write's condition, it lets only one process send it. */
export const advanceDigest = ({ workspaceId, id, nextAt, digests }: Subscription, next: number): Sql =>
  sql`UPDATE subscriptions SET next_at = ${next}, digests = digests + 1
    WHERE workspace_id = ${workspaceId} AND number = ${Number(id)} AND next_at = ${nextAt} AND digests = ${digests}`;

const isHeld = isOnHold(sql`subscriptions.workspace_id`);

const columns = sql`workspace_id, number, channel_id, set_up_by, set_up_at, filter, form, schedule, next_at,
  remind_minutes, digests, paused_reason, paused_since, version`;

/** Without rows that can't be read, perhaps since a newer version of the app wrote them. */
const readableOf = (rows: readonly unknown[]): readonly Subscription[] =>
  rows.flatMap((row) => SubscriptionRow.safeParse(row).data ?? []);

const text = (value: string | null) => sql`CAST(${value} AS TEXT)`;
const whole = (value: number | undefined) => sql`CAST(${value ?? null} AS BIGINT)`;
const json = (schedule: Content['schedule']) => text((schedule && JSON.stringify(schedule)) ?? null);

const isIt = (workspaceId: string, id: string) =>
  sql`workspace_id = ${workspaceId} AND number = ${Number(id)}`;
const isOf = (workspaceId: string, channelId: string) =>
  sql`workspace_id = ${workspaceId} AND channel_id = ${channelId}`;

/** Those of a channel that can't be there beside this one. */
const isSame = ({ filters, form, ...content }: Content): Sql =>
  ({
    summaries: sql`filter = ${JSON.stringify(filters)} AND form = ${form} AND schedule IS NULL AND remind_minutes IS NULL`,
    digest: sql`schedule IS NOT NULL`,
    waits: sql`remind_minutes IS NOT NULL`,
  })[kindOf(content)];

export type SubscriptionRepository = ReturnType<typeof createSubscriptionRepository>;

type Pause = NonNullable<Subscription['paused']>;
type Alongside = (changed: readonly Subscription[]) => readonly Sql[];

function addStatements(content: NewSubscription, most: number, nextAt?: number) {
  const { workspaceId, channelId, filters, schedule, remindMinutes, form, setUpBy, setUpAt } = content;
  const isThere = sql`${isOf(workspaceId, channelId)} AND ${isSame(content)}`;
  return [
    // Anyone else who sets something up in the workspace waits here, and then sees it.
    sql`INSERT INTO subscription_numbers (workspace_id, last) VALUES (${workspaceId}, 1)
      ON CONFLICT (workspace_id) DO UPDATE SET last = subscription_numbers.last + 1`,
    ...(kindOf(content) === 'summaries' ? [] : [sql`DELETE FROM subscriptions WHERE ${isThere}`]),
    sql`INSERT INTO subscriptions (workspace_id, number, channel_id, set_up_by, set_up_at, filter, form, schedule,
        next_at, remind_minutes, digests, version)
      SELECT workspace_id, last, ${text(channelId)}, ${text(setUpBy)}, ${whole(setUpAt)},
        ${text(JSON.stringify(filters))}, ${text(form)}, ${json(schedule)}, ${whole(nextAt)},
        ${whole(remindMinutes)}, 0, 1
      FROM subscription_numbers
      WHERE workspace_id = ${workspaceId}
        AND (SELECT count(*) FROM subscriptions WHERE workspace_id = ${workspaceId}) < ${most}
        AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE ${isThere})
      RETURNING ${columns}`,
  ];
}

function editStatements(edited: Subscription, nextAt?: number) {
  const { workspaceId, id, version, channelId, filters, form, schedule, remindMinutes } = edited;
  const due =
    schedule !== undefined && nextAt === undefined ? sql`` : sql`next_at = ${whole(schedule && nextAt)},`;
  return [
    sql`UPDATE subscription_numbers SET last = last WHERE workspace_id = ${workspaceId}`,
    sql`UPDATE subscriptions SET channel_id = ${channelId}, filter = ${JSON.stringify(filters)}, form = ${form},
        schedule = ${json(schedule)}, ${due} remind_minutes = ${whole(remindMinutes)}, version = version + 1
      WHERE ${isIt(workspaceId, id)} AND version = ${version}
        AND NOT EXISTS (SELECT 1 FROM subscriptions AS other
          WHERE other.workspace_id = ${workspaceId} AND other.channel_id = ${channelId}
            AND other.number <> ${Number(id)} AND ${isSame(edited)})
      RETURNING ${columns}`,
  ];
}

const pauseStatement = (these: Sql, { reason, since }: Pause): Sql =>
  sql`UPDATE subscriptions SET paused_reason = ${reason}, paused_since = ${since}, version = version + 1
    WHERE ${these} AND paused_reason IS NULL RETURNING ${columns}`;

const resumeStatement = (these: Sql): Sql =>
  sql`UPDATE subscriptions SET paused_reason = NULL, paused_since = NULL, version = version + 1
    WHERE ${these} AND paused_reason IS NOT NULL RETURNING ${columns}`;

export function createSubscriptionRepository(database: Pick<Database, 'read' | 'write' | 'writeThen'>) {
  const list = async (rest: Sql): Promise<readonly Subscription[]> =>
    readableOf(await database.read(sql`SELECT ${columns} FROM subscriptions ${rest}`, AnyRow));

  /** Writes changes with their audit entries; the last statement returns what it changed. */
  async function writeChanges(
    statements: readonly Sql[],
    entryOf: EntryOf = () => undefined,
    alongside: Alongside = () => [],
  ): Promise<readonly Subscription[]> {
    let changed: readonly Subscription[] = [];
    let entries: readonly PreparedEntry[] = [];
    await database.writeThen(statements, (written) => {
      changed = readableOf(written.at(-1)?.returned ?? []).toSorted(
        (one, other) => Number(one.id) - Number(other.id),
      );
      entries = changed.flatMap((one) => entryOf(one) ?? []);
      if (changed.length === 0) return undefined;
      return [...entries.map(({ statement }) => statement), ...alongside(changed)];
    });
    for (const { report: tell } of entries) tell();
    return changed;
  }

  return {
    of: (workspaceId: string) => list(sql`WHERE workspace_id = ${workspaceId} ORDER BY number`),
    one: async (workspaceId: string, id: string) => (await list(sql`WHERE ${isIt(workspaceId, id)}`))[0],
    paused: () => list(sql`WHERE paused_reason IS NOT NULL AND NOT ${isHeld} ORDER BY workspace_id, number`),
    /** Digests, the longest due first. */
    due: (until: number) => list(sql`WHERE next_at <= ${until} AND NOT ${isHeld} ORDER BY next_at`),

    /** Undefined where the same one, or too many, exist. Of what a channel has one, it replaces that. @param nextAt in ms since 1970 */
    async add(content: NewSubscription, most: number, nextAt?: number, entryOf?: EntryOf) {
      return (await writeChanges(addStatements(content, most, nextAt), entryOf))[0];
    },

    /** Undefined where it was changed since, or the channel has one that can't be beside it. Without `nextAt`, its time stays. */
    async edit(edited: Subscription, nextAt?: number, entryOf?: EntryOf) {
      return (await writeChanges(editStatements(edited, nextAt), entryOf))[0];
    },

    /** Pauses what a channel gets. Returns the newly paused. */
    pause: (workspaceId: string, channelId: string, paused: Pause, ...more: [EntryOf, Alongside?]) =>
      writeChanges([pauseStatement(isOf(workspaceId, channelId), paused)], ...more),

    resume: (workspaceId: string, channelId: string, ...more: [EntryOf, Alongside?]) =>
      writeChanges([resumeStatement(isOf(workspaceId, channelId))], ...more),

    async moveChannel(workspaceId: string, from: string, to: string): Promise<void> {
      await database.write(
        sql`UPDATE subscriptions SET channel_id = ${to}, version = version + 1
          WHERE ${isOf(workspaceId, from)}`,
      );
    },

    /** What was removed; undefined if someone else removed it. */
    async remove(workspaceId: string, id: string, entryOf?: EntryOf): Promise<Subscription | undefined> {
      const statement = sql`DELETE FROM subscriptions WHERE ${isIt(workspaceId, id)} RETURNING ${columns}`;
      return (await writeChanges([statement], entryOf))[0];
    },
  };
}

/** The subscriptions of a workspace, or of all, that can be read, and how many can't. */
export async function readSubscriptions(database: Pick<Database, 'read'>, workspaceId?: string) {
  const which = workspaceId === undefined ? sql`` : sql`WHERE workspace_id = ${workspaceId}`;
  const rows = await database.read(
    sql`SELECT ${columns} FROM subscriptions ${which} ORDER BY workspace_id, number`,
    AnyRow,
  );
  const found = readableOf(rows);
  return { found, damaged: rows.length - found.length };
}
