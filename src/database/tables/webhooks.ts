import { sql } from '../database.ts';

/**
 * Where a workspace's outgoing webhooks go, and the state of each address. `address`, `secret` and `old_secret` are sealed with
 * the workspace's data key; `host` is what people see. Until `old_secret_until` messages are signed with both secrets. `events`
 * and `filters` are JSON, `names` is 1 where bodies have the customer's name. `failing_since` is when the first of the attempts
 * failed since one was taken, `held_until` when the address is tried again, and `off_at` when it said that it's gone for good.
 * Ids are 16 characters.
 */
export const webhookAddressesTable = [
  sql`CREATE TABLE webhook_addresses (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL,
    secret TEXT NOT NULL, old_secret TEXT, old_secret_until INTEGER64, events TEXT NOT NULL, filters TEXT NOT NULL,
    names INTEGER64 NOT NULL, added_by TEXT NOT NULL, added_at INTEGER64 NOT NULL, failing_since INTEGER64,
    held_until INTEGER64, off_at INTEGER64, claim ORDERED_TEXT, version INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE INDEX webhook_addresses_claimed ON webhook_addresses (claim) WHERE claim IS NOT NULL`,
];

/** When an address was first known to have taken something: an event, or a test. NULL until then. */
export const workedAddresses = [
  sql`ALTER TABLE webhook_addresses ADD COLUMN worked_at INTEGER64`,
  sql`UPDATE webhook_addresses SET worked_at = posted.at
    FROM (SELECT workspace_id, substr(channel_id, 1, 16) AS id, MIN(settled_at) AS at FROM deliveries
      WHERE kind = 'webhook' AND state = 'posted' GROUP BY workspace_id, substr(channel_id, 1, 16)) AS posted
    WHERE posted.workspace_id = webhook_addresses.workspace_id AND posted.id = webhook_addresses.id`,
];

/**
 * The place of a webhook is the id of its address and that of its link, and no id of Slack's begins with a small letter. Each of
 * the two has its own index of what is due: whatever waits for an address isn't walked through for Slack.
 */
export const channelsOfAddresses = [
  sql`CREATE INDEX channels_due_in_slack ON channels (next_at) WHERE next_at IS NOT NULL AND channel_id < 'a'`,
  sql`CREATE INDEX channels_due_at_addresses ON channels (workspace_id, substr(channel_id, 1, 16), next_at)
    WHERE next_at IS NOT NULL AND substr(channel_id, 1, 1) >= 'a'`,
  sql`CREATE INDEX channels_claimed_at_addresses ON channels (workspace_id, substr(channel_id, 1, 16))
    WHERE claim IS NOT NULL AND substr(channel_id, 1, 1) >= 'a'`,
];

/**
 * What webhooks' addresses are told. `number` counts within an address and link, whose messages go in that order. `state` is
 * waiting, posted, failed (set aside), skipped or dropped. `payload` is JSON, and the body in it the same at every try.
 * `claimed_until`, by the steady time, is when whoever sends it has failed to; `deaths` is as with deliveries.
 */
export const webhookMessagesTable = [
  sql`CREATE TABLE webhook_messages (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, address_id ORDERED_TEXT NOT NULL,
    link_id ORDERED_TEXT NOT NULL, number INTEGER64 NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL, reason TEXT,
    queued_at INTEGER64 NOT NULL, due_at INTEGER64 NOT NULL, attempts INTEGER64 NOT NULL, deaths INTEGER64 NOT NULL,
    failing_since INTEGER64, claimed_until INTEGER64, settled_at INTEGER64, PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE INDEX webhook_messages_in_order ON webhook_messages (workspace_id, address_id, link_id, number)`,
  sql`CREATE INDEX webhook_messages_waiting ON webhook_messages (workspace_id, address_id, due_at)
    WHERE state = 'waiting'`,
  sql`CREATE INDEX webhook_messages_failed ON webhook_messages (workspace_id, address_id, settled_at)
    WHERE state = 'failed'`,
  sql`CREATE INDEX webhook_messages_settled ON webhook_messages (settled_at) WHERE settled_at IS NOT NULL`,
  sql`INSERT INTO webhook_messages (workspace_id, id, address_id, link_id, number, payload, state, reason, queued_at,
      due_at, attempts, deaths, failing_since, settled_at)
    SELECT workspace_id, COALESCE(message_id, id), substr(channel_id, 1, 16), substr(channel_id, 18), due_at,
      COALESCE(payload, ''), CASE state WHEN 'sending' THEN 'waiting' ELSE state END, reason, accepted_at, due_at,
      attempts, deaths, failing_since, settled_at FROM deliveries WHERE kind = 'webhook'`,
  sql`DELETE FROM deliveries WHERE kind = 'webhook'`,
  sql`DELETE FROM channels WHERE channel_id >= 'a'`,
  sql`DROP INDEX channels_due_in_slack`,
  sql`DROP INDEX channels_due_at_addresses`,
  sql`DROP INDEX channels_claimed_at_addresses`,
  sql`DROP INDEX webhook_addresses_claimed`,
  sql`ALTER TABLE webhook_addresses DROP COLUMN claim`,
];
