import type { Viewer } from '../commands/rights.ts';
import { countBy, sql } from '../database/database.ts';
import type { Proxy } from '../http/dispatcher.ts';
import { knownName } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import type { SlackConfig } from '../workspaces/workspaces.ts';
import { PAUSED_AFTER_MS, createWebhookAddresses, type NewAddress } from './addresses.ts';
import { createWebhooksAtHome, entryOf } from './at-home.ts';
import { createWebhookNoticeKind } from './attempt.ts';
import { createWebhookQueue } from './queue.ts';
import { createWebhookSender, webhookHostsFor } from './send.ts';
import { createWebhookSending, removeOldMessages, type SendingParts } from './sending.ts';

/** An address that is there from the start, and who added it. */
export type FirstWebhook = NewAddress & { readonly by: Viewer };

interface Own extends Pick<SendingParts, 'matches' | 'singleProcess' | 'report'> {
  readonly config: {
    readonly slack: SlackConfig;
    /** As WEBHOOK_HOSTS has them. */
    readonly webhookHosts: readonly string[];
    readonly proxy: Proxy | undefined;
  };
  readonly first: FirstWebhook | undefined;
}

/** Workspaces' outgoing webhooks: where they go, what is sent there, and what admins see and do about them. */
export function createWebhooks(app: App, { config, first, ...own }: Own) {
  const { database, outbox, now } = app;
  const addresses = createWebhookAddresses(app);
  const hostsFor = webhookHostsFor(config.slack, config.webhookHosts);
  const sender = createWebhookSender({ hostsFor, now, proxy: config.proxy });
  outbox.register(createWebhookNoticeKind(addresses, now));
  const sending = createWebhookSending({
    ...own,
    database,
    now,
    addresses,
    send: (message) => sender.send(message),
    async nameOf(workspaceId, visitorId) {
      const cobrowse = await app.cobrowseOf(workspaceId);
      return knownName(await cobrowse.visitor(visitorId));
    },
    newId: outbox.newId,
    wakeSlack: outbox.wakeAll,
  });
  const { wake, wakeAll } = sending;

  return {
    /** For the writes that record what is told. */
    events: createWebhookQueue(app, addresses, wake),
    /** How many addresses haven't accepted anything for an hour. */
    paused: () =>
      countBy(
        database,
        sql`SELECT COUNT(*) AS count FROM webhook_addresses
          WHERE failing_since <= ${now() - PAUSED_AFTER_MS} AND off_at IS NULL`,
      ),
    atHome: createWebhooksAtHome(app, { addresses, sender, hostsFor, wakeAll }),
    removals: [removeOldMessages],
    async start(): Promise<void> {
      if (first !== undefined) {
        const entry = entryOf(first.by, 'added', first.url.host, first);
        await addresses.add(first.by, first, app.prepare(entry));
      }
      await sending.start();
    },
    crashed: () => sending.crashed(),
    /** Sends nothing more, and waits for what is under way. */
    stop: () => sending.stop(),
    close: () => sender.close(),
  };
}
