import { Sql, sql } from './database.ts';

/**
 * A step from one version of the tables to the next, on both engines: `forEngine` replaces a few words. A step that was
 * committed never changes (`test/database/steps.test.ts`): add one. It only adds, and what isn't needed is removed a
 * release later, so that two versions of the app can run side by side, and the one before can take over again. Where that
 * can't be, because it removes something or an older program would be harmed by what this one writes, `oneWay` says why.
 */
export type Step = readonly Sql[] | { readonly oneWay: string; readonly statements: readonly Sql[] };

/** @param columns with commas between them */
const addColumns = (table: string, columns: string): readonly Sql[] =>
  columns.split(', ').map((column) => new Sql([`ALTER TABLE ${table} ADD COLUMN ${column}`], []));

/**
 * All steps, in order: the version of the tables is how many of them have run. Where an index has a time that is above 0, a
 * query that counts over time says so, too, after the times it asks for: SQLite reads from the first bound it's given. None
 * may filter by the time alone: an engine would take that index and read everything newer.
 */
export const steps: readonly Step[] = [
  [
    // `held_until` is until when posting is on hold because Slack refused the token.
    sql`CREATE TABLE workspaces (
      id ORDERED_TEXT PRIMARY KEY, installed_at INTEGER64 NOT NULL, held_until INTEGER64, held_reason TEXT,
      version INTEGER64 NOT NULL) STRICTLY`,
    // A row for each setting, so that changes of different settings never collide. `value` is JSON.
    sql`CREATE TABLE settings (
      workspace_id ORDERED_TEXT NOT NULL, name ORDERED_TEXT NOT NULL, value TEXT NOT NULL, version INTEGER64 NOT NULL,
      changed_by TEXT NOT NULL, changed_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, name)) STRICTLY`,
    // Who Slack users are to the co-browsing service, as it last said, in each account.
    sql`CREATE TABLE agents (
      workspace_id ORDERED_TEXT NOT NULL, account_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
      agent_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT, checked_at INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, account_id, user_id)) STRICTLY`,
    // Until when one process looks up each agent's sessions, and what earlier look-ups found (JSON). `version` is unused.
    sql`CREATE TABLE agent_looks (
      workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, agent_id ORDERED_TEXT NOT NULL,
      looks TEXT, next_check_at INTEGER64, claimed_until INTEGER64, version INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, user_id, agent_id)) STRICTLY`,
    sql`CREATE INDEX agent_looks_due ON agent_looks (next_check_at) WHERE next_check_at IS NOT NULL`,
    sql`CREATE INDEX agent_looks_by_agent ON agent_looks (workspace_id, agent_id)`,
    // Never the link itself, and no session, since a link may have several. `state` is open, ended, unused or unknown.
    // `looked_for` is 1 while we ask the service how its session ended, which goes on for a while after it was found unused.
    sql`CREATE TABLE watch_links (
      workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, agent_id ORDERED_TEXT NOT NULL,
      user_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT, thread_ts TEXT,
      access TEXT NOT NULL, proof_id ORDERED_TEXT, issued_at INTEGER64 NOT NULL, expires_at INTEGER64,
      state TEXT NOT NULL, ended_at INTEGER64, seconds FRACTION, looked_for INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, id)) STRICTLY`,
    sql`CREATE UNIQUE INDEX watch_links_by_proof ON watch_links (workspace_id, proof_id) WHERE proof_id IS NOT NULL`,
    sql`CREATE INDEX watch_links_by_user ON watch_links (workspace_id, user_id, issued_at)`,
    sql`CREATE INDEX watch_links_by_visitor ON watch_links (workspace_id, visitor_id, issued_at)`,
    sql`CREATE INDEX watch_links_by_workspace ON watch_links (workspace_id, issued_at, state)
      WHERE issued_at > 0`,
    sql`CREATE INDEX watch_links_looked_for ON watch_links (workspace_id, user_id, issued_at, id) WHERE looked_for = 1`,
    sql`CREATE INDEX watch_links_by_time ON watch_links (issued_at)`,
    // Sessions that ended, once each. `claimant` is empty if the session certainly belongs to the ticket that reported it, and
    // otherwise names the ticket's link, so that no ticket takes another's place. `features` and `payload` are JSON. `outcome`
    // is what people said afterwards: solved, follow-up or other. Ids begin with the time.
    sql`CREATE TABLE session_ends (
      id ORDERED_TEXT PRIMARY KEY, workspace_id ORDERED_TEXT NOT NULL, session_id ORDERED_TEXT NOT NULL,
      claimant ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
      visitor_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT, thread_ts TEXT, access TEXT NOT NULL,
      seconds INTEGER64, features TEXT NOT NULL, received_at INTEGER64 NOT NULL, recovered INTEGER64 NOT NULL,
      fanned_out_at INTEGER64, outcome TEXT, outcome_by ORDERED_TEXT, outcome_at INTEGER64, payload TEXT NOT NULL) STRICTLY`,
    sql`CREATE UNIQUE INDEX session_ends_once ON session_ends (workspace_id, session_id, claimant)`,
    sql`CREATE INDEX session_ends_to_fan_out ON session_ends (received_at) WHERE fanned_out_at IS NULL`,
    sql`CREATE INDEX session_ends_by_time ON session_ends (workspace_id, received_at)`,
    sql`CREATE INDEX session_ends_by_link ON session_ends (workspace_id, link_id)`,
    // Unused: `session_ends_once` decides which link gets a session.
    sql`CREATE TABLE session_owners (
      workspace_id ORDERED_TEXT NOT NULL, session_id ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL,
      expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, session_id)) STRICTLY`,
    sql`CREATE INDEX session_owners_by_expiry ON session_owners (expires_at)`,
    // What to post, in order within each channel. `kind` is the name of a `Kind`. `state` is asking (somebody has to be asked
    // whether they want it), waiting, sending, posted, failed, skipped or dropped. `deaths` is how many attempts in a row ended
    // with their process: each counts from before it's made until its outcome is written. `post_channel_id` is where Slack says
    // the post is, which for direct messages isn't the id it was sent to. `subscriptions` and `payload` are JSON. Ids begin
    // with the time.
    sql`CREATE TABLE deliveries (
      id ORDERED_TEXT PRIMARY KEY, workspace_id ORDERED_TEXT NOT NULL, dedupe_key ORDERED_TEXT NOT NULL,
      kind TEXT NOT NULL, session_end_id ORDERED_TEXT, subscriptions TEXT, channel_id ORDERED_TEXT NOT NULL,
      thread_ts TEXT, state TEXT NOT NULL, due_at INTEGER64 NOT NULL, not_after INTEGER64, attempts INTEGER64 NOT NULL,
      deaths INTEGER64 NOT NULL, attempted_at INTEGER64, failing_since INTEGER64, claim TEXT, reason TEXT,
      needed_scope TEXT, replaces_id ORDERED_TEXT, taken_by ORDERED_TEXT, is_short INTEGER64 NOT NULL,
      post_channel_id TEXT, post_ts TEXT, recheck_at INTEGER64, accepted_at INTEGER64 NOT NULL, settled_at INTEGER64,
      settled_by TEXT, payload TEXT) STRICTLY`,
    sql`CREATE UNIQUE INDEX deliveries_once ON deliveries (workspace_id, dedupe_key)`,
    sql`CREATE INDEX deliveries_due ON deliveries (workspace_id, channel_id, due_at, id)
      WHERE state IN ('waiting', 'sending')`,
    sql`CREATE INDEX deliveries_to_ask ON deliveries (due_at) WHERE state = 'asking'`,
    sql`CREATE INDEX deliveries_unsettled ON deliveries (workspace_id, accepted_at)
      WHERE settled_at IS NULL AND kind NOT IN ('card', 'update') AND accepted_at > 0`,
    sql`CREATE INDEX deliveries_oldest ON deliveries (accepted_at)
      WHERE settled_at IS NULL AND kind NOT IN ('card', 'update') AND accepted_at > 0`,
    sql`CREATE INDEX deliveries_in_trouble ON deliveries (workspace_id, accepted_at, id)
      WHERE settled_at IS NULL AND reason IS NOT NULL AND kind NOT IN ('card', 'update')`,
    sql`CREATE INDEX deliveries_failed ON deliveries (workspace_id, settled_at) WHERE state = 'failed'`,
    sql`CREATE INDEX deliveries_to_recheck ON deliveries (recheck_at) WHERE recheck_at IS NOT NULL`,
    // Links from repeated presses share a card.
    sql`CREATE TABLE link_cards (
      workspace_id ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL, card_id ORDERED_TEXT NOT NULL,
      PRIMARY KEY (workspace_id, link_id)) STRICTLY`,
    sql`CREATE INDEX link_cards_by_card ON link_cards (card_id)`,
    // When a channel's next delivery is due, when Slack accepts a post there again, who has its turn, and its new id, if any.
    sql`CREATE TABLE channels (
      workspace_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT NOT NULL, next_at INTEGER64,
      open_at INTEGER64 NOT NULL, claim ORDERED_TEXT, claimed_until INTEGER64, moved_to ORDERED_TEXT,
      PRIMARY KEY (workspace_id, channel_id)) STRICTLY`,
    sql`CREATE INDEX channels_due ON channels (next_at) WHERE next_at IS NOT NULL`,
    sql`CREATE INDEX channels_claimed ON channels (claim) WHERE claim IS NOT NULL`,
    // `filter` and `schedule` are JSON. `next_at` is when a digest is due, and `digests` how many there have been. `notice_due`
    // is what the person who set it up is due to hear: paused or resumed. The other `notice_…` and `done_until` are unused. A
    // number is used only once in a workspace.
    sql`CREATE TABLE subscriptions (
      workspace_id ORDERED_TEXT NOT NULL, number INTEGER64 NOT NULL, channel_id ORDERED_TEXT NOT NULL,
      set_up_by TEXT NOT NULL, set_up_at INTEGER64 NOT NULL, filter TEXT NOT NULL, form TEXT NOT NULL, schedule TEXT,
      next_at INTEGER64, done_until INTEGER64, digests INTEGER64 NOT NULL, paused_reason TEXT, paused_since INTEGER64,
      notice_due TEXT, notice_about TEXT, notice_id TEXT, notice_since INTEGER64, notice_until INTEGER64, version INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, number)) STRICTLY`,
    sql`CREATE INDEX subscriptions_by_channel ON subscriptions (workspace_id, channel_id)`,
    sql`CREATE INDEX subscriptions_due ON subscriptions (next_at) WHERE next_at IS NOT NULL`,
    sql`CREATE INDEX subscriptions_done ON subscriptions (done_until) WHERE done_until IS NOT NULL`,
    sql`CREATE INDEX subscriptions_paused ON subscriptions (paused_since) WHERE paused_since IS NOT NULL`,
    sql`CREATE INDEX subscriptions_notice_due ON subscriptions (workspace_id, number) WHERE notice_due IS NOT NULL`,
    sql`CREATE TABLE subscription_numbers (
      workspace_id ORDERED_TEXT PRIMARY KEY, last INTEGER64 NOT NULL) STRICTLY`,
    // Append-only, kept for AUDIT_DAYS. `detail` is JSON, or empty. Newest first means by `(at, id)`. "By age" is only for
    // removing old entries, which says `id > 0`.
    sql`CREATE TABLE audit (
      id GROWING_ID, workspace_id ORDERED_TEXT NOT NULL, at INTEGER64 NOT NULL, user_id ORDERED_TEXT NOT NULL,
      channel_id ORDERED_TEXT, visitor_id ORDERED_TEXT, action ORDERED_TEXT NOT NULL, outcome TEXT NOT NULL,
      detail TEXT NOT NULL) STRICTLY`,
    sql`CREATE INDEX audit_by_time ON audit (workspace_id, at, id) WHERE at > 0`,
    sql`CREATE INDEX audit_by_user ON audit (workspace_id, user_id, at, id)`,
    sql`CREATE INDEX audit_by_channel ON audit (workspace_id, channel_id, at, id) WHERE channel_id IS NOT NULL`,
    sql`CREATE INDEX audit_by_visitor ON audit (workspace_id, visitor_id, at, id) WHERE visitor_id IS NOT NULL`,
    sql`CREATE INDEX audit_by_action ON audit (workspace_id, action, at, id)`,
    sql`CREATE INDEX audit_by_age ON audit (at) WHERE id > 0`,
    sql`CREATE TABLE stops (
      workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, at INTEGER64 NOT NULL, user_id TEXT NOT NULL,
      reason TEXT, PRIMARY KEY (workspace_id, visitor_id, at, user_id)) STRICTLY`,
    sql`CREATE INDEX stops_by_age ON stops (at)`,
    // Presses that Slack reported, each good for one link, and other ids that can be used once: those have no `press_key`.
    // `double_of` is the press that this one repeated within the same second. A row is kept until `good_until` by the clock,
    // when the same press can't come again, and until `expires_at` by the steady time.
    sql`CREATE TABLE presses (
      workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, press_key ORDERED_TEXT, pressed_at INTEGER64,
      received_at INTEGER64, refused TEXT, spent_at INTEGER64, double_of TEXT, expires_at INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, id)) STRICTLY`,
    sql`CREATE INDEX presses_to_meet ON presses (workspace_id, press_key, pressed_at)
      WHERE press_key IS NOT NULL AND spent_at IS NULL`,
    sql`CREATE INDEX presses_by_expiry ON presses (expires_at)`,
    // The latest press of each button, to recognize a double click. `outcome` is unused.
    sql`CREATE TABLE press_acts (
      workspace_id ORDERED_TEXT NOT NULL, press_key ORDERED_TEXT NOT NULL, press_id TEXT NOT NULL,
      pressed_at INTEGER64 NOT NULL, outcome TEXT, expires_at INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, press_key)) STRICTLY`,
    sql`CREATE INDEX press_acts_by_expiry ON press_acts (expires_at)`,
    // How often a button's address waited in vain for a press, and until when its owner isn't messaged again, by the clock.
    sql`CREATE TABLE ticket_uses (
      workspace_id ORDERED_TEXT NOT NULL, ticket_id ORDERED_TEXT NOT NULL, failed_openings INTEGER64 NOT NULL,
      sent TEXT, sent_until INTEGER64, expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, ticket_id)) STRICTLY`,
    sql`CREATE INDEX ticket_uses_by_expiry ON ticket_uses (expires_at)`,
    // Whose Slack, for 30 days, is known not to report presses of such buttons.
    sql`CREATE TABLE lost_presses (
      workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, suspected_until INTEGER64 NOT NULL,
      remembered_until INTEGER64 NOT NULL, expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, user_id)) STRICTLY`,
    sql`CREATE INDEX lost_presses_by_expiry ON lost_presses (expires_at)`,
    // What somebody is doing that nobody may do beside them: whoever else asks in that time is told it's under way.
    sql`CREATE TABLE claims (
      workspace_id ORDERED_TEXT NOT NULL, name ORDERED_TEXT NOT NULL, claimed_until INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, name)) STRICTLY`,
    // Who is on it, of visitors who wait for help.
    sql`CREATE TABLE visitor_claims (
      workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, user_id TEXT NOT NULL,
      claimed_at INTEGER64 NOT NULL, claimed_until INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, visitor_id)) STRICTLY`,
    sql`CREATE INDEX visitor_claims_by_age ON visitor_claims (claimed_until)`,
    // Who wants to hear when a visitor comes online. The message is recognized by `message_id`. `attempts` is above 0 where an
    // earlier version of the app began to send it; `claimed_until` is unused.
    sql`CREATE TABLE online_requests (
      workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
      asked_at INTEGER64 NOT NULL, until_at INTEGER64 NOT NULL, message_id TEXT NOT NULL, attempts INTEGER64 NOT NULL,
      claimed_until INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, visitor_id, user_id)) STRICTLY`,
    sql`CREATE INDEX online_requests_by_age ON online_requests (until_at)`,
    sql`CREATE TABLE greetings (
      workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, greeted_at INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, user_id)) STRICTLY`,
  ],
  [
    // `look_at` is when its session is looked for next.
    ...addColumns('watch_links', 'card_id ORDERED_TEXT, look_at INTEGER64'),
    sql`UPDATE watch_links SET card_id = (SELECT card_id FROM link_cards
      WHERE link_cards.workspace_id = watch_links.workspace_id AND link_cards.link_id = watch_links.id)`,
    sql`UPDATE watch_links SET look_at = (SELECT next_check_at FROM agent_looks
        WHERE agent_looks.workspace_id = watch_links.workspace_id AND agent_looks.user_id = watch_links.user_id
          AND agent_looks.agent_id = watch_links.agent_id)
      WHERE looked_for = 1`,
    sql`CREATE INDEX watch_links_by_card ON watch_links (card_id) WHERE card_id IS NOT NULL`,
    sql`CREATE INDEX watch_links_to_look_for ON watch_links (look_at) WHERE look_at IS NOT NULL`,
  ],
  [
    // Until when no page of a button waits. Such a row may have no press yet: then its `press_id` is empty.
    sql`ALTER TABLE press_acts ADD COLUMN given_up_until INTEGER64`,
  ],
  [
    // Each link has `card_id`, and `look_at`.
    sql`DROP TABLE link_cards`,
    sql`DROP INDEX agent_looks_due`,
    sql`ALTER TABLE agent_looks DROP COLUMN next_check_at`,
  ],
  [
    // The service's ids of the sessions that ran when they were stopped, as JSON.
    sql`ALTER TABLE stops ADD COLUMN sessions TEXT`,
  ],
  [
    // What its message is recognized by in Slack, made from session and place; without one, it's the delivery's own id.
    sql`ALTER TABLE deliveries ADD COLUMN message_id TEXT`,
    // When the database was put back to a backup: what may have been posted since then is looked for in Slack first.
    sql`CREATE TABLE restores (restored_at INTEGER64 PRIMARY KEY) STRICTLY`,
  ],
  [
    // When it has expired by the clock, which somebody may set back.
    sql`ALTER TABLE presses ADD COLUMN good_until INTEGER64 NOT NULL DEFAULT 0`,
    sql`ALTER TABLE ticket_uses ADD COLUMN good_until INTEGER64 NOT NULL DEFAULT 0`,
  ],
  [
    // 0 or 1; NULL where the service didn't say, or before there was this column.
    sql`ALTER TABLE session_ends ADD COLUMN accepted INTEGER64`,
    sql`ALTER TABLE watch_links ADD COLUMN accepted INTEGER64`,
    sql`CREATE INDEX watch_links_not_accepted ON watch_links (workspace_id, issued_at) WHERE accepted = 0`,
  ],
  {
    oneWay: 'the version before takes posts of kinds that it doesn’t know for damage',
    statements: [
      // Until when a process turns one without deliveries into them, by the steady time.
      sql`ALTER TABLE session_ends ADD COLUMN claimed_until INTEGER64`,
    ],
  },
  [
    // Where the app was installed by OAuth. `data_key` seals the workspace's secrets, and is itself sealed with the key in
    // SECRET_KEYS that `data_key_by` names. `install_id` is random, and kept when the app is installed again. `gone_at` is when
    // we noticed that the app was removed, `check_at` when Slack is asked next; `purging` is 1 while all of it is being removed.
    ...addColumns(
      'workspaces',
      'install_id TEXT, name TEXT, url TEXT, app_id TEXT, bot_id TEXT, bot_user_id TEXT, scopes TEXT, installed_by TEXT',
    ),
    ...addColumns('workspaces', 'bot_token TEXT, data_key TEXT, data_key_by TEXT'),
    ...addColumns('workspaces', 'gone_at INTEGER64, check_at INTEGER64, purging INTEGER64'),
    sql`CREATE INDEX workspaces_held ON workspaces (held_until) WHERE held_until IS NOT NULL AND gone_at IS NULL`,
    sql`CREATE INDEX workspaces_to_check ON workspaces (check_at) WHERE check_at IS NOT NULL`,
    sql`CREATE INDEX workspaces_to_purge ON workspaces (id) WHERE purging = 1`,
  ],
  [
    // Of each workspace the one with the highest `version` is in force. `kind` is cloud, on-premise, or none: disconnected.
    // `connected` is 1 for an installation that is connected to the vendor's dashboard, and `cloud_address` the cloud beside an
    // installation. The keys are sealed with the workspace's data key, and NULL once the row isn't in force.
    sql`CREATE TABLE service_accounts (
      workspace_id ORDERED_TEXT NOT NULL, version INTEGER64 NOT NULL, id ORDERED_TEXT NOT NULL, kind TEXT NOT NULL,
      address TEXT, api_key TEXT, connected INTEGER64 NOT NULL, cloud_address TEXT, cloud_key TEXT,
      connected_by TEXT NOT NULL, connected_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, version)) STRICTLY`,
    // The workspace's own account that the link was made with; NULL for the operator's.
    sql`ALTER TABLE watch_links ADD COLUMN account_id ORDERED_TEXT`,
  ],
  [
    // `seen_at` is by the database's clock.
    sql`CREATE TABLE serving (id ORDERED_TEXT PRIMARY KEY, seen_at INTEGER64 NOT NULL) STRICTLY`,
  ],
  [
    // Where the session's summary is: the channel by the id it had then, and the message's `ts`. The indexes are for lists of
    // ended sessions, newest first: by `(received_at, id)`. An outcome is never NULL there: PostgreSQL would sort all of those.
    ...addColumns('session_ends', 'summary_channel_id ORDERED_TEXT, summary_ts TEXT'),
    sql`UPDATE session_ends SET summary_channel_id = posted.post_channel_id, summary_ts = posted.post_ts
      FROM deliveries AS posted WHERE session_ends.id = posted.session_end_id AND posted.state = 'posted'
        AND posted.dedupe_key = 'summary:' || session_ends.id || ':'`,
    sql`CREATE INDEX session_ends_by_user ON session_ends (workspace_id, user_id, received_at, id)`,
    sql`CREATE INDEX session_ends_by_visitor ON session_ends (workspace_id, visitor_id, received_at, id)`,
    sql`CREATE INDEX session_ends_by_outcome ON session_ends (workspace_id, COALESCE(outcome, ''), received_at, id)`,
    sql`CREATE INDEX session_ends_by_summary ON session_ends (workspace_id, summary_channel_id, received_at, id)
      WHERE summary_channel_id IS NOT NULL`,
    // Session ends with a delivery that isn't settled aren't removed.
    sql`CREATE INDEX deliveries_of_session_ends ON deliveries (session_end_id)
      WHERE settled_at IS NULL AND session_end_id IS NOT NULL`,
  ],
  [
    // When each person was last asked to look at a visitor's screen: not again about the same one before `free_at`. `id` is the
    // message's; `channel_id` and `thread_ts` are where the asked session belongs, `card_id` is its card.
    sql`CREATE TABLE asks (
      workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, asked_id ORDERED_TEXT NOT NULL,
      id ORDERED_TEXT NOT NULL, asked_by TEXT NOT NULL, asked_at INTEGER64 NOT NULL, free_at INTEGER64 NOT NULL,
      reason TEXT, channel_id TEXT, thread_ts TEXT, card_id ORDERED_TEXT,
      PRIMARY KEY (workspace_id, visitor_id, asked_id)) STRICTLY`,
    sql`CREATE INDEX asks_by_card ON asks (card_id) WHERE card_id IS NOT NULL`,
    sql`CREATE INDEX asks_by_age ON asks (asked_at)`,
  ],
  [
    // At most one row a session. `line` is in people's words, and nowhere else. `channel_id` is where it was set, if that was a
    // channel; `handed_by` who handed it on last. `told_at` is when the message that it's due was queued.
    sql`CREATE TABLE follow_ups (
      workspace_id ORDERED_TEXT NOT NULL, session_end_id ORDERED_TEXT NOT NULL, visitor_id TEXT NOT NULL,
      channel_id ORDERED_TEXT, user_id ORDERED_TEXT NOT NULL, handed_by TEXT, line TEXT, due_at INTEGER64 NOT NULL,
      told_at INTEGER64, changed_at INTEGER64 NOT NULL, version INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, session_end_id)) STRICTLY`,
    sql`CREATE INDEX follow_ups_to_tell ON follow_ups (due_at) WHERE told_at IS NULL`,
    sql`CREATE INDEX follow_ups_by_person ON follow_ups (workspace_id, user_id, due_at)`,
    sql`CREATE INDEX follow_ups_by_channel ON follow_ups (workspace_id, channel_id, due_at)`,
    sql`CREATE INDEX follow_ups_by_age ON follow_ups (due_at)`,
  ],
  [
    // The address of the helpdesk's ticket. An ended session has its own, since it's kept for longer.
    sql`ALTER TABLE watch_links ADD COLUMN ticket_url TEXT`,
    sql`ALTER TABLE session_ends ADD COLUMN ticket_url TEXT`,
  ],
  [
    // In a channel that was asked, `asked_id` is its id. Until `open_until` somebody can take it; `tell_at` is when the asker
    // hears that nobody has, until they heard. All are NULL where a person was asked. A link's `asked_card_id` is the card of
    // the session that its agent was asked to look at.
    ...addColumns('asks', 'open_until INTEGER64, tell_at INTEGER64, taken_by ORDERED_TEXT'),
    sql`CREATE INDEX asks_open ON asks (open_until) WHERE open_until IS NOT NULL`,
    sql`ALTER TABLE watch_links ADD COLUMN asked_card_id ORDERED_TEXT`,
    sql`CREATE INDEX watch_links_by_asked_card ON watch_links (asked_card_id) WHERE asked_card_id IS NOT NULL`,
  ],
  [
    // What waits where the app was removed isn't counted.
    sql`CREATE INDEX workspaces_gone ON workspaces (id) WHERE gone_at IS NOT NULL`,
  ],
  [
    // `address`, `secret` and `old_secret` are sealed with the workspace's data key; `host` is what people see. Until
    // `old_secret_until` messages are signed with both secrets. `events` and `filters` are JSON, `names` is 1 where bodies have
    // the customer's name. `failing_since` is when the first attempt failed since one was taken, `held_until` when the address
    // is tried again, and `off_at` when it said that it's gone for good. Ids are 16 characters.
    sql`CREATE TABLE webhook_addresses (
      workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL,
      secret TEXT NOT NULL, old_secret TEXT, old_secret_until INTEGER64, events TEXT NOT NULL, filters TEXT NOT NULL,
      names INTEGER64 NOT NULL, added_by TEXT NOT NULL, added_at INTEGER64 NOT NULL, failing_since INTEGER64,
      held_until INTEGER64, off_at INTEGER64, claim ORDERED_TEXT, version INTEGER64 NOT NULL,
      PRIMARY KEY (workspace_id, id)) STRICTLY`,
    sql`CREATE INDEX webhook_addresses_claimed ON webhook_addresses (claim) WHERE claim IS NOT NULL`,
    // A webhook's place is the ids of its address and its link, and no id of Slack's begins with a small letter.
    sql`CREATE INDEX channels_due_in_slack ON channels (next_at) WHERE next_at IS NOT NULL AND channel_id < 'a'`,
    sql`CREATE INDEX channels_due_at_addresses ON channels (workspace_id, substr(channel_id, 1, 16), next_at)
      WHERE next_at IS NOT NULL AND substr(channel_id, 1, 1) >= 'a'`,
    sql`CREATE INDEX channels_claimed_at_addresses ON channels (workspace_id, substr(channel_id, 1, 16))
      WHERE claim IS NOT NULL AND substr(channel_id, 1, 1) >= 'a'`,
  ],
  [
    // When an address was first known to have taken an event or a test.
    sql`ALTER TABLE webhook_addresses ADD COLUMN worked_at INTEGER64`,
    sql`UPDATE webhook_addresses SET worked_at = posted.at
      FROM (SELECT workspace_id, substr(channel_id, 1, 16) AS id, MIN(settled_at) AS at FROM deliveries
        WHERE kind = 'webhook' AND state = 'posted' GROUP BY workspace_id, substr(channel_id, 1, 16)) AS posted
      WHERE posted.workspace_id = webhook_addresses.workspace_id AND posted.id = webhook_addresses.id`,
  ],
  [
    // See `linkHashes`; NULL for links made before.
    sql`ALTER TABLE watch_links ADD COLUMN link_hash ORDERED_TEXT`,
    sql`CREATE INDEX watch_links_by_hash ON watch_links (workspace_id, link_hash) WHERE link_hash IS NOT NULL`,
  ],
  {
    oneWay: 'the version before looks for outgoing webhooks elsewhere',
    statements: [
      // `number` counts within an address and link, whose messages go in that order. `state` is waiting, posted, failed (set
      // aside), skipped or dropped. `payload` is JSON, and the body in it the same at every try. `claimed_until`, by the steady
      // time, is when whoever sends it has failed to; `deaths` is as with deliveries.
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
      // A post whose answer was lost is looked for before it's made again, and never afterwards.
      sql`DROP INDEX deliveries_to_recheck`,
      sql`ALTER TABLE deliveries DROP COLUMN recheck_at`,
    ],
  },
  [
    // `refresh_token` is sealed like `bot_token`, which ends at `token_ends_at`. Both are NULL where tokens don't end; the first
    // alone where Slack took it for no new one, and nothing works until the app is installed again. `refreshing_until`, by the
    // steady time, is when whoever refreshes has failed to, and stays where nobody knows what Slack said.
    ...addColumns('workspaces', 'refresh_token TEXT, token_ends_at INTEGER64, refreshing_until INTEGER64'),
    sql`CREATE INDEX workspaces_to_refresh ON workspaces (token_ends_at) WHERE refresh_token IS NOT NULL`,
  ],
  [
    // Whose token a workspace uses while it has none of its own: that of its organization, once that has given it the app. An
    // organization's own row has its own id there. `access_at` is when Slack last said whether it's given.
    ...addColumns('workspaces', 'organization_id ORDERED_TEXT, access_at INTEGER64'),
    sql`CREATE INDEX workspaces_by_organization ON workspaces (organization_id) WHERE organization_id IS NOT NULL`,
  ],
  [
    // Of a subscription about customers who wait for help: after how many minutes the thread says that nobody has taken one.
    ...addColumns('subscriptions', 'remind_minutes INTEGER64'),
    sql`CREATE INDEX subscriptions_about_waits ON subscriptions (workspace_id) WHERE remind_minutes IS NOT NULL`,
    // A customer's latest wait, for a channel that's told. `id` is that of its post. `missing` is how many lists in a row lacked
    // them, `remind_at` when the thread says that nobody has taken it, until it did. `taken_by` is a user.
    sql`CREATE TABLE waits (
      workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT NOT NULL,
      id ORDERED_TEXT NOT NULL, began_at INTEGER64 NOT NULL, missing INTEGER64 NOT NULL, remind_at INTEGER64,
      taken_by TEXT, ended_at INTEGER64, PRIMARY KEY (workspace_id, visitor_id, channel_id)) STRICTLY`,
    sql`CREATE INDEX waits_by_age ON waits (began_at)`,
  ],
];
