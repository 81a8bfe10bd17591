import { z } from 'zod';
import { acting, forAdmins, retryAndDiscard, together } from '../admin/home-buttons.ts';
import { recorded } from '../audit/audit.ts';
import { jsonText } from '../commands/command.ts';
import type { Viewer } from '../commands/rights.ts';
import { rowOf, sql, timeOf } from '../database/database.ts';
import { buttons, lines, message } from '../messages/message.ts';
import { bold, code, date, say, short } from '../messages/text.ts';
import { jsonIn } from '../outbox/delivery.ts';
import { isRetriable } from '../outbox/overview.ts';
import type { App } from '../parts.ts';
import type { WebhookAddress } from './addresses.ts';
import { WebhookEvent } from './bodies.ts';
import { EVENT_WORDS } from './messages.ts';

/** Slack takes 100 blocks, and each event has two. */
const SHOWN = 20;

const Row = rowOf({
  id: z.string(),
  reason: z.string().default('unknown'),
  /** Undefined for one of a newer program. */
  payload: jsonIn(z.object({ event: WebhookEvent })),
  settledAt: timeOf,
});

const EventName = jsonText.pipe(z.tuple([z.string(), z.string()]));

const ACTS = {
  retry: ['retried', 'It’s sent as soon as its address accepts events. If it fails again, it returns here.'],
  drop: ['dropped', 'Discarded. The event won’t be sent.'],
} as const;

/** How many events are set aside, by the address's id; those without any are left out. */
export async function countSetAside(
  { database, now }: Pick<App, 'database' | 'now'>,
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.read(
    sql`SELECT address_id, COUNT(*) AS count FROM webhook_messages
      WHERE workspace_id = ${workspaceId} AND ${isRetriable(now())} GROUP BY address_id`,
    rowOf({ addressId: z.string(), count: z.number() }),
  );
  return new Map(rows.map(({ addressId, count }) => [addressId, count]));
}

/** Events that an address didn't take for seven days, kept as long as undelivered summaries: their list, with Retry and Discard. */
export function createSetAsideSurface(
  { database, prepare, now }: Pick<App, 'database' | 'prepare' | 'now'>,
  addressOf: (viewer: Viewer, id: string) => Promise<WebhookAddress>,
  wakeAll: () => void,
) {
  /** @param first what happened just now */
  async function listOf({ workspaceId, id: addressId, host }: WebhookAddress, first?: string) {
    const shown = await database.read(
      sql`SELECT id, reason, payload, settled_at FROM webhook_messages
        WHERE workspace_id = ${workspaceId} AND address_id = ${addressId} AND ${isRetriable(now())}
        ORDER BY settled_at DESC, id LIMIT ${SHOWN}`,
      Row,
    );
    const name = code(short(host, 80));
    return message(
      first !== undefined && lines([first]),
      lines(
        shown.length === 0
          ? say`Nothing is set aside for ${name}.`
          : say`Set aside for ${name}, newest first, up to ${String(SHOWN)}. They’re kept for 30 days.`,
      ),
      ...shown.flatMap(({ id, reason, payload, settledAt }, index) => {
        const [number, value] = [index + 1, JSON.stringify([addressId, id])];
        const event = payload === undefined ? 'An event' : EVENT_WORDS[payload.event];
        return [
          lines(say`${`${number}. `}${bold(event)} · ${date(settledAt)} · ${code(short(reason, 60))}`),
          buttons(
            ...retryAndDiscard('event', number, value, ['home_retry_event', 'home_drop_event'], 'sent'),
          ),
        ];
      }),
    );
  }

  const settling = (actionId: string, act: keyof typeof ACTS) =>
    acting(
      actionId,
      'Webhooks',
      forAdmins('webhooks'),
      async ({ workspaceId, userId }, value) => {
        const [addressId, id] = EventName.parse(value);
        const address = await addressOf({ workspaceId, userId }, addressId);
        const time = now();
        const change =
          act === 'drop'
            ? sql`state = 'dropped', settled_at = ${time}`
            : sql`state = 'waiting', due_at = ${time}, queued_at = ${time}, settled_at = NULL, reason = NULL, attempts = 0,
              deaths = 0`;
        const statement = sql`UPDATE webhook_messages SET ${change} WHERE workspace_id = ${workspaceId}
        AND address_id = ${addressId} AND id = ${id} AND ${isRetriable(time)}`;
        const [outcome, words] = ACTS[act];
        const detail = { act, delivery: id, host: address.host };
        const entry = prepare({ workspaceId, userId, action: 'delivery', outcome, detail });
        const isDone = await recorded(entry, (also) => database.writeIf(statement, also));
        wakeAll();
        return listOf(address, isDone ? words : 'This event isn’t set aside any more. Nothing changed.');
      },
      { answer: 'replace' },
    );

  return together(
    acting('home_set_aside_webhooks', 'Set aside', forAdmins('webhooks'), async (viewer, id) =>
      listOf(await addressOf(viewer, id)),
    ),
    settling('home_retry_event', 'retry'),
    settling('home_drop_event', 'drop'),
  );
}
