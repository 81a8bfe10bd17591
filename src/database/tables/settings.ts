import { sql } from '../sql.ts';

/**
 * What a workspace's admins set: a row for each setting, so that changes of different settings never collide. `value`
 * is JSON.
 */
export const settingsTable = [
  sql`CREATE TABLE settings (
    workspace_id ORDERED_TEXT NOT NULL, name ORDERED_TEXT NOT NULL, value TEXT NOT NULL, version INTEGER64 NOT NULL,
    changed_by TEXT NOT NULL, changed_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, name)) STRICTLY`,
];
