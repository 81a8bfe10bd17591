import { z } from 'zod';
import { rowOf, sql, timeOf, isNoneOf, rowsOf, type Database, type Sql } from '../database/database.ts';
import { createNamedClaims } from '../database/named-claims.ts';
import { buttons, message, notice, status, type Message } from '../messages/message.ts';
import { bold, duration, say, short, user } from '../messages/text.ts';
import {
  onItButton,
  pageOf,
  watchAgainButton,
  showVisitor,
  type ShownVisitor,
  isWaiting,
} from '../messages/visitor-pieces.ts';
import { queued, queuedAll } from '../outbox/channels.ts';
import {
  RenderError,
  readPayload,
  type Delivery,
  type Kind,
  type NewDelivery,
  type Unwanted,
} from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { formOf, toldSubscribers } from '../sessions/session-deliveries.ts';
import type { Subscribers } from '../sessions/subscribers.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { createAtMost, createBackground } from '../lifecycle/concurrency.ts';
import { isOnHold } from '../workspaces/holds.ts';
import { isSeenWithoutPost } from './pauses.ts';
import type { SubscriptionRepository } from './repository.ts';
import { kindOf, type Subscription } from './subscription.ts';

/** A customer's wait, as a channel is told of it. */
const Wait = rowOf({
  workspaceId: z.string(),
  visitorId: z.string(),
  channelId: z.string(),
  /** That of the post. */
  id: z.string(),
  postTs: z.string().optional(),
});
type Wait = z.infer<typeof Wait>;

/** Of a post's own, and of what follows from it. */
const Payload = z.object({ visitorId: z.string(), waitId: z.string() });

/** By then somebody has helped, or it's too late. */
const LATEST_MS = 15 * 60_000;

type New = Pick<NewDelivery, 'id' | 'acceptedAt'>;

function ofWait(
  { workspaceId, visitorId, channelId, id: waitId }: Wait,
  delivery: Omit<NewDelivery, 'workspaceId' | 'channelId' | 'payload'>,
) {
  const payload: z.infer<typeof Payload> = { visitorId, waitId };
  return { ...delivery, workspaceId, channelId, payload };
}

const begunPost = (wait: Wait, subscription: string, acceptedAt: number) =>
  ofWait(wait, {
    id: wait.id,
    key: `wait ${wait.id}`,
    kind: 'wait',
    subscriptions: [subscription],
    acceptedAt,
    notAfter: acceptedAt + LATEST_MS,
  });

/** Makes the post say what is so by then. */
const changedPost = (wait: Wait, made: New) =>
  ofWait(wait, {
    ...made,
    key: `wait change ${made.id}`,
    kind: 'wait',
    replaces: sql`CAST(${wait.id} AS TEXT)`,
  });

const reminderPost = (wait: Wait, made: New) =>
  ofWait(wait, {
    ...made,
    key: `wait reminder ${wait.id}`,
    kind: 'wait-reminder',
    threadTs: wait.postTs,
    notAfter: made.acceptedAt + LATEST_MS,
  });

const WaitRow = rowOf({
  visitorId: z.string(),
  beganAt: timeOf,
  takenBy: z.string().optional(),
  endedAt: timeOf.optional(),
});
type WaitNow = z.infer<typeof WaitRow>;

function postOf(wait: WaitNow, { visitor, known }: ShownVisitor): Message {
  const name = short(visitor);
  const page = known && pageOf(known);
  if (wait.endedAt !== undefined)
    return notice(
      say`${bold(name)} isn’t waiting for help any more.`,
      wait.takenBy !== undefined && [user(wait.takenBy), ' was on it.'],
    );
  const where = page === 'Home page' ? 'the home page' : page;
  return message(
    status('waiting', [
      [bold(name), ' is waiting for help', where === undefined ? '.' : ` on ${where}.`],
      ...(wait.takenBy === undefined ? [] : [[user(wait.takenBy), ' is on it.']]),
    ]),
    buttons(
      watchAgainButton(wait.visitorId, name, 'primary'),
      wait.takenBy === undefined && onItButton(wait.visitorId, name),
    ),
  );
}

const superseded = { unwanted: 'superseded' };

export function createWaitKinds(
  app: Pick<App, 'database' | 'outbox' | 'now'> & Parameters<typeof showVisitor>[0],
  subscribers: Pick<Subscribers, 'formNow' | 'onOutcome'>,
): readonly Kind[] {
  const { database, outbox, now } = app;
  async function waitOf({ workspaceId, payload }: Delivery): Promise<WaitNow | undefined> {
    const { visitorId, waitId } = readPayload(Payload, payload);
    const [found] = await database.read(
      sql`SELECT visitor_id, began_at, taken_by, ended_at FROM waits
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND id = ${waitId}`,
      WaitRow,
    );
    return found;
  }

  /** Customers aren't named where others read along. Where Slack doesn't say, it's asked again. */
  async function said({ workspaceId, channelId }: Delivery, wait: WaitNow, words: typeof postOf) {
    const shown = await showVisitor(app, workspaceId, wait.visitorId, channelId);
    if (shown.isCut === 'unknown') throw new RenderError('filter_unknown');
    return shown.isCut ? { unwanted: 'shared_channel' } : words(wait, shown);
  }

  const reminderOf: typeof postOf = ({ beganAt }, { visitor }) => {
    const minutes = Math.floor((now() - beganAt.getTime()) / 60_000);
    return notice(
      say`Nobody has taken this yet: ${bold(short(visitor))} has been waiting for ${duration(minutes * 60)}.`,
    );
  };

  return [
    {
      name: 'wait',
      replaces: 'redraws',
      async render(delivery, changes) {
        const wait = await waitOf(delivery);
        if (wait === undefined) return superseded;
        return {
          // Not sooner: a post whose answer was lost is looked for first.
          async message(): Promise<Message | Unwanted> {
            if (wait.endedAt !== undefined && changes === undefined) return superseded;
            const wanted = await formOf(subscribers, delivery);
            return typeof wanted === 'object' ? wanted : said(delivery, wait, postOf);
          },
        };
      },
      /** What was found in Slack says what was so when it was sent. */
      async onSettled(delivery, settled) {
        if (settled.is !== 'posted' || !settled.alreadyPosted) return [];
        const { visitorId, waitId } = readPayload(Payload, delivery.payload);
        const wait = { ...delivery, visitorId, id: waitId };
        return queued(changedPost(wait, { id: outbox.newId(), acceptedAt: Math.round(now()) }));
      },
      onOutcome: toldSubscribers(subscribers),
    },
    {
      name: 'wait-reminder',
      async render(delivery) {
        const wait = await waitOf(delivery);
        if (wait === undefined || wait.endedAt !== undefined || wait.takenBy !== undefined) return superseded;
        return { message: () => said(delivery, wait, reminderOf) };
      },
    },
  ];
}

const MINUTE_MS = 60_000;
export const MOST_LISTED = 1_000;
const CLAIM = 'waits';
/** Until a service that failed is asked again. */
const REST_MS = 5 * MINUTE_MS;
const MOST_WORKSPACES_AT_ONCE = 50;
/** Lists in a row that lack a customer, until the wait counts as over. */
const MOST_MISSING = 3;
const NEXT_WAIT_AFTER_MS = 10 * MINUTE_MS;
/** Whoever was given a link has as long to open the screen as whoever is on it. */
const HELD_MS = 10 * MINUTE_MS;
const KEPT_MS = 24 * 60 * MINUTE_MS;

export const removeOldWaits = (until: number, limit: number): Sql =>
  sql`DELETE FROM waits WHERE (workspace_id, visitor_id, channel_id) IN (
    SELECT workspace_id, visitor_id, channel_id FROM waits WHERE began_at <= ${until - KEPT_MS} LIMIT ${limit})`;

type Lists = Pick<CobrowseClient, 'listVisitors'>;

/** Who is online, or everybody where nobody says so. @throws CobrowseError; `not-understood` if nobody says whether they wait */
export async function listForWaits({ listVisitors }: Lists): Promise<readonly Visitor[]> {
  const limit = MOST_LISTED;
  const visitors = await listVisitors({ online: true, limit }).catch((error: unknown) => {
    if (error instanceof CobrowseError && error.code === 'presence-unknown') return listVisitors({ limit });
    throw error;
  });
  if (visitors.length > 0 && visitors.every((one) => one.is_waiting_for_call === undefined)) {
    const words = 'No visitor in the answer says whether they wait.';
    throw new CobrowseError('not-understood', words, { code: 'waiting-unknown' });
  }
  return visitors;
}

/** Where the list doesn't say whether they still wait, they count as missing. */
function stateOf(visitor: Visitor | undefined): 'here' | 'over' | 'missing' {
  if (visitor === undefined) return 'missing';
  if (isWaiting(visitor)) return 'here';
  return visitor.is_in_session === true || visitor.is_waiting_for_call === false ? 'over' : 'missing';
}

const columns = sql`workspace_id, visitor_id, channel_id, id,
  (SELECT post_ts FROM deliveries WHERE deliveries.id = waits.id AND state = 'posted') AS post_ts`;

const isOpenIn = (workspaceId: string) => sql`workspace_id = ${workspaceId} AND ended_at IS NULL`;

const openIn = (database: Pick<Database, 'read'>, workspaceId: string) =>
  database.read(sql`SELECT ${columns} FROM waits WHERE ${isOpenIn(workspaceId)}`, Wait);

/** Whoever is on it, or was given a link to the screen, since the wait began. */
const takenBy = (at: number): Sql => sql`COALESCE(
  (SELECT user_id FROM visitor_claims WHERE visitor_claims.workspace_id = waits.workspace_id
    AND visitor_claims.visitor_id = waits.visitor_id AND claimed_until > ${at}),
  (SELECT user_id FROM watch_links WHERE watch_links.workspace_id = waits.workspace_id
    AND watch_links.visitor_id = waits.visitor_id AND issued_at >= began_at AND issued_at > ${at - HELD_MS}
    ORDER BY issued_at DESC LIMIT 1))`;

const takenStatement = (workspaceId: string, at: number): Sql =>
  sql`UPDATE waits SET taken_by = ${takenBy(at)}
    WHERE ${isOpenIn(workspaceId)} AND COALESCE(taken_by, '') <> COALESCE(${takenBy(at)}, '') RETURNING ${columns}`;

function begun({ workspaceId, visitorId, channelId, id }: Wait, remindMinutes: number, at: number): Sql {
  return sql`INSERT INTO waits (workspace_id, visitor_id, channel_id, id, began_at, missing, remind_at)
    VALUES (${workspaceId}, ${visitorId}, ${channelId}, ${id}, ${at}, 0, ${at + remindMinutes * MINUTE_MS})
    ON CONFLICT (workspace_id, visitor_id, channel_id) DO UPDATE SET id = excluded.id, began_at = excluded.began_at,
      missing = 0, remind_at = excluded.remind_at, taken_by = NULL, ended_at = NULL
    WHERE waits.ended_at <= ${at - NEXT_WAIT_AFTER_MS} RETURNING ${columns}`;
}

/** Writes what a list says of a workspace's customers, and queues what follows from it. */
async function record(
  { database, outbox }: Pick<App, 'database' | 'outbox'>,
  workspaceId: string,
  wanted: readonly Subscription[],
  visitors: readonly Visitor[],
  at: number,
): Promise<void> {
  const isOpen = isOpenIn(workspaceId);
  const open = await openIn(database, workspaceId);
  const listed = new Map(visitors.map((visitor) => [visitor.short_id, visitor]));
  const idsOf = (state: ReturnType<typeof stateOf>) =>
    open.filter(({ visitorId }) => stateOf(listed.get(visitorId)) === state).map(({ id }) => id);
  const isKnown = new Set(open.map(({ visitorId, channelId }) => `${channelId} ${visitorId}`));
  const begins = wanted.flatMap(({ id: subscription, channelId, remindMinutes = 0 }) =>
    visitors
      .filter((one) => isWaiting(one) && !isKnown.has(`${channelId} ${one.short_id}`))
      .map(({ short_id: visitorId }) => {
        const wait = { workspaceId, visitorId, channelId, id: outbox.newId() };
        return { subscription, statement: begun(wait, remindMinutes, at) };
      }),
  );
  const isNotMissing = isNoneOf(sql`id`, idsOf('missing'));
  const isOver = sql`(missing >= ${MOST_MISSING} OR NOT (${isNoneOf(sql`id`, idsOf('over'))}))`;
  const isWantedNowhere = isNoneOf(
    sql`channel_id`,
    wanted.map(({ channelId }) => channelId),
  );
  const made = () => ({ id: outbox.newId(), acceptedAt: at });
  await database.writeThen(
    [
      sql`UPDATE waits SET missing = CASE WHEN ${isNotMissing} THEN 0 ELSE missing + 1 END WHERE ${isOpen}`,
      sql`UPDATE waits SET ended_at = ${at}, taken_by = COALESCE(${takenBy(at)}, taken_by)
        WHERE ${isOpen} AND ${isOver} RETURNING ${columns}`,
      takenStatement(workspaceId, at),
      sql`UPDATE waits SET remind_at = NULL WHERE ${isOpen} AND missing = 0 AND taken_by IS NULL AND remind_at <= ${at}
        AND NOT (${isWantedNowhere}) AND EXISTS (
          SELECT 1 FROM deliveries WHERE deliveries.id = waits.id AND state = 'posted') RETURNING ${columns}`,
      ...begins.map(({ statement }) => statement),
    ],
    ([, ended, taken, untaken, ...began]) =>
      queuedAll([
        ...[ended, taken].flatMap((some) => rowsOf(some, Wait)).map((one) => changedPost(one, made())),
        ...rowsOf(untaken, Wait).map((one) => reminderPost(one, made())),
        ...began.flatMap((written, index) =>
          rowsOf(written, Wait).map((one) => begunPost(one, begins[index]?.subscription ?? '', at)),
        ),
      ]),
  );
  outbox.wake();
}

/** Tells channels of customers who wait for help. The service doesn't report it, so one of the processes asks once a minute. */
export function createWaits(
  app: Pick<App, 'database' | 'outbox' | 'now'> & {
    readonly cobrowseOf: (workspaceId: string) => Promise<Lists>;
  },
  repository: Pick<SubscriptionRepository, 'of'>,
  report: (error: unknown) => void,
) {
  const { outbox, cobrowseOf } = app;
  const database = app.database.inBackground();
  const claims = createNamedClaims(database, app.now);
  const atMost = createAtMost(MOST_WORKSPACES_AT_ONCE);
  const following = createBackground(report);
  const time = () => Math.round(app.now());

  /** Also where no channel wants to know any more, until what was posted there is over. */
  const workspaces = () =>
    database.read(
      sql`SELECT workspace_id FROM (
          SELECT workspace_id FROM subscriptions WHERE remind_minutes IS NOT NULL
          UNION SELECT workspace_id FROM waits WHERE ended_at IS NULL) AS concerned
        WHERE NOT ${isOnHold(sql`concerned.workspace_id`)}`,
      rowOf({ workspaceId: z.string() }),
    );

  async function listed(workspaceId: string): Promise<readonly Visitor[]> {
    try {
      return await listForWaits(await cobrowseOf(workspaceId));
    } catch (error) {
      await claims.release(workspaceId, CLAIM);
      await claims.claim(workspaceId, CLAIM, REST_MS);
      throw error;
    }
  }

  async function look(workspaceId: string): Promise<void> {
    const wanted = (await repository.of(workspaceId)).filter(
      (one) => kindOf(one) === 'waits' && !isSeenWithoutPost(one.paused?.reason ?? ''),
    );
    const isConcerned = wanted.length > 0 || (await openIn(database, workspaceId)).length > 0;
    if (!isConcerned || !(await claims.claim(workspaceId, CLAIM, MINUTE_MS))) return;
    await record({ database, outbox }, workspaceId, wanted, await listed(workspaceId), time());
  }

  async function lookAll(stopping: AbortSignal | undefined): Promise<void> {
    const lookAt = async (workspaceId: string) => {
      if (stopping?.aborted !== true) await look(workspaceId).catch(report);
    };
    const all = await workspaces();
    await Promise.all(all.map(({ workspaceId }) => atMost(() => lookAt(workspaceId))));
  }

  async function refresh(workspaceId: string): Promise<void> {
    const at = time();
    await database.writeThen([takenStatement(workspaceId, at)], ([taken]) =>
      queuedAll(rowsOf(taken, Wait).map((one) => changedPost(one, { id: outbox.newId(), acceptedAt: at }))),
    );
    outbox.wake();
  }

  return {
    round: (stopping?: AbortSignal) => lookAll(stopping).catch(report),
    /** Somebody may have taken a customer, or let them go: the posts say so in a moment. */
    taken: (workspaceId: string): void => following.start(() => refresh(workspaceId)),
    idle: () => following.idle(),
  };
}
