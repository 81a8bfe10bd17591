import { z } from 'zod';
import { sql, type Database } from '../database/database.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import type { RetryAnswer } from '../messages/delivery-words.ts';
import { button, buttons, lines, message, type Message, type Part } from '../messages/message.ts';
import { bold, code, date, short, type Line } from '../messages/text.ts';
import { isRetriable } from '../outbox/overview.ts';
import type { AddressName, WebhookAddress } from './addresses.ts';
import { WebhookEvent } from './bodies.ts';
import { eventWords, failedWords } from './messages.ts';
import { FailureReason } from './send.ts';

/*
 * Events that an address didn't take for so long that the app stopped trying. They're kept like summaries that couldn't be
 * delivered, and as long.
 */

/** On one page: Slack takes 100 blocks, and each event has two. */
const SHOWN = 20;

/** An event that was set aside. Times are milliseconds since 1970. */
export interface SetAside {
  readonly id: string;
  /** Undefined for one of a newer program. */
  readonly event: WebhookEvent | undefined;
  readonly reason: string;
  readonly at: number;
}

const CountRow = z.object({ address: z.string(), count: z.number() });
const Row = z
  .object({
    id: z.string(),
    reason: z.string().nullable(),
    payload: z.string().nullable(),
    settled_at: z.number(),
  })
  .transform((row): SetAside => ({
    id: row.id,
    event: eventIn(row.payload ?? ''),
    reason: row.reason ?? '',
    at: row.settled_at,
  }));

function eventIn(payload: string): WebhookEvent | undefined {
  try {
    return z.object({ event: WebhookEvent }).safeParse(JSON.parse(payload)).data?.event;
  } catch {
    return undefined;
  }
}

/** What a workspace's addresses have set aside. All reject with a DatabaseError. */
export function createSetAside(database: Pick<Database, 'read'>, now: () => number) {
  return {
    /** How many, by the address's id; those without any are left out. */
    async counts(workspaceId: string): Promise<ReadonlyMap<string, number>> {
      const rows = await database.read(
        sql`SELECT SUBSTR(channel_id, 1, 16) AS address, COUNT(*) AS count FROM deliveries
          WHERE workspace_id = ${workspaceId} AND ${isRetriable(now())} AND channel_id >= 'a'
          GROUP BY SUBSTR(channel_id, 1, 16)`,
        CountRow,
      );
      return new Map(rows.map(({ address, count: counted }) => [address, counted]));
    },
    /** The latest of one address. */
    latest: ({ workspaceId, id }: AddressName): Promise<readonly SetAside[]> =>
      database.read(
        sql`SELECT id, reason, payload, settled_at FROM deliveries
          WHERE workspace_id = ${workspaceId} AND ${isRetriable(now())}
            AND channel_id > ${id} AND channel_id < ${`${id}~`}
          ORDER BY settled_at DESC, id LIMIT ${SHOWN}`,
        Row,
      ),
  };
}

/** Why it was set aside, as a sentence. */
function reasonWords(reason: string): Line {
  const [, answered] = /^http_(\d{3})$/.exec(reason) ?? [];
  if (answered !== undefined) return [`The address answered ${answered}.`];
  if (reason === 'waited_too_long') return ['It waited for seven days.'];
  if (reason === 'too_many_waiting') return ['Too many were waiting.'];
  if (reason === 'set_aside') return ['The app stopped each time that it sent this.'];
  if (reason === 'record_unreadable') return ['Its record is damaged.'];
  const failure = FailureReason.safeParse(reason);
  return failure.success
    ? [failedWords(failure.data)]
    : ['The reason: ', code(short(reason, 60) || 'unknown')];
}

/** The answer to Retry where the address is paused. */
export const waitsForPaused =
  'Waiting: this address is paused. The event is sent once the address accepts something again.';

/** In place of a retry: what waits for such an address is dropped. */
export const switchedOff =
  'This address is switched off, so nothing is sent there. Under Webhooks in the Home tab, press its Retry first.';

/** A button's value. */
export const EventName = z.tuple([z.string(), z.string()]);
const valueOf = (address: WebhookAddress, { id }: SetAside) => JSON.stringify([address.id, id]);

function eventParts(address: WebhookAddress, one: SetAside, number: number): readonly Part[] {
  const { event, reason, at } = one;
  return [
    lines(
      [`${number}. `, bold(event === undefined ? 'An event' : eventWords(event)), ' · ', date(new Date(at))],
      reasonWords(reason),
    ),
    buttons(
      button({
        text: 'Retry',
        actionId: HOME_ACTION.retryEvent,
        value: valueOf(address, one),
        label: `Retry event ${number}`,
      }),
      button({
        text: 'Discard',
        actionId: HOME_ACTION.dropEvent,
        value: valueOf(address, one),
        label: `Discard event ${number}`,
        style: 'danger',
        confirm: {
          title: 'Discard this event?',
          text: 'It won’t be sent, and you can’t undo this.',
          yes: 'Discard',
          no: 'Keep',
        },
      }),
    ),
  ];
}

/** @param all how many there are @param first what happened just now */
export function setAsideList(
  address: WebhookAddress,
  { shown, all, first }: { readonly shown: readonly SetAside[]; readonly all: number; readonly first?: Part },
): Message {
  const host = code(short(address.host, 80));
  return message(
    ...(first === undefined ? [] : [first]),
    shown.length === 0
      ? lines(['Nothing is set aside for ', host, '.'])
      : lines(['Set aside for ', host, ', newest first. They’re kept for 30 days.']),
    ...shown.flatMap((one, index) => eventParts(address, one, index + 1)),
    ...(all > shown.length ? [lines([`And ${(all - shown.length).toLocaleString('en-US')} more.`])] : []),
  );
}

/** The answer to whoever pressed Retry or Discard. */
export function eventAnswerWords(answer: RetryAnswer): string {
  switch (answer) {
    case 'retried':
      return 'Retrying. If it fails again, the event returns to this list.';
    case 'posted':
      return 'The event was sent in the meantime. Nothing else changed.';
    case 'skipped':
      return 'The event isn’t wanted any more. Nothing else changed.';
    case 'dropped':
      return 'Discarded. The event won’t be sent.';
    case 'failed':
      return 'The event couldn’t be sent.';
    case 'busy':
      return 'The event is being sent right now. Wait a minute, then look again.';
    case 'unreadable':
      return 'This event’s record is damaged, so it can’t be sent. Restore the database from a backup, or discard it.';
    case 'unknown':
      return 'This event is gone: those set aside are kept for 30 days. Nothing changed.';
    default:
      return answer satisfies never;
  }
}
