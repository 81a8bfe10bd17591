import { isServedAlone } from '../database/open.ts';
import type { Proxy } from '../http/dispatcher.ts';
import { knownName } from '../messages/visitor-pieces.ts';
import type { Viewer } from '../commands/caller.ts';
import type { SlackConfig, Workspaces } from '../workspaces/workspaces.ts';
import { createWebhookAddresses, type WebhookAddresses } from './addresses.ts';
import { createWebhooksAtHome } from './at-home.ts';
import { createEventDeliveries } from './event-deliveries.ts';
import { choicesEntry } from './form.ts';
import { createWebhookSender, webhookHostsFor } from './send.ts';

/** An address that is there from the start, and who added it. */
export type FirstWebhook = Parameters<WebhookAddresses['add']>[1] & { readonly by: Viewer };

/** Workspaces' outgoing webhooks: where they go, what is sent there, and what admins see and do about them. */
export function createWebhooks({
  config,
  first,
  cobrowseOf,
  ...parts
}: Omit<Parameters<typeof createEventDeliveries>[0], 'addresses' | 'sender' | 'nameOf' | 'isAlone'> &
  Parameters<typeof createWebhookAddresses>[0] &
  Omit<
    Parameters<typeof createWebhooksAtHome>[0],
    'addresses' | 'sender' | 'hostsFor' | 'retryAndDrop' | 'wakeAll'
  > & {
    readonly config: {
      readonly slack: SlackConfig;
      readonly storeUrl: string;
      /** As WEBHOOK_HOSTS has them. */
      readonly webhookHosts: readonly string[];
      readonly proxy: Proxy | undefined;
    };
    readonly first: FirstWebhook | undefined;
    readonly cobrowseOf: Workspaces['cobrowseOf'];
  }) {
  const addresses = createWebhookAddresses(parts);
  const hostsFor = webhookHostsFor(config.slack, config.webhookHosts);
  const sender = createWebhookSender({ hostsFor, now: parts.now, proxy: config.proxy });
  const deliveries = createEventDeliveries({
    ...parts,
    addresses,
    sender,
    async nameOf(workspaceId, visitorId) {
      const cobrowse = await cobrowseOf(workspaceId);
      return knownName(await cobrowse.visitor(visitorId));
    },
    isAlone: isServedAlone(config.storeUrl),
  });
  const { retryAndDrop, wakeAll } = deliveries;

  return {
    events: deliveries.events,
    paused: () => deliveries.paused(),
    /** What admins see and do about them in the Home tab. */
    atHome: createWebhooksAtHome({ ...parts, addresses, sender, hostsFor, retryAndDrop, wakeAll }),
    async start(): Promise<void> {
      if (first !== undefined) {
        const entry = choicesEntry('added', first.by, { ...first, host: first.url.host });
        await addresses.add(first.by, first, () => parts.prepare(entry));
      }
      await deliveries.start();
    },
    crashed: () => deliveries.crashed(),
    /** Sends nothing more, and waits for what is under way. */
    stop: () => deliveries.stop(),
    /** Once nothing tells it of events any more. */
    async close(): Promise<void> {
      addresses.stopListening();
      await sender.close();
    },
  };
}
