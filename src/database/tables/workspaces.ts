import { sql } from '../database.ts';

/** The workspaces the app serves, and until when posting is on hold there because Slack refused the token. */
export const workspacesTable = [
  sql`CREATE TABLE workspaces (
    id ORDERED_TEXT PRIMARY KEY, installed_at INTEGER64 NOT NULL, held_until INTEGER64, held_reason TEXT,
    version INTEGER64 NOT NULL) STRICTLY`,
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
