import { z } from 'zod';
import { acting, forAdmins, retryAndDiscard, together } from '../admin/home-buttons.ts';
import type { PreparedEntry } from '../audit/audit.ts';
import { definePress, jsonText } from '../commands/command.ts';
import { Answered, type Viewer } from '../commands/rights.ts';
import { hasChanged, rowOf, rowsOf, sql, timeOf, type Database, type Sql } from '../database/database.ts';
import { buttons, lines, message, type Message, type Part } from '../messages/message.ts';
import { bold, code, date, say, short, type Line } from '../messages/text.ts';
import { jsonIn } from '../outbox/delivery.ts';
import { FAILED_KEPT_MS } from '../outbox/overview.ts';
import type { App } from '../parts.ts';
import { isPaused, type AddressName, type WebhookAddress, type WebhookAddresses } from './addresses.ts';
import { WebhookEvent } from './bodies.ts';
import { EVENT_WORDS, FAILED_WORDS, noSuchAddress } from './messages.ts';

/* Events that an address didn't take for so long that the app stopped trying. Kept as long as undelivered summaries. */

/** On one page: Slack takes 100 blocks, and each event has two. */
const SHOWN = 20;

const StateRow = z.object({ state: z.enum(['waiting', 'posted', 'failed', 'skipped', 'dropped']) });
const Row = rowOf({
  id: z.string(),
  reason: z.string().default(''),
  /** Undefined for one of a newer program. */
  payload: jsonIn(z.object({ event: WebhookEvent })),
  settledAt: timeOf,
});
type SetAside = Readonly<z.infer<typeof Row>>;

/** What Retry or Discard came to: `retried` and `dropped`, or what has become of it meanwhile; `unknown` is one that isn't kept. */
type EventAnswer = 'retried' | z.infer<typeof StateRow>['state'] | 'unknown';
type EntryOf = (answer: EventAnswer) => PreparedEntry;

/** What a workspace's addresses have set aside. All reject with a DatabaseError. */
export function createSetAside(database: Pick<Database, 'read' | 'writeThen'>, now: () => number) {
  const isSetAside = () => sql`state = 'failed' AND settled_at > ${now() - FAILED_KEPT_MS}`;

  /** Changes one that is set aside, and records what that came to. */
  async function change(
    { workspaceId, id }: AddressName,
    messageId: string,
    [done, changes]: readonly ['retried' | 'dropped', Sql],
    entryOf: EntryOf,
  ): Promise<EventAnswer> {
    const isIt = sql`workspace_id = ${workspaceId} AND address_id = ${id} AND id = ${messageId}`;
    let answer: EventAnswer = 'unknown';
    let entry: PreparedEntry | undefined;
    await database.writeThen(
      [
        sql`UPDATE webhook_messages SET ${changes} WHERE ${isIt} AND ${isSetAside()}`,
        sql`SELECT state FROM webhook_messages WHERE ${isIt}`,
      ],
      ([changed, found]) => {
        answer = hasChanged(changed) ? done : (rowsOf(found, StateRow)[0]?.state ?? 'unknown');
        entry = entryOf(answer);
        return [entry.statement];
      },
    );
    entry?.report();
    return answer;
  }

  return {
    /** How many, by the address's id; those without any are left out. */
    async counts(workspaceId: string): Promise<ReadonlyMap<string, number>> {
      const rows = await database.read(
        sql`SELECT address_id, COUNT(*) AS count FROM webhook_messages
          WHERE workspace_id = ${workspaceId} AND ${isSetAside()} GROUP BY address_id`,
        rowOf({ addressId: z.string(), count: z.number() }),
      );
      return new Map(rows.map(({ addressId, count }) => [addressId, count]));
    },
    latest: ({ workspaceId, id }: AddressName): Promise<readonly SetAside[]> =>
      database.read(
        sql`SELECT id, reason, payload, settled_at FROM webhook_messages
          WHERE workspace_id = ${workspaceId} AND address_id = ${id} AND ${isSetAside()}
          ORDER BY settled_at DESC, id LIMIT ${SHOWN}`,
        Row,
      ),
    /** Sends one again. @param messageId its `webhook-id` */
    retry: (address: AddressName, messageId: string, entryOf: EntryOf): Promise<EventAnswer> => {
      const time = now();
      const again = sql`state = 'waiting', due_at = ${time}, queued_at = ${time}, settled_at = NULL, reason = NULL,
        attempts = 0, deaths = 0, failing_since = NULL`;
      return change(address, messageId, ['retried', again], entryOf);
    },
    drop: (address: AddressName, messageId: string, entryOf: EntryOf): Promise<EventAnswer> =>
      change(address, messageId, ['dropped', sql`state = 'dropped', settled_at = ${now()}`], entryOf),
  };
}
export type SetAsideEvents = ReturnType<typeof createSetAside>;

const REASONS: Readonly<Record<string, string>> = {
  ...FAILED_WORDS,
  waited_too_long: 'It waited for seven days.',
  set_aside: 'The app stopped each time that it sent this.',
  record_unreadable: 'Its record is damaged.',
};

function reasonWords(reason: string): Line {
  const [, answered] = /^http_(\d{3})$/.exec(reason) ?? [];
  if (answered !== undefined) return [`The address answered ${answered}.`];
  const words = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  return words === undefined ? say`The reason: ${code(short(reason, 60) || 'unknown')}` : [words];
}

function eventParts(address: WebhookAddress, one: SetAside, number: number): readonly Part[] {
  const { id, payload, reason, settledAt } = one;
  const words = payload === undefined ? 'An event' : EVENT_WORDS[payload.event];
  return [
    lines(say`${`${number}. `}${bold(words)} · ${date(settledAt)}`, reasonWords(reason)),
    buttons(
      ...retryAndDiscard(
        'event',
        number,
        JSON.stringify([address.id, id]),
        ['home_retry_event', 'home_drop_event'],
        'sent',
      ),
    ),
  ];
}

/** @param all how many there are @param first what happened just now */
function setAsideList(
  address: WebhookAddress,
  shown: readonly SetAside[],
  all: number,
  first?: string,
): Message {
  const host = code(short(address.host, 80));
  return message(
    first !== undefined && lines([first]),
    lines(
      shown.length === 0
        ? say`Nothing is set aside for ${host}.`
        : say`Set aside for ${host}, newest first. They’re kept for 30 days.`,
    ),
    ...shown.flatMap((one, index) => eventParts(address, one, index + 1)),
    all > shown.length && lines([`And ${(all - shown.length).toLocaleString('en-US')} more.`]),
  );
}

const GONE = 'This event is gone: those set aside are kept for 30 days. Nothing changed.';

const EVENT_ANSWERS: Readonly<Record<EventAnswer, string>> = {
  retried: 'Retrying. If it fails again, the event returns to this list.',
  posted: 'The event was sent in the meantime. Nothing else changed.',
  skipped: 'The event isn’t wanted any more. Nothing else changed.',
  dropped: 'Discarded. The event won’t be sent.',
  waiting: 'The event is being sent right now. Wait a minute, then look again.',
  failed: GONE,
  unknown: GONE,
};

/** In place of a retry: what waits for such an address is dropped. */
const SWITCHED_OFF =
  'This address is switched off, so nothing is sent there. Under Webhooks in the Home tab, press its Retry first.';
const WAITS_FOR_PAUSED =
  'Waiting: this address is paused. The event is sent once the address accepts something again.';

/** Rejects with an Answered where it was removed. */
export const addressFinder =
  ({ one }: Pick<WebhookAddresses, 'one'>) =>
  async ({ workspaceId }: Viewer, id: string): Promise<WebhookAddress> => {
    const address = await one({ workspaceId, id });
    if (address === undefined) throw new Answered(noSuchAddress);
    return address;
  };

/** A button in a modal that shows what has become of it. */
export const inPlace = <Value>(
  actionId: string,
  value: z.ZodType<Value, string>,
  run: (viewer: Viewer, value: Value) => Promise<Message>,
) =>
  definePress({
    actionId,
    answer: 'replace',
    title: 'Webhooks',
    redraws: 'renew',
    right: forAdmins('webhooks'),
    value,
    run: (about, viewer) => run(viewer, about),
  });

const EventName = jsonText.pipe(z.tuple([z.string(), z.string()]));

/** The list of what an address has set aside, with Retry and Discard. */
export function createSetAsideSurface(
  { prepare, now }: Pick<App, 'prepare' | 'now'>,
  own: {
    readonly addresses: Pick<WebhookAddresses, 'one'>;
    readonly setAside: SetAsideEvents;
    readonly wakeAll: () => void;
  },
) {
  const { addresses, setAside, wakeAll } = own;
  const addressOf = addressFinder(addresses);

  async function listOf(address: WebhookAddress, first?: string): Promise<Message> {
    const { workspaceId, id } = address;
    const [shown, counts] = await Promise.all([setAside.latest(address), setAside.counts(workspaceId)]);
    return setAsideList(address, shown, counts.get(id) ?? 0, first);
  }

  const settling = (actionId: string, act: 'retry' | 'drop') =>
    inPlace(actionId, EventName, async (viewer, [addressId, id]) => {
      const address = await addressOf(viewer, addressId);
      if (act === 'retry' && address.offAt !== undefined) return listOf(address, SWITCHED_OFF);
      const { workspaceId, userId } = viewer;
      const detail = { act, delivery: id, host: address.host };
      const answer = await setAside[act](address, id, (outcome) =>
        prepare({ workspaceId, userId, action: 'delivery', outcome, detail }),
      );
      if (answer === 'retried') wakeAll();
      const waits = answer === 'retried' && isPaused(address, now());
      return listOf(address, waits ? WAITS_FOR_PAUSED : EVENT_ANSWERS[answer]);
    });

  return together(
    acting('home_set_aside_webhooks', 'Set aside', forAdmins('webhooks'), async (viewer, id) =>
      listOf(await addressOf(viewer, id)),
    ),
    settling('home_retry_event', 'retry'),
    settling('home_drop_event', 'drop'),
  );
}
