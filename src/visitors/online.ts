import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError, ifFound } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { definePress } from '../commands/command.ts';
import { hasChanged, rowOf, rowsOf, sql, type Database, type Sql } from '../database/database.ts';
import type { NamedClaims } from '../database/named-claims.ts';
import { createConcurrentByKey } from '../lifecycle/concurrency.ts';
import { dayAfter, dayOf, startOfDay, zoneOf } from '../messages/days.ts';
import {
  button,
  buttons,
  context,
  done,
  message,
  notice,
  problem,
  status,
  type Message,
} from '../messages/message.ts';
import { bold, say, time } from '../messages/text.ts';
import {
  detailsButton,
  presence,
  presenceOf,
  visitorName,
  watchOffer,
  watchAgainButton,
} from '../messages/visitor-pieces.ts';
import { queuedAll } from '../outbox/channels.ts';
import { readPayload, unknownNow, type Kind, type NewId } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { App } from '../parts.ts';
import { isOnHold } from '../workspaces/holds.ts';
import type { Showing } from './visitor.ts';

/** Visitors who are looked up for a workspace each minute. */
const MOST_WATCHED = 50;
/** The service doesn't report who comes online: each visitor is looked up once in this time, by one of the processes. */
const EVERY_MS = 60_000;
/** In a workspace, so that slow looks leave its service room for what people ask. */
const MOST_AT_ONCE = 5;

const Watched = rowOf({ workspaceId: z.string(), visitorId: z.string() });
type Watched = z.infer<typeof Watched>;
const Taken = rowOf({ userId: z.string(), messageId: z.string(), askedAt: z.number(), untilAt: z.number() });

export const removeOldOnlineRequests = (until: number, limit: number): Sql =>
  sql`DELETE FROM online_requests WHERE (workspace_id, visitor_id, user_id) IN (
    SELECT workspace_id, visitor_id, user_id FROM online_requests WHERE until_at <= ${until} LIMIT ${limit})`;

const text = (value: string) => sql`CAST(${value} AS TEXT)`;
const whole = (value: number) => sql`CAST(${value} AS BIGINT)`;

export type OnlineRequests = ReturnType<typeof createOnlineRequests>;

/** All reject with a DatabaseError. @param now milliseconds since 1970 */
export function createOnlineRequests(
  database: Pick<Database, 'read' | 'write' | 'writeThen'>,
  newId: NewId,
  now: () => number,
) {
  const nowMs = () => Math.round(now());

  function told(workspaceId: string, visitorId: string, asked: z.infer<typeof Taken>) {
    const { userId: channelId, messageId, askedAt: since, untilAt: notAfter } = asked;
    const [id, acceptedAt, payload] = [newId(), nowMs(), { visitorId }];
    const about = { workspaceId, kind: 'online', key: `online ${messageId}`, messageId, channelId, payload };
    return { ...about, id, since, acceptedAt, notAfter };
  }

  return {
    async ask(workspaceId: string, visitorId: string, userId: string, until: number) {
      const at = nowMs();
      const [written] = await database.write(
        sql`INSERT INTO online_requests
            (workspace_id, visitor_id, user_id, asked_at, until_at, message_id, attempts, claimed_until)
          SELECT ${text(workspaceId)}, ${text(visitorId)}, ${text(userId)}, ${whole(at)}, ${whole(until)},
            ${text(`online:${randomUUID()}`)}, ${whole(0)}, ${whole(0)}
          WHERE (SELECT count(DISTINCT visitor_id) FROM online_requests
            WHERE workspace_id = ${workspaceId} AND until_at > ${at} AND visitor_id <> ${visitorId}) < ${MOST_WATCHED}
          ON CONFLICT (workspace_id, visitor_id, user_id) DO UPDATE SET asked_at = excluded.asked_at,
            until_at = excluded.until_at, message_id = excluded.message_id, attempts = 0, claimed_until = 0`,
      );
      return hasChanged(written) ? 'set' : 'full';
    },
    async cancel(workspaceId: string, visitorId: string, userId: string): Promise<boolean> {
      const [removed, dropped] = await database.write(
        sql`DELETE FROM online_requests
          WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND user_id = ${userId}`,
        sql`UPDATE deliveries SET state = 'dropped', settled_by = ${userId}, settled_at = ${nowMs()}
          WHERE workspace_id = ${workspaceId} AND channel_id = ${userId} AND state = 'waiting'
            AND attempted_at IS NULL AND kind = 'online' AND payload = ${JSON.stringify({ visitorId })}`,
      );
      return hasChanged(removed) || hasChanged(dropped);
    },
    /** In the order they were asked for. */
    watched: () =>
      database.read(
        sql`SELECT workspace_id, visitor_id FROM online_requests
          WHERE until_at > ${nowMs()} AND NOT ${isOnHold(sql`online_requests.workspace_id`)}
          GROUP BY workspace_id, visitor_id ORDER BY MIN(asked_at), visitor_id`,
        Watched,
      ),
    /** The visitor is online: queues a message for each person who asked, and forgets the requests, in one commit. */
    async queue(workspaceId: string, visitorId: string): Promise<void> {
      const take = sql`DELETE FROM online_requests
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND until_at > ${nowMs()}
        RETURNING user_id, message_id, asked_at, until_at`;
      await database.writeThen([take], ([taken]) =>
        queuedAll(rowsOf(taken, Taken).map((asked) => told(workspaceId, visitorId, asked))),
      );
    },
  };
}

export const createOnlineNoticePresses = (
  { profileOf, record, now }: Pick<App, 'profileOf' | 'record' | 'now'>,
  { visitorTools }: Pick<Showing, 'visitorTools'>,
  onlineRequests: Pick<OnlineRequests, 'ask' | 'cancel'>,
) => [
  definePress({
    actionId: 'tell_online',
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    async run(visitorId, caller) {
      const { workspaceId, userId } = caller;
      const visitor = await caller.workspace.cobrowse.visitor(visitorId);
      // They came online after the card was drawn.
      if (presenceOf(visitor) === 'online') return watchOffer(visitor, await visitorTools(caller));
      const zone = zoneOf(await profileOf(workspaceId, userId));
      const midnight = startOfDay(dayAfter(dayOf(now(), zone), 1), zone);
      const outcome = await onlineRequests.ask(workspaceId, visitorId, userId, midnight);
      await record({ workspaceId, userId, visitorId, action: 'online-notice', outcome });
      if (outcome === 'full')
        return problem(
          [`Your workspace is already waiting for ${MOST_WATCHED} customers, the maximum.`],
          ['Search again later.'],
        );
      const name = visitorName(visitor);
      const label = `Cancel the message about ${name}`;
      return message(
        status('waiting', [
          say`I’ll send you a direct message when ${bold(name)} comes online.`,
          say`This ends at ${time(new Date(midnight))}.`,
        ]),
        buttons(button({ text: 'Cancel', actionId: 'cancel_tell_online', value: visitorId, label })),
      );
    },
  }),
  definePress({
    actionId: 'cancel_tell_online',
    answer: 'add',
    right: 'everybody',
    value: z.string().min(1),
    async run(visitorId, { workspaceId, userId }) {
      if (!(await onlineRequests.cancel(workspaceId, visitorId, userId)))
        return notice(['There was nothing to cancel.']);
      await record({ workspaceId, userId, visitorId, action: 'online-notice', outcome: 'cancelled' });
      return done(['Canceled. I won’t send you a message.']);
    },
  }),
];

/** This stays in direct messages, so its button only leads to one that opens the screen. */
function cameOnline(visitor: Visitor): Message {
  const name = visitorName(visitor);
  return message(
    status('done', [say`${bold(name)} came online.`, presence(visitor)]),
    buttons(watchAgainButton(visitor.short_id, name, 'primary'), detailsButton(visitor)),
    context('You asked to be told.'),
  );
}

const Payload = z.object({ visitorId: z.string() });

interface WatchParts extends Pick<App, 'mayAct' | 'record'> {
  readonly requests: Pick<OnlineRequests, 'watched' | 'queue'>;
  readonly claims: Pick<NamedClaims, 'claim'>;
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly outbox: Pick<Outbox, 'register' | 'wake'>;
  /** What failed is tried again a minute later. */
  readonly report: (error: unknown) => void;
}

/** Undefined where there is none: who was deleted can come back under the same id. */
const visitorOf = async ({ cobrowseOf }: WatchParts, workspaceId: string, visitorId: string) =>
  (await cobrowseOf(workspaceId)).visitor(visitorId).catch(ifFound);

const createOnlineKind = (app: WatchParts): Kind => ({
  name: 'online',
  async render({ workspaceId, channelId: userId, payload }) {
    const { visitorId } = readPayload(Payload, payload);
    const verdict = await app.mayAct('watch', { workspaceId, userId }).catch(unknownNow);
    if (!verdict.allowed) return { unwanted: verdict.why };
    return {
      async message() {
        const visitor = await visitorOf(app, workspaceId, visitorId).catch(unknownNow);
        return visitor === undefined ? { unwanted: 'visitor_gone' } : cameOnline(visitor);
      },
    };
  },
  async onOutcome({ workspaceId, channelId: userId, payload }, told) {
    if (told.outcome === 'later') return;
    const { visitorId } = readPayload(Payload, payload);
    const outcome = told.outcome === 'posted' ? 'sent' : told.reason;
    await app.record({ workspaceId, userId, visitorId, action: 'online-notice', outcome });
  },
});

export function createOnlineWatch(app: WatchParts) {
  const { requests, claims, outbox, report } = app;
  outbox.register(createOnlineKind(app));
  const concurrentByKey = createConcurrentByKey();

  /** One after the other, until the service isn't there for any. */
  async function lookAt(visitors: Iterable<Watched>, stopping: AbortSignal | undefined): Promise<void> {
    for (const { workspaceId, visitorId } of visitors) {
      if (stopping?.aborted === true) return;
      try {
        if (!(await claims.claim(workspaceId, `online:${visitorId}`, EVERY_MS))) continue;
        const visitor = await visitorOf(app, workspaceId, visitorId);
        if (visitor?.is_online !== true) continue;
        await requests.queue(workspaceId, visitorId);
        outbox.wake();
      } catch (error) {
        // Home says so to whoever can connect it.
        if (error instanceof CobrowseError && error.kind === 'not-connected') return;
        report(error);
      }
    }
  }

  return {
    /** Never rejects. */
    async round(stopping?: AbortSignal): Promise<void> {
      const watched = await requests.watched().catch((error: unknown) => {
        report(error);
        return [];
      });
      const busy = new Set(concurrentByKey.busy());
      for (const [workspaceId, own] of Map.groupBy(watched, (asked) => asked.workspaceId)) {
        if (busy.has(workspaceId)) continue;
        const left = own.values();
        void concurrentByKey.start(workspaceId, async () => {
          await Promise.all(Array.from({ length: MOST_AT_ONCE }, () => lookAt(left, stopping)));
        });
      }
    },
    idle: () => concurrentByKey.idle(),
  };
}
