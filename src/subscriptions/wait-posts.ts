import { z } from 'zod';
import { rowOf, sql, timeOf } from '../database/database.ts';
import { buttons, message, notice, status, type Message } from '../messages/message.ts';
import { bold, duration, say, short, user } from '../messages/text.ts';
import {
  onItButton,
  pageOf,
  watchAgainButton,
  type ShownVisitor,
  type ShowVisitor,
} from '../messages/visitor-pieces.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import {
  RenderError,
  insertDelivery,
  readPayload,
  type Delivery,
  type Kind,
  type NewDelivery,
  type Unwanted,
} from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { formOf, toldSubscribers, type Subscribers } from '../sessions/subscribers.ts';

/** A customer's wait, as a channel is told of it. */
export const Wait = rowOf({
  workspaceId: z.string(),
  visitorId: z.string(),
  channelId: z.string(),
  /** That of the post. */
  id: z.string(),
  postTs: z.string().optional(),
});
export type Wait = z.infer<typeof Wait>;

/** Of a post's own, and of what follows from it. */
const Payload = z.object({ visitorId: z.string(), waitId: z.string() });

/** By then somebody has helped, or it's too late. */
const LATEST_MS = 15 * 60_000;

type New = Pick<NewDelivery, 'id' | 'acceptedAt'>;

function queued(
  { workspaceId, visitorId, channelId, id: waitId }: Wait,
  delivery: Omit<NewDelivery, 'workspaceId' | 'channelId' | 'payload'>,
) {
  const payload: z.infer<typeof Payload> = { visitorId, waitId };
  const insert = insertDelivery({ ...delivery, workspaceId, channelId, payload });
  return { in: channelId, statements: [insert, wakeChannelOf(delivery.id)] };
}

export const queuedPost = (wait: Wait, subscription: string, acceptedAt: number) =>
  queued(wait, {
    id: wait.id,
    key: `wait ${wait.id}`,
    kind: 'wait',
    subscriptions: [subscription],
    acceptedAt,
    notAfter: acceptedAt + LATEST_MS,
  });

/** Makes the post say what is so by then. */
export const queuedChange = (wait: Wait, made: New) =>
  queued(wait, {
    ...made,
    key: `wait change ${made.id}`,
    kind: 'wait',
    replaces: sql`CAST(${wait.id} AS TEXT)`,
  });

export const queuedReminder = (wait: Wait, made: New) =>
  queued(wait, {
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

/** A channel's post about a customer who waits, its changes, and the reminder in its thread. */
export function createWaitKinds(
  { database, outbox, now }: Pick<App, 'database' | 'outbox' | 'now'>,
  showVisitor: ShowVisitor,
  subscribers: Pick<Subscribers, 'formNow' | 'onOutcome'>,
): readonly Kind[] {
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
  const said = ({ workspaceId, channelId }: Delivery, wait: WaitNow, words: typeof postOf) => ({
    async message(): Promise<Message | Unwanted> {
      const shown = await showVisitor(workspaceId, wait.visitorId, channelId);
      if (shown.isCut === 'unknown') throw new RenderError('filter_unknown');
      return shown.isCut ? { unwanted: 'shared_channel' } : words(wait, shown);
    },
  });

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
        if (wait === undefined || (wait.endedAt !== undefined && changes === undefined)) return superseded;
        const wanted = await formOf(subscribers, delivery);
        return typeof wanted === 'object' ? wanted : said(delivery, wait, postOf);
      },
      /** What was found in Slack says what was so when it was sent. */
      async onSettled(delivery, settled) {
        if (settled.is !== 'posted' || !settled.alreadyPosted) return [];
        const { visitorId, waitId } = readPayload(Payload, delivery.payload);
        const wait = { ...delivery, visitorId, id: waitId, postTs: settled.ts };
        return queuedChange(wait, { id: outbox.newId(), acceptedAt: Math.round(now()) }).statements;
      },
      onOutcome: toldSubscribers(subscribers),
    },
    {
      name: 'wait-reminder',
      async render(delivery) {
        const wait = await waitOf(delivery);
        if (wait === undefined || wait.endedAt !== undefined || wait.takenBy !== undefined) return superseded;
        return said(delivery, wait, reminderOf);
      },
    },
  ];
}
