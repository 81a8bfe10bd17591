import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import { sql } from '../database/database.ts';
import type { Proxy } from '../http/dispatcher.ts';
import { knownName } from '../messages/visitor-pieces.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { SlackConfig, Workspaces } from '../workspaces/workspaces.ts';
import { createWebhookAddresses, PAUSED_AFTER_MS, type WebhookAddresses } from './addresses.ts';
import { createWebhooksAtHome } from './at-home.ts';
import { choicesEntry } from './form.ts';
import { createTellOwner, createWebhookNoticeKind } from './notices.ts';
import { createWebhookQueue } from './queue.ts';
import { createWebhookSender, webhookHostsFor } from './send.ts';
import { createWebhookSending, removeOldMessages } from './sending.ts';
import { createSetAside } from './set-aside.ts';

/** An address that is there from the start, and who added it. */
export type FirstWebhook = Parameters<WebhookAddresses['add']>[1] & { readonly by: Viewer };

type QueueParts = Parameters<typeof createWebhookQueue>[0];
type SendingParts = Parameters<typeof createWebhookSending>[0];

/** Workspaces' outgoing webhooks: where they go, what is sent there, and what admins see and do about them. */
export function createWebhooks({
  config,
  first,
  filters,
  cobrowseOf,
  outbox,
  ...parts
}: Parameters<typeof createWebhookAddresses>[0] &
  Pick<SendingParts, 'database' | 'singleProcess' | 'report'> &
  Pick<QueueParts, 'installedAs'> &
  Pick<Parameters<typeof createWebhooksAtHome>[0], 'groupsOf' | 'prepare' | 'record'> & {
    readonly config: {
      readonly slack: SlackConfig;
      /** As WEBHOOK_HOSTS has them. */
      readonly webhookHosts: readonly string[];
      readonly proxy: Proxy | undefined;
    };
    readonly first: FirstWebhook | undefined;
    /** Which sessions an address is for. */
    readonly filters: Pick<QueueParts, 'mayMatch'> & Pick<SendingParts, 'matches'>;
    readonly cobrowseOf: Workspaces['cobrowseOf'];
    /** Whoever added an address is told of it in Slack. */
    readonly outbox: Pick<Outbox, 'newId' | 'register' | 'wakeAll'>;
  }) {
  const { database, now } = parts;
  const addresses = createWebhookAddresses(parts);
  const hostsFor = webhookHostsFor(config.slack, config.webhookHosts);
  const sender = createWebhookSender({ hostsFor, now, proxy: config.proxy });
  outbox.register(createWebhookNoticeKind(addresses, now));
  const sending = createWebhookSending({
    ...parts,
    addresses,
    send: (message) => sender.send(message),
    matches: filters.matches,
    async nameOf(workspaceId, visitorId) {
      const cobrowse = await cobrowseOf(workspaceId);
      return knownName(await cobrowse.visitor(visitorId));
    },
    tellOwner: createTellOwner(outbox.newId, now),
    wakeSlack: outbox.wakeAll,
  });
  const { wake, wakeAll, crashed } = sending;

  return {
    /** For the writes that record what is told. */
    events: createWebhookQueue({ ...parts, addresses, mayMatch: filters.mayMatch, wake }),
    /** How many addresses haven't accepted anything for an hour. */
    async paused(): Promise<number> {
      const [row] = await database.read(
        sql`SELECT COUNT(*) AS count FROM webhook_addresses
          WHERE failing_since <= ${now() - PAUSED_AFTER_MS} AND off_at IS NULL`,
        z.object({ count: z.number() }),
      );
      return row?.count ?? 0;
    },
    /** What admins see and do about them in the Home tab. */
    atHome: createWebhooksAtHome({
      ...parts,
      addresses,
      sender,
      hostsFor,
      setAside: createSetAside(database, now),
      wakeAll,
    }),
    removals: [removeOldMessages],
    async start(): Promise<void> {
      if (first !== undefined) {
        const entry = choicesEntry('added', first.by, { ...first, host: first.url.host });
        await addresses.add(first.by, first, () => parts.prepare(entry));
      }
      await sending.start();
    },
    crashed,
    /** Sends nothing more, and waits for what is under way. */
    stop: () => sending.stop(),
    /** Once nothing tells it of events any more. */
    async close(): Promise<void> {
      addresses.stopListening();
      await sender.close();
    },
  };
}
