import { sql } from '../database.ts';

/** The workspaces the app serves, and until when posting is on hold there because Slack refused the token. */
export const workspacesTable = [
  sql`CREATE TABLE workspaces (
    id ORDERED_TEXT PRIMARY KEY, installed_at INTEGER64 NOT NULL, held_until INTEGER64, held_reason TEXT,
    version INTEGER64 NOT NULL) STRICTLY`,
];

/**
 * Where the app was installed by OAuth: the token and the ids that Slack gave, and who installed it. `data_key` seals the
 * workspace's secrets, and is itself sealed with the key in SECRET_KEYS that `data_key_by` names. `install_id` is random,
 * kept when the app is installed again. `gone_at` is when we noticed that the app was removed, `check_at` when Slack is asked
 * next whether it's there; `purging` is 1 while all of it is being removed.
 */
export const installs = [
  sql`ALTER TABLE workspaces ADD COLUMN install_id TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN name TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN url TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN app_id TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN bot_id TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN bot_user_id TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN scopes TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN installed_by TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN bot_token TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN data_key TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN data_key_by TEXT`,
  sql`ALTER TABLE workspaces ADD COLUMN gone_at INTEGER64`,
  sql`ALTER TABLE workspaces ADD COLUMN check_at INTEGER64`,
  sql`ALTER TABLE workspaces ADD COLUMN purging INTEGER64`,
  sql`CREATE INDEX workspaces_held ON workspaces (held_until) WHERE held_until IS NOT NULL AND gone_at IS NULL`,
  sql`CREATE INDEX workspaces_to_check ON workspaces (check_at) WHERE check_at IS NOT NULL`,
  sql`CREATE INDEX workspaces_to_purge ON workspaces (id) WHERE purging = 1`,
];

/** Those where the app was removed: what waits there isn't counted. */
export const goneWorkspaces = [
  sql`CREATE INDEX workspaces_gone ON workspaces (id) WHERE gone_at IS NOT NULL`,
];

/**
 * What a workspace's admins set: a row for each setting, so that changes of different settings never collide. `value`
 * is JSON.
 */
export const settingsTable = [
  sql`CREATE TABLE settings (
    workspace_id ORDERED_TEXT NOT NULL, name ORDERED_TEXT NOT NULL, value TEXT NOT NULL, version INTEGER64 NOT NULL,
    changed_by TEXT NOT NULL, changed_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, name)) STRICTLY`,
];

/**
 * The accounts of the service that workspaces connected themselves: of each workspace the one with the highest `version` is in
 * force. `kind` is cloud, on-premise, or none: then it was disconnected. `connected` is 1 for an installation that is connected to
 * the vendor's dashboard, and `cloud_address` the cloud beside an installation. The keys are sealed with the workspace's data
 * key, and NULL once the row isn't in force any more.
 */
export const serviceAccountsTable = [
  sql`CREATE TABLE service_accounts (
    workspace_id ORDERED_TEXT NOT NULL, version INTEGER64 NOT NULL, id ORDERED_TEXT NOT NULL, kind TEXT NOT NULL,
    address TEXT, api_key TEXT, connected INTEGER64 NOT NULL, cloud_address TEXT, cloud_key TEXT,
    connected_by TEXT NOT NULL, connected_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, version)) STRICTLY`,
];
