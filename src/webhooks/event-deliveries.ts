import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { sql, type Database } from '../database/database.ts';
import type { KindSent } from '../outbox/kind.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createTelling, type Report } from '../outbox/outcome.ts';
import { createRetryAndDrop } from '../outbox/retry-and-drop.ts';
import { createSender } from '../outbox/sender.ts';
import { repeat } from '../lifecycle/repeating.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { PAUSED_AFTER_MS, type AddressName, type OpenedAddress, type WebhookAddresses } from './addresses.ts';
import { createWebhookAttempt } from './attempt.ts';
import { createAddressHealth } from './health.ts';
import { createWebhookLimits } from './limits.ts';
import { createTellOwner, createWebhookNoticeKind } from './notices.ts';
import { createWebhookPlaces } from './places.ts';
import { WEBHOOK, createWebhookQueue } from './queue.ts';
import type { WebhookSender } from './send.ts';

const LIMITS_EVERY_MS = 60_000;
/** Tells senders in all processes that something may be due. */
const TOPIC = 'webhooks';

const MOST_HOSTS = 1_000;

const Count = z.object({ count: z.number() });

/** What is told to which address, in which order, and what becomes of it. */
export function createEventDeliveries({
  database,
  outbox,
  addresses,
  sender: { send },
  filters: { mayMatch, matches },
  installedAs,
  nameOf,
  isAlone,
  mostWaiting,
  now,
  reports,
}: {
  readonly database: Database;
  /** Of Slack: whoever added an address is told there. */
  readonly outbox: Pick<Outbox, 'newId' | 'register' | 'wakeAll'>;
  readonly addresses: WebhookAddresses;
  readonly sender: Pick<WebhookSender, 'send'>;
  /** Which sessions an address is for. */
  readonly filters: Pick<Parameters<typeof createWebhookQueue>[0], 'mayMatch'> &
    Pick<Parameters<typeof createWebhookAttempt>[0], 'matches'>;
  readonly installedAs: Workspaces['installedAs'];
  readonly nameOf: Parameters<typeof createWebhookAttempt>[0]['nameOf'];
  /** Whether this is the only process that serves the database. */
  readonly isAlone: boolean;
  /** Of what waits for one address; usually ten thousand. */
  readonly mostWaiting?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly reports: {
    readonly delivery: Report;
    /** Called when what waits for too long couldn't be set aside. */
    readonly limits: (error: unknown) => void;
  };
}) {
  const background = database.inBackground();
  const kinds = new Map<string, KindSent>([[WEBHOOK, { name: WEBHOOK }]]);
  outbox.register(createWebhookNoticeKind(addresses, now));
  const health = createAddressHealth({
    database: background,
    addresses,
    tellOwner: createTellOwner(outbox.newId, now),
    wakeSlack: outbox.wakeAll,
    now,
  });

  /** By the address's id, for the log. */
  const hosts = new LRUCache<string, string>({ maxSize: MOST_HOSTS, sizeCalculation: () => 1 });
  const report: Report = (outcome, about, detail) => {
    const host = hosts.get(about.channelId?.split('/')[0] ?? '');
    reports.delivery(outcome, about, { ...detail, logged: host === undefined ? {} : { host } });
  };
  async function open(name: AddressName): Promise<OpenedAddress | undefined> {
    const address = await addresses.open(name, background);
    if (address !== undefined) hosts.set(address.id, address.host);
    return address;
  }

  const { newId, wake, wakeAll, start, crashed, stop } = createSender({
    database: background,
    kinds,
    places: createWebhookPlaces(background),
    paceMs: 0,
    attempt: createWebhookAttempt({
      database: background,
      addresses: { open },
      health,
      send,
      matches,
      nameOf,
      now,
    }),
    telling: createTelling(kinds, report),
    jobs: [],
    topic: TOPIC,
    isAlone,
    // Slack's has done it.
    takesOver: false,
    now,
  });
  const limits = repeat(
    createWebhookLimits({ database: background, mostWaiting, now, report: reports.limits }),
    LIMITS_EVERY_MS,
  );

  return {
    /** For the writes that record what is told. */
    events: createWebhookQueue({ database, addresses, mayMatch, installedAs, newId, wake }),
    /** Of what was set aside. */
    retryAndDrop: createRetryAndDrop({
      database,
      kinds,
      transport: { hurry: () => undefined, paceMs: 0 },
      wake: wakeAll,
      now,
    }),
    /** Makes all processes look for what is due: an address can be tried again. */
    wakeAll,
    crashed,
    /** How many addresses haven't accepted anything for an hour. */
    async paused(): Promise<number> {
      const [row] = await database.read(
        sql`SELECT COUNT(*) AS count FROM webhook_addresses
          WHERE failing_since <= ${now() - PAUSED_AFTER_MS} AND off_at IS NULL`,
        Count,
      );
      return row?.count ?? 0;
    },
    async start(): Promise<void> {
      await start();
      limits.start();
    },
    async stop(): Promise<void> {
      await limits.stop();
      await stop();
    },
  };
}
